"""Fork and rewind (S12): one visible step at any size.

    version -> the facts it had, folded from the changes up to it -> written where nobody looks -> one row flips

Until the flip readers see the old state whole; what a crash leaves behind is under a generation that no row names.
"""

from dataclasses import replace

from openbot_memory.domain.errors import SessionExists, VersionNotFound
from openbot_memory.domain.facts import Fact
from openbot_memory.domain.session import Expected, Origin, Session, Tally, Trigger, Version, fold
from openbot_memory.use_cases.change import announce
from openbot_memory.use_cases.cleaning import tell_of_leftovers
from openbot_memory.use_cases.ports import Call, Json, World, until_committed
from openbot_memory.use_cases.views import session_view


def fork(world: World, call: Call, identifier: str, at: str | None, new_id: str | None) -> Json:
    """Begin a session with the history and memory that this one had at a version; None: as it is now.

    Raises SessionNotFound, VersionNotFound, SessionExists.
    """
    return until_committed(lambda: _fork(world, call, identifier, at, new_id or world.random() + world.random()))


def _fork(world: World, call: Call, identifier: str, at: str | None, new_id: str) -> Json:
    sessions = world.sessions(call.org)
    source, organization = sessions.state(identifier)
    version = _version(world, call, source, at or source.head)
    if sessions.exists(new_id):
        raise SessionExists
    erased = sessions.memory(identifier).erased()
    facts = _facts(world, call, source, version, erased)
    now = source.later(world.now())
    session = Session(
        id=new_id,
        agent=source.agent,
        model=source.model,
        kind=source.kind,
        head=version.id,
        step=source.step + 1,
        generation=world.random(),
        next_item=source.next_item,
        timeline=version.timeline,
        tally=Tally().after(facts.values(), {}),
        overrides=source.overrides,
        turn_model=version.turn_model,
        forked_from=Origin(source.id, version.id, source.next_item, source.step + 1),
        created_at=now,
        updated_at=now,
    )
    view = session_view(session, organization)
    sessions.memory(new_id).write_ahead(session.generation, facts.values())
    sessions.write_erased(new_id, erased.values())
    came = _came_to(session, version, Trigger.FORK, call)
    sessions.create_fork(session, came, world.history(call.org).ancestors(source), call.keep(view))
    return view


def rewind(world: World, call: Call, identifier: str, to: str, expected: Expected) -> Json:
    """Bring history and memory to a version that the session ever had, back or forward; overrides stay.

    Raises SessionNotFound, VersionNotFound, SessionConflict.
    """
    sessions = world.sessions(call.org)
    session = sessions.state(identifier).session
    expected.check(session)
    version = _version(world, call, session, to)
    memory = sessions.memory(identifier)
    facts = _facts(world, call, session, version, memory.erased())
    generation = world.random()
    memory.write_ahead(generation, facts.values(), base=session.revision)

    def flip() -> Json:
        before, organization = sessions.state(identifier)
        expected.check(before)
        after = replace(
            before,
            head=version.id,
            revision=before.revision + 1,
            step=before.step + 1,
            generation=generation,
            timeline=version.timeline,
            tally=Tally().after(facts.values(), {}),
            turn_model=version.turn_model,
            error=None,
            batch=None,
            updated_at=before.later(world.now()),
        )
        view = session_view(after, organization)
        row = _came_to(after, version, Trigger.REWIND, call)
        sessions.commit(before, after, version=row, also=call.keep(view))
        return view

    view = until_committed(flip)
    announce(world, call.org, view, [], Trigger.REWIND)
    tell_of_leftovers(world, call.org, identifier)
    return view


def _version(world: World, call: Call, session: Session, identifier: str) -> Version:
    version = world.history(call.org).version(session, identifier)
    if version is None:
        raise VersionNotFound
    return version


def _facts(world: World, call: Call, session: Session, version: Version, erased: dict[str, Fact]) -> dict[str, Fact]:
    """The memory as it was at that version, but for what was erased for good."""
    return fold(world.history(call.org).changes(session, version.timeline.steps), erased)


def _came_to(session: Session, version: Version, trigger: Trigger, call: Call) -> Version:
    """What the log says of it. It is no step of the timeline: that goes on from the version it came to."""
    return Version(
        id=version.id,
        step=session.step,
        at=session.updated_at,
        trigger=trigger,
        timeline=version.timeline,
        turn_model=version.turn_model,
        by=call.caller,
    )
