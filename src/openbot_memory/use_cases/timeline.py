"""Fork and rewind (S12): one visible step at any size.

    read     the version, and the facts it had, folded from the changes up to it
    write    these facts under a new generation (rewind) or in a new partition (fork)
    switch   one row, in a transaction: from now on readers see the new state whole, until then the old one

What a crash leaves behind is under a generation that no row names, and is never read.
"""

from dataclasses import replace

from openbot_memory.domain.errors import SessionExists, VersionNotFound
from openbot_memory.domain.facts import Fact
from openbot_memory.domain.session import Expected, Origin, Session, Tally, Trigger, Version, fold
from openbot_memory.use_cases.change_session import announce
from openbot_memory.use_cases.delete import request_cleaning_best_effort
from openbot_memory.use_cases.views import session_view
from openbot_memory.use_cases.world import Call, Json, World, until_committed


def fork(world: World, call: Call, identifier: str, at: str | None, new_id: str | None) -> Json:
    """Begin a session with the history and memory that this one had at a version; None: as it is now.

    Raises SessionNotFound, VersionNotFound, SessionExists.
    """
    return until_committed(lambda: _fork(world, call, identifier, at, new_id or world.new_id()))


def _fork(world: World, call: Call, identifier: str, at: str | None, new_id: str) -> Json:
    sessions = world.sessions(call.org)
    source, organization = sessions.state(identifier)
    version = _version(world, call, source, at or source.head)
    if sessions.exists(new_id):
        raise SessionExists
    tombstones = sessions.memory(identifier).tombstones()
    facts = _facts(world, call, source, version, tombstones)
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
    sessions.write_tombstones(new_id, tombstones.values())
    logged, past = session.current(Trigger.FORK, by=call.caller), world.history(call.org).past_of_fork(source, version)
    sessions.create_fork(session, logged, past, call.keep(view))
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
    facts = _facts(world, call, session, version, memory.tombstones())
    generation = world.random()
    memory.write_ahead(generation, facts.values(), base=session.revision)

    def switch() -> Json:
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
        logged = after.current(Trigger.REWIND, by=call.caller)
        sessions.commit(before, after, version=logged, also=call.keep(view))
        announce(world, call.org, after, [], Trigger.REWIND)
        return view

    view = until_committed(switch)
    request_cleaning_best_effort(world, call.org, identifier)
    return view


def _version(world: World, call: Call, session: Session, identifier: str) -> Version:
    version = world.history(call.org).version(session, identifier)
    if version is None:
        raise VersionNotFound
    return version


def _facts(
    world: World, call: Call, session: Session, version: Version, tombstones: dict[str, Fact]
) -> dict[str, Fact]:
    """The memory as it was at that version, but for the content of what was erased since."""
    return fold(world.history(call.org).changes(session, version.timeline.steps), tombstones)
