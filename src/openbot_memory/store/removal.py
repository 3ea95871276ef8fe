"""Deleting a session's rows, and the content of erased facts from its versions. Every step may be repeated."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from openbot_memory.domain.facts import Fact
from openbot_memory.domain.session import Session, Version
from openbot_memory.store import keys, rows
from openbot_memory.store.history import Line
from openbot_memory.store.sessions import Stale
from openbot_memory.store.table import ABSENT, PRESENT, Condition, ConditionFailed, Delete, Put, Row, Table, Write


@dataclass(frozen=True, slots=True)
class Removal:
    table: Table
    org: str

    def _pk(self, identifier: str) -> str:
        return keys.session(self.org, identifier)

    # A whole session

    def begin(self, session: Session, now: int) -> None:
        """Take the session away from every reader and writer at once. Raises Stale if it changed meanwhile."""
        pk = self._pk(session.id)
        unchanged = Condition.equals(revision=session.revision)
        try:
            self.table.commit(
                Delete((pk, keys.HEAD), unchanged), Put({"pk": pk, "sk": keys.DELETED, "at": now}, ABSENT)
            )
        except ConditionFailed as failed:
            raise Stale from failed

    def deleted_at(self, identifier: str) -> int | None:
        """When the deletion began (ms); None if there is none or it is done."""
        row = self.table.get((self._pk(identifier), keys.DELETED))[0]
        return row["at"] if row else None

    def purge(self, identifier: str) -> None:
        """Delete every row but what forks still need."""
        pk = self._pk(identifier)
        needed = self._forks(identifier)
        items, steps = max((fork.items for fork in needed), default=0), max((fork.steps for fork in needed), default=0)
        spans = (
            (keys.item(0), keys.item(items)),
            (keys.version(0, turn=True), keys.version(steps, turn=True)),
            (keys.version(0, turn=False), keys.version(steps, turn=False)),
            (keys.FORKS, keys.FORKS + "~"),
        )

        def stays(sk: str) -> bool:
            return sk in {keys.DELETED, keys.ANCESTORS} or any(first <= sk < last for first, last in spans)

        self.table.delete_unseen(
            (pk, row["sk"]) for page in self.table.query(pk) for row in page if not stays(row["sk"])
        )

    def finish(self, identifier: str) -> str | None:
        """Delete the last rows unless forks need some, and return the session that this one was a fork of."""
        if self._forks(identifier):
            return None
        pk = self._pk(identifier)
        (ancestors,) = self.table.get((pk, keys.ANCESTORS))
        parent = Line(*ancestors["lines"][-1]).session if ancestors else None
        writes: list[Write] = [Delete((pk, keys.DELETED), PRESENT)]
        if parent:
            fork = self._pk(parent), f"{keys.FORKS}{identifier}"
            writes += [Delete((pk, keys.ANCESTORS), PRESENT), Delete(fork, PRESENT)]
        self.table.commit(*writes)
        return parent

    def _forks(self, identifier: str) -> list[Line]:
        return [Line(*row["line"]) for page in self.table.query(self._pk(identifier), keys.FORKS) for row in page]

    # The content of facts that were erased

    def scrub(self, identifier: str, erased: Mapping[str, Fact]) -> None:
        """Take the content of erased facts out of this session's versions. The key stays, for the log."""
        for row in self._versions(identifier):
            version = rows.to_version(row)
            changes = tuple(_scrubbed(fact, erased) for fact in version.changes)
            if changes != version.changes:
                self._rewrite(row, replace(version, changes=changes))

    def _versions(self, identifier: str) -> Iterator[Row]:
        for page in self.table.query(self._pk(identifier), keys.version(0, turn=False)[:2]):
            yield from page

    def _rewrite(self, row: Row, version: Version) -> None:
        """Another scrubbing may be at work: whoever comes second is repeated by its own event's retry."""
        self.table.commit(Put(rows.version_row(row["pk"], version), Condition.equals(changes=row["changes"])))


def _scrubbed(fact: Fact, erased: Mapping[str, Fact]) -> Fact:
    stub = erased.get(fact.key)
    if stub is None or fact.step >= stub.step:
        return fact
    return replace(stub, kind=fact.kind, step=fact.step, order=fact.order, updated_at=fact.updated_at)
