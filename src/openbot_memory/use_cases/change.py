"""Create a session and change its memory by hand: Remember, Forget, Configure (S9-S11)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import batched
from typing import TypedDict, Unpack

from openbot_memory.domain import rules
from openbot_memory.domain.errors import SessionExists
from openbot_memory.domain.facts import Fact, Kind, Person, clean_key
from openbot_memory.domain.items import Item, ItemType, item_id
from openbot_memory.domain.ranges import Ranges
from openbot_memory.domain.rules import Dropped
from openbot_memory.domain.session import (
    Expected,
    Principal,
    PrincipalType,
    Session,
    SessionKind,
    Timeline,
    Tokens,
    Trigger,
    Version,
    advance,
)
from openbot_memory.domain.settings import Configure
from openbot_memory.store.memories import Stale
from openbot_memory.store.sessions import SessionState
from openbot_memory.use_cases import measures
from openbot_memory.use_cases.cleaning import ask_for_cleaning
from openbot_memory.use_cases.ports import Call, Json, World, until_committed
from openbot_memory.use_cases.views import session_view


@dataclass(frozen=True, slots=True)
class Remember:
    key: str
    content: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Forget:
    key: str


@dataclass(frozen=True, slots=True)
class Erase:
    """A Forget that leaves no content anywhere: not in the fact, nor in the versions that it was once part of.

    It has succeeded only when that is asked for, too. Of what is erased already it changes nothing and asks again.
    """

    key: str


KEYS_OF_EVENT = 400  # an event has at most 256 KB

type Command = Remember | Forget | Erase


class Change(TypedDict, total=False):
    """What a version tells of the change that made it."""

    changes: tuple[Fact, ...]
    removed: tuple[str, ...]
    by: Principal
    dropped: tuple[Dropped, ...]
    model: str
    tokens: Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSession:
    model: str
    agent: str | None = None
    kind: SessionKind = SessionKind.NORMAL
    id: str | None = None


def create(world: World, call: Call, new: NewSession) -> Json:
    """Make a session. Raises SessionExists."""
    now, sessions = world.now(), world.sessions(call.org)
    head = world.version_id(1)
    session = Session(
        id=new.id or world.random() + world.random(),
        agent=new.agent,
        model=new.model,
        kind=new.kind,
        head=head,
        generation=world.random(),
        timeline=Timeline(steps=Ranges.span(1, 1)),
        created_at=now,
        updated_at=now,
    )
    first = Version(id=head, step=1, at=now, trigger=Trigger.TURN, timeline=session.timeline)
    view = session_view(session, sessions.organization())
    try:
        sessions.commit(None, session, version=first, also=call.keep(view))
    except Stale:
        raise SessionExists from None
    return view


def change(world: World, call: Call, identifier: str, expected: Expected, command: Command | Configure) -> Json:
    """Carry out one command in one transaction. Raises SessionConflict, UnknownKey, MemoryFull, InvalidRequest."""
    if isinstance(command, Configure):
        return until_committed(lambda: _configure(world, call, identifier, expected, command))
    key = clean_key(command.key, "command.key")
    view = until_committed(lambda: _change_fact(world, call, identifier, expected, replace(command, key=key)))
    announce(world, call.org, view, [key], call.caller.type)
    if isinstance(command, Erase):
        ask_for_cleaning(world, call.org, identifier)
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
    state, before = sessions.state_with(identifier, command.key)
    if isinstance(command, Erase) and before and before.erased:  # asked again, perhaps because the cleaning was not
        return session_view(*state)
    expected.check(state.session)
    fact = _decide(world, state.session, before, command)
    known = {before.key: before} if before else {}
    after, item, version = _recorded(world, call.caller, state, fact, command, known)
    view = session_view(after, state.organization)
    sessions.commit(
        state.session,
        after,
        facts=[fact],
        facts_before=known,
        items=[item],
        version=version,
        erased=fact if isinstance(command, Erase) else None,
        also=call.keep(view),
    )
    return view


def _decide(world: World, session: Session, before: Fact | None, command: Command) -> Fact:
    at, step = session.later(world.now()), session.step + 1
    sources = (item_id(session.next_item),)
    if not isinstance(command, Remember):
        fact = rules.forget(before, at=at, step=step, sources=sources)
        return rules.erased(fact) if isinstance(command, Erase) else fact
    return rules.remember(
        command.key,
        command.content,
        command.kind,
        before,
        keys=session.tally.keys,
        rules=world.rules,
        holds_secret=world.holds_secret,
        at=at,
        step=step,
        sources=sources,
    )


def _recorded(
    world: World, by: Principal, state: SessionState, fact: Fact, command: Command, known: dict[str, Fact]
) -> tuple[Session, Item, Version]:
    """The item that records the change and is its only source, read at once, and the version it makes (S11)."""
    session = state.session
    number = Ranges.span(session.next_item, session.next_item)
    timeline = replace(
        session.timeline, items=session.timeline.items | number, processed=session.timeline.processed | number
    )
    body = {"command": type(command).__name__, "key": fact.key, "by": {"type": str(by.type), "id": by.id}}
    person = Person(by.id, by.name) if by.type is PrincipalType.PERSON else None
    item = Item(number=session.next_item, type=ItemType.MEMORY, at=fact.updated_at, body=body, person=person)
    head = world.version_id(session.step + 1)
    after = advance(session, head=head, at=fact.updated_at, timeline=timeline, changes=[fact], before=known)
    version = made(after, Trigger(str(by.type)), changes=(fact,), by=by)
    return after, item, version


def made(session: Session, trigger: Trigger, **what: Unpack[Change]) -> Version:
    """The version of a session that has just come to its head."""
    return Version(
        id=session.head,
        step=session.step,
        at=session.updated_at,
        trigger=trigger,
        timeline=session.timeline,
        turn_model=session.turn_model,
        **what,
    )


def announce(world: World, org: str, view: Json, keys: Sequence[str], trigger: str) -> None:
    """Tell the bus that a session's memory changed."""
    tell_changed(world, org, {"session": view["session"]["id"], "revision": view["session"]["revision"]}, keys, trigger)


def tell_changed(world: World, org: str, changed: Json, keys: Sequence[str], trigger: str) -> None:
    """Ids and keys, no content, in as many events as it takes. It is news, so a lost one fails nothing."""
    measures.applied(world, len(keys), str(trigger))
    for some in batched(keys, KEYS_OF_EVENT, strict=False) if keys else [()]:
        detail = {"organization": org, **changed, "keys": list(some), "trigger": str(trigger)}
        world.bus.tell("openbot.memory", "Memory Changed", detail)
