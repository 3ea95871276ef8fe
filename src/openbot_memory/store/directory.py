"""The lists of an organization's sessions and of its agents, newest created first.

Creations of a busy organization are spread over several partitions by a hash of the id: one partition takes 1,000 write
units a second, and a list row takes two of them, or three with its place in the index. So 8 partitions take over 2,500
creations a second; beyond that a creation answers 503, changes nothing, and is repeated. A page merges the partitions.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import merge
from itertools import chain, islice
from typing import NamedTuple
from zlib import crc32

from openbot_memory.store import keys
from openbot_memory.store.memory import in_parallel
from openbot_memory.store.table import ABSENT, INDEX, PRESENT, Delete, Key, Put, Row, Table

PARTITIONS = 8


class Listed(NamedTuple):
    """An id in the list; in the order of these, the newest is the last."""

    created_at: int  # ms
    id: str

    @property
    def sk(self) -> str:
        return f"{self.created_at:015d}#{self.id}"


@dataclass(frozen=True, slots=True)
class Directory:
    """One list: `partition` is the key of one of its parts."""

    table: Table
    partition: Callable[[int], str]

    @classmethod
    def of_sessions(cls, table: Table, org: str) -> "Directory":
        return cls(table, lambda part: keys.sessions(org, part))

    @classmethod
    def of_agents(cls, table: Table, org: str) -> "Directory":
        return cls(table, lambda part: keys.agents(org, part))

    def add(self, listed: Listed, agent: str | None = None) -> Put:
        """To be written with what is listed. Under `agent`, it is found by that as well."""
        pk, sk = self._key(listed)
        found_by = {INDEX: f"{agent}#{sk}"} if agent else {}
        return Put({"pk": pk, "sk": sk, "id": listed.id, "created_at": listed.created_at, **found_by}, ABSENT)

    def remove(self, listed: Listed) -> Delete:
        """To be written with the deletion of what is listed."""
        return Delete(self._key(listed), PRESENT)

    def newest(self, limit: int, upto: Listed | None = None, agent: str | None = None) -> list[Listed]:
        """Up to `limit` ids, newest first, from `upto` on: one round of a Query a partition, seldom more."""
        usual = limit // PARTITIONS * 2 + 4  # rows of one partition that are needed, and some more
        prefix = f"{agent}#" if agent else ""
        until = upto.sk if upto else keys.LAST

        def pages(part: int) -> Iterator[list[Row]]:
            between = f"{prefix}0", prefix + until
            return self.table.query(
                self.partition(part), between=between, limit=usual, newest_first=True, index=bool(agent)
            )

        parts = [pages(part) for part in range(PARTITIONS)]
        first = list(in_parallel.map(next, parts))
        every = (
            (Listed(row["created_at"], row["id"]) for page in chain([page], rest) for row in page)
            for page, rest in zip(first, parts, strict=True)
        )
        return list(islice(merge(*every, reverse=True), limit))

    def _key(self, listed: Listed) -> Key:
        return self.partition(crc32(listed.id.encode()) % PARTITIONS), listed.sk
