"""What requests cost in DynamoDB's units, by the rules that AWS publishes, from the sizes of the rows.

A consistent read: 1 unit for each begun 4 KB, of a Query's whole page, of each row of a BatchGetItem. A write: 1 unit
for each begun KB of the larger of the row before and after, twice that in a transaction; beside it, once,
what changes in the index. A condition check in a transaction counts as a write of the row.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

type Row = Mapping[str, Any]
type Request = Mapping[str, Any]

READ, WRITE = 4096, 1024  # bytes of one unit
INDEX_KEY = "recency"
READS = {"Query", "BatchGetItem"}


def row_size(row: Row) -> int:
    return sum(len(name.encode()) + _value_size(value) for name, value in row.items())


def _value_size(value: Mapping[str, Any]) -> int:
    ((kind, inner),) = value.items()
    match kind:
        case "S":
            return len(inner.encode())
        case "N":
            digits = inner.lstrip("-")
            pairs = re.sub("(00)+$", "", digits.zfill(len(digits) + len(digits) % 2))
            return len(pairs) // 2 + 1 + inner.startswith("-")
        case "L":
            return 3 + sum(1 + _value_size(each) for each in inner)
        case "M":
            return 3 + sum(1 + len(name.encode()) + _value_size(each) for name, each in inner.items())
        case "BOOL" | "NULL":
            return 1
        case _:
            raise ValueError(f"rows hold no {kind}")


def _units(size: int, unit: int) -> int:
    return max(1, -(-size // unit))


def read_units(request: Request, answer: Mapping[str, Any]) -> int:
    """Of a consistent Query or BatchGetItem; a row that is not there costs one unit."""
    if "RequestItems" not in request:
        assert request["ConsistentRead"]
        return _units(sum(map(row_size, answer["Items"])), READ)
    ((table, asked),) = request["RequestItems"].items()
    assert asked["ConsistentRead"]
    found = answer["Responses"].get(table, [])
    return sum(_units(row_size(row), READ) for row in found) + len(asked["Keys"]) - len(found)


class Stored(NamedTuple):
    """What is known of a row in the table: its size, its place in the index, and what tells it from another."""

    size: int
    place: str | None
    digest: bytes

    @classmethod
    def of(cls, row: Row) -> "Stored":
        place = row.get(INDEX_KEY, {}).get("S")
        text = json.dumps(row, sort_keys=True) if place else ""
        return cls(row_size(row), place, hashlib.md5(text.encode(), usedforsecurity=False).digest())


class Ledger:
    """Knows all rows of a table from what was written, so that it can tell what the next write costs."""

    def __init__(self) -> None:
        self.rows = dict[tuple[str, str], Stored]()

    def write(self, request: Request) -> int:
        """Note a request that succeeded, and say how many units it took."""
        if "RequestItems" in request:
            ((_, writes),) = cast("Mapping[str, list[Row]]", request["RequestItems"]).items()
            return self._all(writes, 1)
        return self._all(request["TransactItems"], 2)

    def _all(self, writes: Iterable[Row], factor: int) -> int:
        return sum(self._one(kind, body, factor) for write in writes for kind, body in write.items())

    def _one(self, kind: str, body: Row, factor: int) -> int:
        after = Stored.of(body["Item"]) if "Item" in body else None
        key = _key(body["Item"] if after else body["Key"])
        before = self.rows.get(key)
        units = factor * _units(max(each.size if each else 0 for each in (before, after)), WRITE)
        if kind == "ConditionCheck":
            return units
        if after:
            self.rows[key] = after
        else:
            self.rows.pop(key, None)
        return units + _index_units(before, after)


def _key(row: Row) -> tuple[str, str]:
    return row["pk"]["S"], row["sk"]["S"]


def _index_units(before: Stored | None, after: Stored | None) -> int:
    """An entry that comes, goes or changes in its place costs one write; one that moves costs two."""
    old, new = (each if each and each.place else None for each in (before, after))
    if old and new and old.place == new.place:
        return 0 if old == new else _units(max(old.size, new.size), WRITE)
    return sum(_units(each.size, WRITE) for each in (old, new) if each)
