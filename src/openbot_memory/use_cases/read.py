"""What only reads: a session's view, memory, log, items and instructions, and the organization's settings."""

from collections.abc import Callable
from dataclasses import dataclass

from openbot_memory.domain.errors import InvalidRequest, Unavailable
from openbot_memory.domain.facts import Fact, Kind, Status
from openbot_memory.domain.ranges import Ranges
from openbot_memory.domain.session import Session
from openbot_memory.domain.settings import effective
from openbot_memory.domain.text import SESSION_HEADING, MemoryText, memory_text
from openbot_memory.store.sessions import READS, SessionState
from openbot_memory.use_cases.cursors import seal, unseal
from openbot_memory.use_cases.ports import Json, Reader
from openbot_memory.use_cases.views import (
    item_view,
    memory_view,
    organization_view,
    session_view,
    version_view,
)

PAGE = 100  # of a list, unless asked otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    limit: int = PAGE
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which facts of a memory are asked for: all of them, or a page."""

    status: Status | None = None
    kind: Kind | None = None
    limit: int | None = None
    cursor: str | None = None

    def __call__(self, fact: Fact) -> bool:
        return self.status in {None, fact.status} and self.kind in {None, fact.kind}


def session(reader: Reader, org: str, identifier: str) -> Json:
    return session_view(*reader.sessions(org).state(identifier))


def organization(reader: Reader, org: str) -> Json:
    return organization_view(reader.sessions(org).organization())


def memory(reader: Reader, org: str, identifier: str, wanted: Wanted) -> Json:
    """S1: everything at once, or a page in the order of the keys."""
    if wanted.limit is None and wanted.cursor is None:
        state, facts = reader.sessions(org).memory(identifier)
        return memory_view(*state, [fact for fact in facts if wanted(fact)])
    return _memory_page(reader, org, identifier, wanted)


def _memory_page(reader: Reader, org: str, identifier: str, wanted: Wanted) -> Json:
    sessions, limit = reader.sessions(org), wanted.limit or PAGE
    state = sessions.state(identifier)
    for _ in range(READS):
        after = _place_of_key(reader, org, state.session, wanted.cursor)
        facts = sessions.page(state.session, after, limit + 1, wanted)
        seen, state = state, sessions.state(identifier)
        if state.session.generation == seen.session.generation:
            view = memory_view(*seen, facts[:limit])
            return view | _more(seen.session, "memory", facts, limit, lambda fact: (fact.step, fact.order))
    raise Unavailable


def _more[T](
    session: Session, name: str, found: list[T], limit: int, place: Callable[[T], tuple[int, ...]]
) -> dict[str, str]:
    """The cursor behind the last one shown, where there is more."""
    if len(found) <= limit:
        return {}
    return {"cursor": seal(session.generation, name, *place(found[limit - 1]))}


def _place_of_key(reader: Reader, org: str, session: Session, cursor: str | None) -> str | None:
    """The key that a cursor stands behind: it names the change that wrote the fact, so that it need not name the key.

    The fact may have changed since; the version that wrote it then is still there.
    """
    if cursor is None:
        return None
    step, order = unseal(session.generation, "memory", cursor)
    for version in reader.history(org).changes(session, Ranges.span(step, step)):
        for fact in version.changes:
            if fact.order == order:
                return fact.key
    raise InvalidRequest.at("cursor", "The fact that this cursor stands behind is gone. Begin again without it.")


def items(reader: Reader, org: str, identifier: str, page: Page) -> Json:
    """The items of the current timeline, oldest first."""
    session = reader.sessions(org).state(identifier).session
    (last,) = unseal(session.generation, "items", page.cursor) if page.cursor else [0]
    numbers = session.timeline.items.after(last).first(page.limit + 1)
    shown = numbers.first(page.limit)
    found = reader.history(org).items(session, shown, limit=page.limit)
    cursor = seal(session.generation, "items", shown.last) if len(numbers) > page.limit else None
    return {"items": [item_view(item) for item in found], "cursor": cursor}


def log(reader: Reader, org: str, identifier: str, page: Page) -> Json:
    """Every change of the memory, newest first, also those on branches that were left."""
    session = reader.sessions(org).state(identifier).session
    (before,) = unseal(session.generation, "log", page.cursor) if page.cursor else [None]
    found = reader.history(org).log(session, before, page.limit + 1)
    more = _more(session, "log", found, page.limit, lambda version: (version.step,))
    return {"log": [version_view(version) for version in found[: page.limit]], "cursor": None} | more


def instructions(reader: Reader, org: str, identifier: str) -> Json:
    """The text for the next turn (S4), with how many facts it holds and how many were left out."""
    state = reader.sessions(org).state(identifier)
    block = _session_block(reader, org, state)
    return {"text": block.text, "session": _counts(block, state.session.tally.active), "agent": _counts(NO_BLOCK, 0)}


NO_BLOCK = MemoryText("", 0)


def _session_block(reader: Reader, org: str, state: SessionState) -> MemoryText:
    if not effective(state.organization, state.session.overrides)["use"]:
        return NO_BLOCK
    newest = reader.sessions(org).newest(state.session, reader.rules.max_length)
    return memory_text(SESSION_HEADING, newest, reader.rules.max_length)


def _counts(block: MemoryText, active: int) -> Json:
    return {"shown": block.shown, "omitted": max(0, active - block.shown) if block.text else 0}
