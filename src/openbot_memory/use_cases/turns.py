"""Append a finished, cancelled or failed turn to a session, and put its event on the bus."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

from openbot_memory.domain.errors import KeyReused, TooLarge
from openbot_memory.domain.facts import Person
from openbot_memory.domain.items import Item, ItemType
from openbot_memory.domain.ranges import Ranges
from openbot_memory.domain.session import Expected, Session, Trigger, advance
from openbot_memory.store.sessions import SessionState
from openbot_memory.use_cases.views import session_view
from openbot_memory.use_cases.world import Call, Json, World, until_committed

MAX_ITEMS = 1000  # of one turn
MAX_TEXT = 256 * 1024  # UTF-8 bytes of one item's text and arguments
AT_ONCE = 20  # items that go into the turn's own transaction
AT_ONCE_BYTES = 1_000_000  # and their size; a transaction holds 4 MB


class TurnStatus(StrEnum):
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"


class NewItem(NamedTuple):
    """`person`: who says it, where that is not the turn's person."""

    type: ItemType
    body: Mapping[str, Any]
    person: Person | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """`model` None: only an app's action. `queue_empty`: the agent has nothing more to do (A3)."""

    id: str
    model: str | None
    items: Sequence[NewItem]
    status: TurnStatus = TurnStatus.FINISHED
    person: Person | None = None
    queue_empty: bool = True

    @property
    def digest(self) -> str:
        """Differs for another turn under the same id."""
        fields = [self.id, self.model, [list(item) for item in self.items], self.status, self.person, self.queue_empty]
        return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def append(world: World, call: Call, identifier: str, turn: Turn, expected: Expected | None) -> Json:
    """Append the turn once, however often it is sent. It succeeds only when its event is on the bus as well.

    Raises TooLarge, KeyReused for the same id with another body, SessionConflict, Unavailable.
    """
    sizes = [_size(item) for item in turn.items]
    if len(sizes) > MAX_ITEMS:
        raise TooLarge("A turn holds at most 1000 items.", limit=MAX_ITEMS, length=len(sizes))
    if largest := max((size for size in sizes if size > MAX_TEXT), default=0):
        raise TooLarge("An item's text has at most 256 KB.", limit=MAX_TEXT, length=largest)
    at_once = len(sizes) <= AT_ONCE and sum(sizes) <= AT_ONCE_BYTES
    writer = _Writer(world, call, identifier, turn, expected, at_once=at_once)
    done = until_committed(writer.attempt)
    if turn.status is TurnStatus.FINISHED:
        world.bus.put("openbot.sessions", "Turn Finished", _event(call.org, turn, done.session))
    if done.repeated:
        world.keep(call.keep(done.view))
    return done.view


class _Done(NamedTuple):
    view: Json
    session: Session
    repeated: bool


def _size(item: NewItem) -> int:
    arguments = item.body.get("arguments")
    text = item.body.get("text", "")
    return len(text.encode()) + (len(json.dumps(arguments, ensure_ascii=False).encode()) if arguments else 0)


def _event(org: str, turn: Turn, session: Session) -> Json:
    """Ids only, no content."""
    return {
        "organization": org,
        "session": session.id,
        "turn": turn.id,
        "agent": session.agent,
        "model": turn.model,
        "queueEmpty": turn.queue_empty,
    }


class _Writer:
    """One turn being written. A long one's items are written first, under numbers that no other writer gets."""

    def __init__(
        self, world: World, call: Call, identifier: str, turn: Turn, expected: Expected | None, *, at_once: bool
    ) -> None:
        self.world, self.call, self.identifier, self.turn, self.expected = world, call, identifier, turn, expected
        self.sessions = world.sessions(call.org)
        self.at_once = at_once
        self.written: Ranges | None = None

    def attempt(self) -> _Done:
        state, kept = self.sessions.state_with_turn(self.identifier, self.turn.id)
        if kept:
            if kept["digest"] != self.turn.digest:
                raise KeyReused
            return _Done(json.loads(kept["answer"]), state.session, repeated=True)
        if self.expected:
            self.expected.check(state.session)
        if not self.at_once and self.written is None:
            state = self._write_ahead(state)
        return self._commit(state)

    def _write_ahead(self, state: SessionState) -> SessionState:
        first, count = state.session.next_item, len(self.turn.items)
        session = self.sessions.reserve(state.session, count)
        self.written = Ranges.span(first, first + count - 1)
        self.sessions.write_items(self.identifier, self._items(self.written, session.later(self.world.now())))
        return state._replace(session=session)

    def _commit(self, state: SessionState) -> _Done:
        session, turn = state.session, self.turn
        first = session.next_item
        numbers = self.written or Ranges.span(first, first + len(turn.items) - 1)
        at = session.later(self.world.now())
        timeline = replace(session.timeline, items=session.timeline.items | numbers)
        if turn.status is TurnStatus.FINISHED and turn.model:
            timeline = replace(timeline, readable=timeline.items.last)
            session = replace(session, turn_model=turn.model)
        after = advance(session, head=self.world.version_id(session.step + 1), at=at, timeline=timeline)
        view = session_view(after, state.organization)
        record = self.sessions.turn_record(self.identifier, turn.id, turn.digest, json.dumps(view, ensure_ascii=False))
        self.sessions.commit(
            state.session,
            after,
            items=() if self.written else self._items(numbers, at),
            version=after.current(Trigger.TURN),
            record=record,
            also=self.call.keep(view),
        )
        return _Done(view, after, repeated=False)

    def _items(self, numbers: Ranges, at: int) -> list[Item]:
        turn = self.turn
        return [
            Item(
                number=number, type=new.type, at=at, body=dict(new.body), turn=turn.id, person=new.person or turn.person
            )
            for number, new in zip(numbers, turn.items, strict=True)
        ]
