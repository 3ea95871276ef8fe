"""Sessions and their facts: how they are read whole, and how a change is written in one transaction."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from openbot_memory.domain.errors import SessionNotFound, Unavailable
from openbot_memory.domain.facts import Fact
from openbot_memory.domain.items import Item
from openbot_memory.domain.session import Session, Version
from openbot_memory.domain.settings import Organization
from openbot_memory.store import keys, rows
from openbot_memory.store.table import ABSENT, Condition, ConditionFailed, Delete, Put, Row, Table, Write

READS = 8  # of a memory that changes while it is read
_beside = ThreadPoolExecutor(4, thread_name_prefix="read")  # threads start with the first read, not at import


class Stale(Exception):
    """Somebody changed what this write was decided on: read again and decide again."""


class SessionState(NamedTuple):
    session: Session
    organization: Organization


@dataclass(frozen=True, slots=True)
class Sessions:
    table: Table
    org: str

    def pk(self, identifier: str) -> str:
        return keys.session(self.org, identifier)

    # Reading

    def organization(self) -> Organization:
        """Read the organization's settings."""
        return rows.to_organization(self.table.get(keys.organization(self.org))[0])

    def state(self, identifier: str) -> SessionState:
        """One request: the session and the organization's settings. Raises SessionNotFound."""
        head, settings = self.table.get((self.pk(identifier), keys.HEAD), keys.organization(self.org))
        if head is None:
            raise SessionNotFound
        return SessionState(rows.to_session(head), rows.to_organization(settings))

    def state_with(self, identifier: str, key: str) -> tuple[SessionState, Fact | None]:
        """One round of two requests: the state, and the fact of a key under whichever generation is current."""
        pages = _beside.submit(lambda: _flat(self.table.query(self.pk(identifier), keys.fact(key, ""))))
        state = self.state(identifier)
        found = (row for row in pages.result() if row["generation"] == state.session.generation)
        return state, next(map(rows.to_fact, found), None)

    def memory(self, identifier: str) -> tuple[SessionState, list[Fact]]:
        """One Query a page: the session and all its facts, as of one moment. Raises SessionNotFound."""
        settings = _beside.submit(self.table.get, keys.organization(self.org))
        for _ in range(READS):
            pages = list(self.table.query(self.pk(identifier), keys.HEAD))
            head, *others = _flat(pages) or [None]
            if head is None or head["sk"] != keys.HEAD:
                raise SessionNotFound
            session = rows.to_session(head)
            facts = [rows.to_fact(row) for row in others if row["generation"] == session.generation]
            if any(fact.step > session.step for fact in facts):
                continue  # a change came in between: its fact is newer than the session row
            if len(pages) > 1 and self.state(identifier).session.generation != session.generation:
                continue  # a rewind came in between, and has perhaps removed facts of the later pages
            return SessionState(session, rows.to_organization(settings.result()[0])), facts
        raise Unavailable

    def page(self, session: Session, after: str | None, limit: int, wanted: Callable[[Fact], bool]) -> list[Fact]:
        """Up to `limit` wanted facts in the order of their keys, behind the key `after`."""
        pk = self.pk(session.id)
        start: Row | None = {"pk": pk, "sk": f"{keys.FACTS}{after}{keys.END}~"} if after is not None else None
        found = list[Fact]()
        for page in self.table.query(pk, keys.FACTS, after=start, limit=limit):
            current = (rows.to_fact(row) for row in page if row["generation"] == session.generation)
            found += [fact for fact in current if wanted(fact)]
            if len(found) >= limit:
                break
        return found[:limit]

    def newest(self, session: Session, characters: int) -> Iterator[Fact]:
        """Yield active facts, newest first, in pages that hold about so many characters of memory text."""
        average = max(1, session.tally.characters // max(1, session.tally.active))
        limit = min(session.tally.active, characters * 5 // 4 // average) + 1
        prefix = f"{session.generation}#"
        for page in self.table.query(self.pk(session.id), prefix, limit=limit, newest_first=True, index=True):
            yield from map(rows.to_fact, page)

    def facts(self, session: Session, wanted: Sequence[str]) -> dict[str, Fact]:
        """Return the facts of the given keys (at most 100), retracted ones too."""
        if not wanted:
            return {}
        pk = self.pk(session.id)
        found = self.table.get(*((pk, keys.fact(key, session.generation)) for key in wanted))
        return {row["key"]: rows.to_fact(row) for row in found if row}

    def answer_of_turn(self, identifier: str, turn: str) -> Row | None:
        return self.table.get((self.pk(identifier), f"R#{turn}"))[0]

    # Writing

    def commit(
        self,
        before: Session | None,
        after: Session,
        *,
        facts: Iterable[Fact] = (),
        facts_before: Mapping[str, Fact] | None = None,
        items: Iterable[Item] = (),
        version: Version | None = None,
        also: Iterable[Write] = (),
    ) -> None:
        """Write one change in one transaction. Raises Stale if the session or one of its facts is not as before."""
        pk, known = self.pk(after.id), facts_before or {}
        writes: list[Write] = [Put(rows.session_row(pk, after), _as(before))]
        for fact in facts:
            old = known.get(fact.key)
            unchanged = Condition.equals(step=old.step) if old else ABSENT
            writes.append(Put(rows.fact_row(pk, after.generation, fact), unchanged))
        writes += [Put(rows.item_row(pk, item), ABSENT) for item in items]
        writes += [Put(rows.version_row(pk, version), ABSENT)] if version else []
        try:
            self.table.commit(*writes, *also)
        except ConditionFailed as failed:
            raise Stale from failed

    def reserve(self, session: Session, count: int) -> Session:
        """Take the next item numbers for one writer alone. The revision stays. Raises Stale."""
        after = replace(session, next_item=session.next_item + count)
        self.commit(session, after)
        return after

    def write_items(self, identifier: str, items: Iterable[Item]) -> None:
        """Write items under reserved numbers; no version names them yet."""
        self.table.write_unseen(rows.item_row(self.pk(identifier), item) for item in items)

    def turn_receipt(self, identifier: str, turn: str, fields: Row) -> Put:
        return Put({"pk": self.pk(identifier), "sk": f"R#{turn}", **fields}, ABSENT)

    # The lease of the consolidation at work

    def claim(self, identifier: str, holder: str, now: int, until: int) -> bool:
        """Take the lease unless another holder's still runs (times in ms)."""
        free = Condition(
            "attribute_not_exists(#pk) OR #until < :now OR #holder = :holder", {"now": now, "holder": holder}
        )
        row = {"pk": self.pk(identifier), "sk": "W", "holder": holder, "until": until}
        try:
            self.table.commit(Put(row, free))
        except ConditionFailed:
            return False
        return True

    def release(self, identifier: str, holder: str) -> None:
        """Give the lease back; one that expired and went to another stays with that one."""
        try:
            self.table.commit(Delete((self.pk(identifier), "W"), Condition.equals(holder=holder)))
        except ConditionFailed:
            return


def _as(before: Session | None) -> Condition:
    """The session row is as it was read, reservations included."""
    if before is None:
        return ABSENT
    return Condition.equals(revision=before.revision, next_item=before.next_item)


def _flat(pages: Iterable[list[Row]]) -> list[Any]:
    return [row for page in pages for row in page]
