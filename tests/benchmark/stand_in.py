"""An in-memory stand-in for DynamoDB that is fast to fill: the emulator's Query scans every row of a partition.

The rows that the handlers write here are then copied into the emulator, where everything is measured.
"""

import operator
import re
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from botocore.exceptions import ClientError
from capacity import INDEX_KEY, row_size

type Row = Mapping[str, Any]
type Position = tuple[str, str]  # in an order: the value that is sorted by, and the sort key

PAGE = 1024 * 1024  # bytes
LAST = "\U0010ffff"
COMPARED = {"=": operator.eq, "<": operator.lt, "<=": operator.le}


class Partition:
    def __init__(self) -> None:
        self.rows = dict[str, Row]()
        self.sizes = dict[str, int]()
        self.order: dict[str, list[Position]] = {"sk": [], INDEX_KEY: []}

    def put(self, row: Row) -> None:
        sk = row["sk"]["S"]
        self.delete(sk)
        self.rows[sk], self.sizes[sk] = row, row_size(row)
        for name, order in self.order.items():
            if name in row:
                insort(order, (row[name]["S"], sk))

    def delete(self, sk: str) -> None:
        row = self.rows.pop(sk, None)
        for name, order in self.order.items():
            if row and name in row:
                del order[bisect_left(order, (row[name]["S"], sk))]


class StandIn:
    """Implements the calls that the store makes, as far as the store uses them."""

    def __init__(self) -> None:
        self.partitions = defaultdict[str, Partition](Partition)
        self.exceptions = SimpleNamespace(TransactionCanceledException=ClientError)

    def __iter__(self) -> Iterator[Row]:
        for partition in self.partitions.values():
            yield from partition.rows.values()

    def _row(self, key: Row) -> Row | None:
        return self.partitions[key["pk"]["S"]].rows.get(key["sk"]["S"])

    def batch_get_item(self, RequestItems: Row) -> Row:  # noqa: N803 - as boto3 names them
        ((table, asked),) = RequestItems.items()
        return {"Responses": {table: [row for key in asked["Keys"] if (row := self._row(key))]}}

    def query(self, **request: Any) -> Row:  # noqa: ANN401
        values = {name: value["S"] for name, value in request["ExpressionAttributeValues"].items()}
        partition, by = self.partitions[values[":pk"]], request.get("IndexName", "sk")
        order = partition.order[by]
        first = values.get(":from", values.get(":prefix", ""))
        last = values.get(":to", values.get(":prefix", "") + LAST)
        start, end = bisect_left(order, (first, "")), bisect_right(order, (last, LAST))
        if after := request.get("ExclusiveStartKey"):
            place = after[by]["S"], after["sk"]["S"]
            if request["ScanIndexForward"]:
                start = max(start, bisect_right(order, place))
            else:
                end = min(end, bisect_left(order, place))
        places = order[start:end] if request["ScanIndexForward"] else order[start:end][::-1]
        page, room = list[Row](), PAGE
        for _, sk in places[: request.get("Limit")]:
            room -= partition.sizes[sk]
            if page and room < 0:
                break
            page.append(partition.rows[sk])
        more = len(page) < len(places)
        return {"Items": page} | ({"LastEvaluatedKey": page[-1]} if more else {})

    def batch_write_item(self, RequestItems: Row) -> Row:  # noqa: N803
        ((_, writes),) = RequestItems.items()
        for write in writes:
            ((_, body),) = write.items()
            self._write(body)
        return {}

    def transact_write_items(self, TransactItems: list[Row], **_: object) -> None:  # noqa: N803
        bodies = [body for write in TransactItems for body in write.values()]
        held = [_holds(self._row(body.get("Item") or body["Key"]), body) for body in bodies]
        if not all(held):
            reasons = [{"Code": "None" if each else "ConditionalCheckFailed"} for each in held]
            raise ClientError({"CancellationReasons": reasons}, "TransactWriteItems")  # pyright: ignore[reportArgumentType]
        for write in TransactItems:
            ((kind, body),) = write.items()
            if kind != "ConditionCheck":
                self._write(body)

    def _write(self, body: Row) -> None:
        if row := body.get("Item"):
            self.partitions[row["pk"]["S"]].put(row)
        else:
            self.partitions[body["Key"]["pk"]["S"]].delete(body["Key"]["sk"]["S"])


def _holds(row: Row | None, body: Row) -> bool:
    clauses = (each.split(" AND ") for each in body["ConditionExpression"].split(" OR "))
    return any(all(_holds_clause(row, clause, body) for clause in each) for each in clauses)


def _holds_clause(row: Row | None, clause: str, body: Row) -> bool:
    if found := re.fullmatch(r"attribute_(not_)?exists\(#pk\)", clause):
        return (row is None) is bool(found[1])
    name, comparison, value = clause.split()
    have = (row or {}).get(body["ExpressionAttributeNames"][name])
    wanted = body["ExpressionAttributeValues"][value]
    return have is not None and COMPARED[comparison](_plain(have), _plain(wanted))


def _plain(value: Row) -> Any:  # noqa: ANN401
    return int(value["N"]) if "N" in value else value
