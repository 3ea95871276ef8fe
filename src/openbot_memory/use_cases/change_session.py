"""Create a session, and change its memory by hand: Remember, Forget, Erase, Configure (S9-S11)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import batched

from openbot_memory.domain.commands import Command, Erase, Moment, carry_out
from openbot_memory.domain.errors import AgentNotFound, SessionExists
from openbot_memory.domain.facts import Fact, Person, clean_key
from openbot_memory.domain.items import Item, ItemType
from openbot_memory.domain.ranges import Ranges
from openbot_memory.domain.session import (
    Expected,
    Principal,
    PrincipalType,
    Session,
    SessionKind,
    Timeline,
    Trigger,
    advance,
)
from openbot_memory.domain.settings import Configure
from openbot_memory.store.memory import Stale
from openbot_memory.use_cases import metrics
from openbot_memory.use_cases.delete import request_cleaning
from openbot_memory.use_cases.views import session_view
from openbot_memory.use_cases.world import Call, Json, World, until_committed

KEYS_OF_EVENT = 400  # an event has at most 256 KB


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSession:
    model: str
    agent: str | None = None
    kind: SessionKind = SessionKind.NORMAL
    id: str | None = None


def create(world: World, call: Call, new: NewSession) -> Json:
    """Make a session. Raises AgentNotFound, SessionExists."""
    now, sessions = world.now(), world.sessions(call.org)
    organization, agent_exists = sessions.organization_and_agent(new.agent)
    if not agent_exists:
        raise AgentNotFound
    session = Session(
        id=new.id or world.new_id(),
        agent=new.agent,
        model=new.model,
        kind=new.kind,
        head=world.version_id(1),
        generation=world.random(),
        timeline=Timeline(steps=Ranges.span(1, 1)),
        created_at=now,
        updated_at=now,
    )
    view = session_view(session, organization)
    try:
        sessions.commit(None, session, version=session.current(Trigger.TURN), also=call.keep(view))
    except Stale:
        raise SessionExists from None
    return view


def change(world: World, call: Call, identifier: str, expected: Expected, command: Command | Configure) -> Json:
    """Carry out one command in one transaction. Raises SessionConflict, UnknownKey, MemoryFull, InvalidRequest."""
    if isinstance(command, Configure):
        return until_committed(lambda: _configure(world, call, identifier, expected, command))
    cleaned = replace(command, key=clean_key(command.key, "command.key"))
    view = until_committed(lambda: _change_fact(world, call, identifier, expected, cleaned))
    if isinstance(command, Erase):
        request_cleaning(world, call.org, identifier)
    return view


def _configure(world: World, call: Call, identifier: str, expected: Expected, command: Configure) -> Json:
    sessions = world.sessions(call.org)
    session, organization = sessions.state(identifier)
    expected.check(session)
    after = replace(
        session,
        overrides=command.apply(session.overrides),
        revision=session.revision + 1,
        updated_at=session.later(world.now()),
    )
    view = session_view(after, organization)
    sessions.commit(session, after, also=call.keep(view))
    return view


def _change_fact(world: World, call: Call, identifier: str, expected: Expected, command: Command) -> Json:
    sessions = world.sessions(call.org)
    (session, organization), before = sessions.state_with(identifier, command.key)
    if isinstance(command, Erase) and before and before.erased:
        return session_view(session, organization)  # asked again, perhaps because its cleaning could not be requested
    expected.check(session)
    at = session.later(world.now())
    item = _trace(session, call.caller, command, at)
    moment = Moment(at=at, step=session.step + 1, sources=(item.id,), person=item.person, salt=call.org)
    fact = carry_out(
        command, before, moment, keys=session.tally.keys, rules=world.rules, holds_secret=world.holds_secret
    )
    known = {before.key: before} if before else {}
    after = _advanced(world, session, item, fact, known)
    version = after.current(Trigger(str(call.caller.type)), changes=(fact,), by=call.caller)
    view = session_view(after, organization)
    erased = fact if isinstance(command, Erase) else None
    sessions.commit(
        session,
        after,
        facts=[fact],
        facts_before=known,
        items=[item],
        version=version,
        erased=erased,
        also=call.keep(view),
    )
    announce(world, call.org, after, version.keys, version.trigger)
    return view


def _trace(session: Session, by: Principal, command: Command, at: int) -> Item:
    """The item that records the change and is its only source (S11)."""
    body = {"command": type(command).__name__, "key": command.key, "by": {"type": str(by.type), "id": by.id}}
    person = Person(by.id, by.name) if by.type is PrincipalType.PERSON else None
    return Item(number=session.next_item, type=ItemType.MEMORY, at=at, body=body, person=person)


def _advanced(world: World, session: Session, item: Item, fact: Fact, known: Mapping[str, Fact]) -> Session:
    """The session with one more item, which counts as read."""
    number = Ranges.span(item.number, item.number)
    old = session.timeline
    timeline = replace(old, items=old.items | number, processed=old.processed | number)
    head = world.version_id(session.step + 1)
    return advance(session, head=head, at=item.at, timeline=timeline, changes=[fact], before=known)


def announce(world: World, org: str, session: Session, keys: Sequence[str], trigger: Trigger) -> None:
    """Put on the bus that a session's memory changed."""
    announce_change(world, org, {"session": session.id, "revision": session.revision}, keys, trigger)


def announce_change(world: World, org: str, changed: Json, keys: Sequence[str], trigger: Trigger) -> None:
    """Ids and keys, no content, in as many events as it takes. Nothing hangs on these events, so one may be lost."""
    metrics.applied(world, len(keys), str(trigger))
    for some in batched(keys, KEYS_OF_EVENT, strict=False) if keys else [()]:
        detail = {"organization": org, **changed, "keys": list(some), "trigger": str(trigger)}
        world.bus.put_best_effort("openbot.memory", "Memory Changed", detail)
