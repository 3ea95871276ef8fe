"""A lease for work that should be done once. It only saves money: what is written is right without it."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from openbot_memory.store.table import Condition, ConditionFailed, Delete, Key, Put, Table

KEPT = 3600  # seconds that the lease of a function that died stays in the table


@dataclass(frozen=True, slots=True)
class Lease:
    table: Table
    key: Key
    holder: str  # random, one for each taking

    @contextmanager
    def taken(self, now: int, length: int) -> Generator[bool]:
        """Hold the lease for up to `length` ms. Yields False where another holds it."""
        held = self._claim(now, now + length)
        try:
            yield held
        finally:
            if held:
                self._release()

    def taken_by(self) -> str | None:
        """The holder, as the table knows it."""
        (row,) = self.table.get(self.key)
        return row["holder"] if row else None

    def _claim(self, now: int, until: int) -> bool:
        """Take the lease unless another holder's still runs (times in ms)."""
        free = Condition(
            "attribute_not_exists(#pk) OR #until < :now OR #holder = :holder", {"now": now, "holder": self.holder}
        )
        pk, sk = self.key
        row = {"pk": pk, "sk": sk, "holder": self.holder, "until": until, "expires": until // 1000 + KEPT}
        try:
            self.table.commit(Put(row, free))
        except ConditionFailed:
            return False
        return True

    def _release(self) -> None:
        """Give the lease back; one that expired and went to another stays with that one."""
        try:
            self.table.commit(Delete(self.key, Condition.equals(holder=self.holder)))
        except ConditionFailed:
            return
