"""Sessions and their facts: how they are read whole, and how a change is written in one transaction."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import batched
from typing import Any, NamedTuple

from openbot_memory.domain.errors import SessionNotFound, Unavailable
from openbot_memory.domain.facts import Fact
from openbot_memory.domain.items import Item
from openbot_memory.domain.session import Session, Version
from openbot_memory.domain.settings import Organization
from openbot_memory.store import keys, rows
from openbot_memory.store.history import Line
from openbot_memory.store.table import (
    ABSENT,
    PRESENT,
    Check,
    Condition,
    ConditionFailed,
    Delete,
    Put,
    Row,
    Table,
    Write,
)

AT_ONCE = 100  # keys of one request, DynamoDB's limit
READS = 8  # of a memory that changes while it is read
_beside = ThreadPoolExecutor(4, thread_name_prefix="read")  # threads start with the first read, not at import


class Stale(Exception):
    """Somebody changed what this write was decided on: read again and decide again."""


class AlreadyKept(Exception):
    """The Idempotency-Key of this write has an answer already."""


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

    def exists(self, identifier: str) -> bool:
        """Whether the id is taken, also by a session whose rows are going."""
        pk = self.pk(identifier)
        return any(self.table.get((pk, keys.HEAD), (pk, keys.DELETED)))

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

    def facts(self, session: Session, wanted: Iterable[str]) -> dict[str, Fact]:
        """Return the facts of the given keys, retracted ones too; one request for each 100 keys."""
        every = (keys.fact(key, session.generation) for key in wanted)
        pk = self.pk(session.id)
        found = _flat(self.table.get(*((pk, sk) for sk in some)) for some in batched(every, AT_ONCE, strict=False))
        return {row["key"]: rows.to_fact(row) for row in found if row}

    def state_with_turn(self, identifier: str, turn: str) -> tuple[SessionState, Row | None]:
        """One request: the state, and what was kept of a turn."""
        pk = self.pk(identifier)
        head, settings, kept = self.table.get((pk, keys.HEAD), keys.organization(self.org), (pk, keys.turn(turn)))
        if head is None:
            raise SessionNotFound
        return SessionState(rows.to_session(head), rows.to_organization(settings)), kept

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
        receipt: Put | None = None,
        erased: Fact | None = None,
        also: Iterable[Write] = (),
    ) -> None:
        """Write one change in one transaction, with `also` what keeps its answer.

        Raises Stale if the session or one of its facts is not as before, AlreadyKept if only an answer stands.
        """
        pk, known = self.pk(after.id), facts_before or {}
        writes: list[Write] = [Put(rows.session_row(pk, after), _as(before))]
        writes += [] if before else [self._not_going(after.id)]
        for fact in facts:
            old = known.get(fact.key)
            unchanged = Condition.equals(step=old.step) if old else ABSENT
            writes.append(Put(rows.fact_row(pk, after.generation, fact), unchanged))
        writes += [Put(rows.item_row(pk, item), ABSENT) for item in items]
        writes += [Put(rows.version_row(pk, version), ABSENT)] if version else []
        writes += [receipt] if receipt else []
        if erased:
            earlier = Condition("attribute_not_exists(#pk) OR #step < :step", {"step": erased.step})
            writes.append(Put(rows.erased_row(pk, erased), earlier))
        self._commit(writes, also)

    def keep(self, answer: Sequence[Write]) -> None:
        """Keep the answer of a request that changed nothing. Raises AlreadyKept."""
        if answer:
            self._commit([], answer)

    def create_fork(self, fork: Session, version: Version, ancestors: Sequence[Line], also: Iterable[Write]) -> None:
        """Write a new fork. Raises Stale if a session has this id, or the source is gone."""
        pk, source = self.pk(fork.id), self.pk(ancestors[-1].session)
        needed = Line(fork.id, fork.next_item, fork.step)
        writes = [
            Put(rows.session_row(pk, fork), ABSENT),
            Put(rows.version_row(pk, version), ABSENT),
            Put({"pk": pk, "sk": keys.ANCESTORS, "lines": [list(line) for line in ancestors]}, ABSENT),
            self._not_going(fork.id),
            Check((source, keys.HEAD), PRESENT),
            Put({"pk": source, "sk": f"{keys.FORKS}{fork.id}", "line": list(needed)}, ABSENT),
        ]
        self._commit(writes, also)

    def _not_going(self, identifier: str) -> Check:
        """An id is free again only when the last row of a deleted session is gone."""
        return Check((self.pk(identifier), keys.DELETED), ABSENT)

    def _commit(self, writes: Sequence[Write], also: Iterable[Write]) -> None:
        try:
            self.table.commit(*writes, *also)
        except ConditionFailed as failed:
            raise (AlreadyKept if min(failed.positions) >= len(writes) else Stale) from failed

    def reserve(self, session: Session, count: int) -> Session:
        """Take the next item numbers for one writer alone. The revision stays. Raises Stale."""
        after = replace(session, next_item=session.next_item + count)
        self.commit(session, after)
        return after

    def write_items(self, identifier: str, items: Iterable[Item]) -> None:
        """Write items under reserved numbers; no version names them yet."""
        self.table.write_unseen(rows.item_row(self.pk(identifier), item) for item in items)

    def turn_receipt(self, identifier: str, turn: str, digest: str, answer: str) -> Put:
        row = {"pk": self.pk(identifier), "sk": keys.turn(turn), "digest": digest, "answer": answer}
        return Put(row, ABSENT)

    # Facts under a generation that no session row names yet, or any more

    def write_facts(self, identifier: str, generation: str, facts: Iterable[Fact], base: int = 0) -> None:
        """`base`: the revision that a rewind starts from, by which its leftovers are known."""
        pk = self.pk(identifier)
        self.table.write_unseen(rows.fact_row(pk, generation, fact, base) for fact in facts)

    def erased(self, identifier: str) -> dict[str, Fact]:
        """The stubs of the facts that were erased for good."""
        stubs = map(rows.to_fact, _flat(self.table.query(self.pk(identifier), keys.ERASED)))
        return {stub.key: stub for stub in stubs}

    def write_erased(self, identifier: str, stubs: Iterable[Fact]) -> None:
        """Take over into a fork, before it is there, what its source has erased."""
        self.table.write_unseen(rows.erased_row(self.pk(identifier), stub) for stub in stubs)

    def clean(self, session: Session) -> None:
        """Delete facts of generations that nobody can reach any more: all but the current one and any begun since."""
        pk = self.pk(session.id)
        left = (
            (pk, row["sk"])
            for page in self.table.query(pk, keys.FACTS)
            for row in page
            if row["generation"] != session.generation and row["base"] < session.revision
        )
        self.table.delete_unseen(left)

    # The lease of the consolidation at work

    def claim(self, identifier: str, holder: str, now: int, until: int) -> bool:
        """Take the lease unless another holder's still runs (times in ms)."""
        free = Condition(
            "attribute_not_exists(#pk) OR #until < :now OR #holder = :holder", {"now": now, "holder": holder}
        )
        expires = until // 1000 + 3600  # of a worker that died
        row = {"pk": self.pk(identifier), "sk": keys.LEASE, "holder": holder, "until": until, "expires": expires}
        try:
            self.table.commit(Put(row, free))
        except ConditionFailed:
            return False
        return True

    def release(self, identifier: str, holder: str) -> None:
        """Give the lease back; one that expired and went to another stays with that one."""
        try:
            self.table.commit(Delete((self.pk(identifier), keys.LEASE), Condition.equals(holder=holder)))
        except ConditionFailed:
            return


def _as(before: Session | None) -> Condition:
    """The session row is as it was read, reservations included."""
    if before is None:
        return ABSENT
    return Condition.equals(revision=before.revision, next_item=before.next_item)


def _flat(pages: Iterable[Sequence[Row | None]]) -> list[Any]:
    return [row for page in pages for row in page]
