"""A session's history in the table: its items and versions, with those that a fork shares with its ancestors (S12).

Items and versions are never changed, so a fork does not copy them: its row `A` names the ancestors, from which number
on each one's rows count, and the steps of the line that led to the forked version. Only these are the fork's past.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import batched, pairwise
from typing import Literal, NamedTuple

from openbot_memory.domain.items import Item
from openbot_memory.domain.ranges import Ranges
from openbot_memory.domain.session import Session, Version, version_step
from openbot_memory.store import keys, rows
from openbot_memory.store.table import AT_ONCE, Row, Table


class Ancestor(NamedTuple):
    """An ancestor of a fork, and the first item and step that its own partition holds."""

    session: str
    items: int
    steps: int


class Past(NamedTuple):
    """What came before a fork: its ancestors, the oldest first, and the steps that led to the forked version."""

    ancestors: tuple[Ancestor, ...]
    line: Ranges

    @classmethod
    def of(cls, row: Row) -> "Past":
        return cls(tuple(Ancestor(*each) for each in row["ancestors"]), Ranges.parse(row["line"]))

    def row(self, pk: str) -> Row:
        return {"pk": pk, "sk": keys.ANCESTORS, "ancestors": self.ancestors, "line": str(self.line)}


ENDLESS = 10**12 - 1  # as many digits as a key's number has


@dataclass(frozen=True, slots=True)
class History:
    table: Table
    org: str

    def _pk(self, identifier: str) -> str:
        return keys.session(self.org, identifier)

    def items(self, session: Session, numbers: Ranges, limit: int | None = None) -> Iterator[Item]:
        """Yield the items of the given numbers in order, reading pages of `limit` as they are needed."""
        for owner, part in self._owned(session, numbers, "items"):
            for first, last in part.spans:
                for page in self.table.query(owner, between=(keys.item(first), keys.item(last)), limit=limit):
                    yield from map(rows.to_item, page)

    def some(self, session: Session, numbers: Ranges) -> dict[str, Item]:
        """The items of the given numbers, by id; one request for each 100."""
        found = dict[str, Item]()
        for owner, part in self._owned(session, numbers, "items"):
            for some in batched(part, AT_ONCE, strict=False):
                read = self.table.get(*((owner, keys.item(number)) for number in some))
                found |= {item.id: item for item in map(rows.to_item, filter(None, read))}
        return found

    def version(self, session: Session, identifier: str) -> Version | None:
        """Find a version by its id, in whichever partition it is; also one that a rewind has left."""
        step = version_step(identifier)
        if step is None or not 0 < step <= ENDLESS:
            return None
        if session.forked_from and step < session.forked_from.steps and step not in self._past(session).line:
            return None  # what its source did after the forked version, or had left by rewinding
        for owner, _ in self._owned(session, Ranges.span(step, step), "steps"):
            found = self.table.get(*((owner, keys.version(step, turn=turn)) for turn in (True, False)))
            return next((rows.to_version(row) for row in found if row and row["id"] == identifier), None)
        return None

    def change(self, session: Session, step: int) -> Version | None:
        """The change of memory that a step of the timeline made."""
        for owner, _ in self._owned(session, Ranges.span(step, step), "steps"):
            (row,) = self.table.get((owner, keys.version(step, turn=False)))
            return rows.to_version(row) if row else None
        return None

    def changes(self, session: Session, steps: Ranges) -> Iterator[Version]:
        """Yield the versions among these steps that changed memory, oldest first."""
        for owner, part in self._owned(session, steps, "steps"):
            for first, last in part.spans:
                between = keys.version(first, turn=False), keys.version(last, turn=False)
                for page in self.table.query(owner, between=between):
                    yield from map(rows.to_version, page)

    def log(self, session: Session, before: int | None, limit: int) -> list[Version]:
        """Up to `limit` memory changes of this session itself, newest first, from below step `before`."""
        between = keys.version(0, turn=False), keys.version((before or ENDLESS + 1) - 1, turn=False)
        pages = self.table.query(self._pk(session.id), between=between, limit=limit, newest_first=True)
        return [rows.to_version(row) for row in next(pages)]

    def _owned(
        self, session: Session, numbers: Ranges, which: Literal["items", "steps"]
    ) -> Iterator[tuple[str, Ranges]]:
        """Split numbers of items or steps by the partitions that hold them, in order."""
        origin = session.forked_from
        own_from: int = getattr(origin, which) if origin else 1
        if origin and numbers.upto(own_from - 1):
            owners = [*self._past(session).ancestors, Ancestor(session.id, origin.items, origin.steps)]
            for owner, following in pairwise(owners):
                part = numbers.after(getattr(owner, which) - 1).upto(getattr(following, which) - 1)
                if part:
                    yield self._pk(owner.session), part
        if own := numbers.after(own_from - 1):
            yield self._pk(session.id), own

    def _past(self, fork: Session) -> Past:
        (row,) = self.table.get((self._pk(fork.id), keys.ANCESTORS))
        return Past.of(row) if row else Past((), Ranges())

    def past_of_fork(self, source: Session, version: Version) -> Past:
        """The past that a fork of this session at this version has."""
        own = source.forked_from
        itself = Ancestor(source.id, own.items if own else 1, own.steps if own else 1)
        return Past((*(self._past(source).ancestors if own else ()), itself), version.timeline.steps)
