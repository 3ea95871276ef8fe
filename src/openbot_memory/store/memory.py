"""A memory in the table: the facts of a session or the entries of an agent, beside the head row of either.

A fact's row carries the generation under which it was written. Only the generation that the head row names counts, so
any number of facts can be written before one row makes them visible.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Protocol

from openbot_memory.domain.errors import OpenBotError, Unavailable
from openbot_memory.domain.facts import Fact
from openbot_memory.domain.lookalike import marks
from openbot_memory.domain.session import Tally
from openbot_memory.store import keys, rows
from openbot_memory.store.table import ABSENT, Condition, ConditionFailed, Put, Row, Table, Write, flat

READS = 8  # of a memory that changes while it is read
in_parallel = ThreadPoolExecutor(4, thread_name_prefix="read")  # threads start with the first read, not at import


class Stale(Exception):
    """Somebody changed what this write was decided on: read again and decide again."""


class AlreadyKept(Exception):
    """The Idempotency-Key of this write has an answer already."""


class Head(Protocol):
    """What a session and an agent have in common: the row that says which state of a memory is the current one."""

    @property
    def generation(self) -> str: ...
    @property
    def step(self) -> int: ...
    @property
    def tally(self) -> Tally: ...


@dataclass(frozen=True, slots=True)
class Memory[H: Head]:
    """The head row and the facts of one partition."""

    table: Table
    org: str
    pk: str
    to_head: Callable[[Row], H]
    not_found: type[OpenBotError]

    def head(self, row: Row | None) -> H:
        """Raises SessionNotFound or AgentNotFound."""
        if row is None:
            raise self.not_found
        return self.to_head(row)

    def read_head(self) -> H:
        """One request. Raises as `head`."""
        return self.head(*self.table.get((self.pk, keys.HEAD)))

    def whole(self) -> tuple[H, list[Fact]]:
        """The head and all its facts, as of one moment: one Query a page. Raises as `head`, Unavailable."""
        for _ in range(READS):
            pages = list(self.table.query(self.pk, keys.HEAD))
            first, *others = flat(pages) or [None]
            head = self.head(first if first and first["sk"] == keys.HEAD else None)
            facts = [rows.to_fact(row) for row in others if row["generation"] == head.generation]
            if any(fact.step > head.step for fact in facts):
                continue  # a change came in between: its fact is newer than the head
            if len(pages) > 1 and self.read_head().generation != head.generation:
                continue  # a rewind came in between, and has perhaps removed facts of the later pages
            return head, facts
        raise Unavailable

    def under(self, key: str) -> dict[str, Fact]:
        """The fact of a key by generation, of each generation that has one."""
        found = flat(self.table.query(self.pk, keys.fact(key, "")))
        return {row["generation"]: rows.to_fact(row) for row in found}

    def page(self, head: H, after: str | None, limit: int, wanted: Callable[[Fact], bool]) -> list[Fact]:
        """Up to `limit` wanted facts in the order of their keys, behind the key `after`."""
        start: Row | None = {"pk": self.pk, "sk": f"{keys.FACTS}{after}{keys.END}~"} if after is not None else None
        found = list[Fact]()
        for page in self.table.query(self.pk, keys.FACTS, after=start, limit=limit):
            current = (rows.to_fact(row) for row in page if row["generation"] == head.generation)
            found += [fact for fact in current if wanted(fact)]
            if len(found) >= limit:
                break
        return found[:limit]

    def newest(self, head: H, characters: int) -> Iterator[Fact]:
        """Yield active facts, newest first, in pages that hold about so many characters of memory text."""
        average = max(1, head.tally.characters // max(1, head.tally.active))
        limit = min(head.tally.active, characters * 5 // 4 // average) + 1
        prefix = f"{head.generation}{keys.ACTIVE}"
        for page in self.table.query(self.pk, prefix, limit=limit, newest_first=True, index=True):
            yield from map(rows.to_fact, page)

    def forgotten_keys(self, head: H, limit: int) -> list[str]:
        """The keys of up to `limit` forgotten facts, newest first. One Query, none where nothing is forgotten."""
        if head.tally.keys == head.tally.active:
            return []
        prefix = f"{head.generation}{keys.FORGOTTEN}"
        return [
            row["key"] for row in next(self.table.query(self.pk, prefix, limit=limit, newest_first=True, index=True))
        ]

    def forgotten(self, head: H, digests: Iterable[str]) -> set[str]:
        """Those of the digests that a forgotten fact has (S6): one request for each 100, none if none is forgotten."""
        if head.tally.keys == head.tally.active:
            return set()
        wanted = ((self.pk, keys.mark(digest, head.generation)) for digest in set(digests))
        found = {mark["sk"]: mark["key"] for mark in self.table.existing(wanted)}
        facts = self.facts(head, set(found.values()))
        named = ((sk.removeprefix(keys.MARKS).partition(keys.END)[0], facts.get(key)) for sk, key in found.items())
        return {digest for digest, fact in named if fact and not fact.active and digest in marks(fact, self.org)}

    def facts(self, head: H, wanted: Iterable[str]) -> dict[str, Fact]:
        """The facts of the given keys, retracted ones too; one request for each 100 keys."""
        found = self.table.existing((self.pk, keys.fact(key, head.generation)) for key in wanted)
        return {row["key"]: rows.to_fact(row) for row in found}

    # Writing

    def writes(self, head: H, facts: Sequence[Fact], before: Mapping[str, Fact]) -> Iterator[Write]:
        """The facts of one change, each on the condition that it is as it was read, and the marks of forgotten ones."""
        for fact in facts:
            old = before.get(fact.key)
            unchanged = Condition.equals(step=old.step) if old else ABSENT
            yield Put(rows.fact_row(self.pk, head.generation, fact), unchanged)
        for digest, fact in self._marks(facts).items():
            earlier = Condition("attribute_not_exists(#pk) OR #step < :step", {"step": fact.step})
            yield Put(rows.mark_row(self.pk, head.generation, digest, fact), earlier)

    def _marks(self, facts: Iterable[Fact]) -> dict[str, Fact]:
        """The digests of the forgotten facts."""
        return {digest: fact for fact in facts if not fact.active for digest in marks(fact, self.org)}

    def write_ahead(self, generation: str, facts: Collection[Fact], base: int = 0) -> None:
        """Write facts under a generation that no head names yet.

        `base`: the revision that a rewind starts from, by which its leftovers are known.
        """
        self.table.write_unseen(rows.fact_row(self.pk, generation, fact, base) for fact in facts)
        self.table.write_unseen(
            rows.mark_row(self.pk, generation, digest, fact, base) for digest, fact in self._marks(facts).items()
        )

    def clean(self, head: H, revision: int) -> None:
        """Delete the rows of generations that nobody can reach any more: all but the current one and later ones."""
        left = (
            (self.pk, row["sk"])
            for prefix in (keys.FACTS, keys.MARKS)
            for page in self.table.query(self.pk, prefix)
            for row in page
            if row["generation"] != head.generation and row["base"] < revision
        )
        self.table.delete_unseen(left)

    # Erased facts

    def tombstones(self) -> dict[str, Fact]:
        """The tombstones of the erased facts, by key."""
        found = map(rows.to_fact, flat(self.table.query(self.pk, keys.TOMBSTONES)))
        return {tombstone.key: tombstone for tombstone in found}

    def bury(self, tombstone: Fact) -> Put:
        earlier = Condition("attribute_not_exists(#pk) OR #step < :step", {"step": tombstone.step})
        return Put(rows.tombstone_row(self.pk, tombstone), earlier)

    def scrub(self) -> None:
        """Remove the content of erased facts from all versions. Their keys stay, for the log.

        Where another scrubbing is at work, the second one fails and its event is tried again.
        """
        if not (tombstones := self.tombstones()):
            return
        for row in self._changes():
            changes = [rows.to_fact(change) for change in row["changes"]]
            scrubbed = [_scrubbed(change, tombstones) for change in changes]
            if scrubbed != changes:
                unchanged = Condition.equals(changes=row["changes"])
                self.table.commit(Put(row | rows.changes(scrubbed, row["removed"]), unchanged))

    def _changes(self) -> Iterator[Row]:
        """The rows that hold what versions changed."""
        for prefix in (keys.VERSIONS, keys.PARTS):
            for page in self.table.query(self.pk, prefix):
                yield from page


def _scrubbed(fact: Fact, tombstones: Mapping[str, Fact]) -> Fact:
    tombstone = tombstones.get(fact.key)
    if tombstone is None or fact.step >= tombstone.step:
        return fact
    return replace(tombstone, kind=fact.kind, step=fact.step, order=fact.order, updated_at=fact.updated_at)


def commit(table: Table, writes: Sequence[Write], also: Iterable[Write] = ()) -> None:
    """Write a change and, with `also`, its idempotency record. Raises Stale, AlreadyKept if only the record stands."""
    try:
        table.commit(*writes, *also)
    except ConditionFailed as failed:
        raise (AlreadyKept if min(failed.positions) >= len(writes) else Stale) from failed
