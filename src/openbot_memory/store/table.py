"""DynamoDB as the rest of the store needs it: consistent reads, paged queries, conditional writes, transactions."""

import random
import re
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import batched
from typing import Any, cast

from botocore.exceptions import BotoCoreError, ClientError

from openbot_memory.domain.errors import Unavailable

type Row = dict[str, Any]
type Key = tuple[str, str]  # pk, sk

INDEX = "recency"
AT_ONCE = 100  # rows of one read, DynamoDB's limit
TRIES = 12  # of a transaction that met another one; each waits up to twice as long as the one before
LONGEST_WAIT = 0.4  # seconds
RETRIED = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded", "RequestLimitExceeded"}
PASSING = {
    "ThrottlingException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "TransactionInProgressException",
}
BROKEN = 500  # and above: the service's own failures, also those of a gateway on the way, which have no code


class ConditionFailed(Exception):
    """Somebody else wrote first. `positions` are the writes whose condition did not hold."""

    def __init__(self, positions: Sequence[int]) -> None:
        super().__init__(f"conditions {list(positions)} did not hold")
        self.positions = tuple(positions)


@dataclass(frozen=True, slots=True)
class Condition:
    """`#name` stands for the attribute of that name, `:name` for `values["name"]`."""

    expression: str
    values: Row = field(default_factory=dict[str, Any])

    @classmethod
    def equals(cls, **values: object) -> "Condition":
        return cls(" AND ".join(f"#{name} = :{name}" for name in values), values)


ABSENT = Condition("attribute_not_exists(#pk)")
PRESENT = Condition("attribute_exists(#pk)")


@dataclass(frozen=True, slots=True)
class Put:
    row: Row
    when: Condition


@dataclass(frozen=True, slots=True)
class Delete:
    key: Key
    when: Condition


@dataclass(frozen=True, slots=True)
class Check:
    """Changes nothing, but the transaction fails unless the row is so."""

    key: Key
    when: Condition


type Write = Put | Delete | Check


def _write(value: object) -> Row:
    """A value as DynamoDB's API takes it. boto3 has the same, but importing it costs a cold start 0.1 s more."""
    match value:
        case bool():
            return {"BOOL": value}
        case int():
            return {"N": str(value)}
        case str():
            return {"S": str(value)}
        case list() | tuple():
            return {"L": [_write(each) for each in cast("Sequence[object]", value)]}
        case dict():
            return {"M": _to_dynamo(cast("Row", value))}
        case _:
            raise TypeError(f"rows hold no {type(value).__name__}")


def _read(given: Row) -> Any:  # noqa: ANN401 - the reverse of _write
    ((kind, value),) = given.items()
    match kind:
        case "N":
            return int(value)
        case "L":
            return [_read(each) for each in value]
        case "M":
            return _from_dynamo(value)
        case _:
            return value


def _to_dynamo(row: Row) -> Row:
    return {name: _write(value) for name, value in row.items() if value is not None}


def _from_dynamo(item: Row) -> Row:
    return {name: _read(value) for name, value in item.items()}


def _key(key: Key) -> Row:
    return {"pk": {"S": key[0]}, "sk": {"S": key[1]}}


@dataclass(frozen=True, slots=True)
class Table:
    client: Any  # boto3's low-level client
    name: str
    sleep: Callable[[float], None] = time.sleep

    def get(self, *keys: Key) -> list[Row | None]:
        """Read up to 100 rows with strong consistency, in the order of the keys."""
        found = dict[Key, Row]()
        wanted = [_key(key) for key in dict.fromkeys(keys)]
        for wait in self._waits():
            request = {self.name: {"Keys": wanted, "ConsistentRead": True}}
            answer = self._call(self.client.batch_get_item, RequestItems=request)
            rows = [_from_dynamo(item) for item in answer["Responses"].get(self.name, [])]
            found |= {(row["pk"], row["sk"]): row for row in rows}
            wanted = answer.get("UnprocessedKeys", {}).get(self.name, {}).get("Keys", [])
            if not wanted:
                return [found.get(key) for key in keys]
            self.sleep(wait)
        raise Unavailable

    def existing(self, keys: Iterable[Key]) -> list[Row]:
        """Those of any number of rows that are there, in the order of the keys: one request for each 100."""
        found = flat(self.get(*some) for some in batched(keys, AT_ONCE, strict=False))
        return [row for row in found if row]

    def query(
        self,
        pk: str,
        prefix: str = "",
        *,
        between: tuple[str, str] | None = None,
        after: Row | None = None,
        limit: int | None = None,
        newest_first: bool = False,
        index: bool = False,
    ) -> Iterator[list[Row]]:
        """Yield pages of a partition's rows in order, with strong consistency. `limit` bounds one page."""
        sort = INDEX if index else "sk"
        test, values = "pk = :pk", {":pk": pk}
        if between:
            test += f" AND {sort} BETWEEN :from AND :to"
            values |= {":from": between[0], ":to": between[1]}
        elif prefix:
            test += f" AND begins_with({sort}, :prefix)"
            values |= {":prefix": prefix}
        request: Row = {
            "TableName": self.name,
            "KeyConditionExpression": test,
            "ExpressionAttributeValues": _to_dynamo(values),
            "ConsistentRead": True,
            "ScanIndexForward": not newest_first,
        }
        request |= {"IndexName": INDEX} if index else {}
        request |= {"Limit": limit} if limit else {}
        start = _to_dynamo(after) if after else None
        while True:
            more = {"ExclusiveStartKey": start} if start else {}
            page = self._call(self.client.query, **request, **more)
            yield [_from_dynamo(item) for item in page["Items"]]
            start = page.get("LastEvaluatedKey")
            if not start:
                return

    def commit(self, *writes: Write) -> None:
        """Write all or nothing. Raises ConditionFailed with the positions, Unavailable after a crowd of conflicts.

        The request token makes a repeated call of a committed transaction succeed, whoever repeats it.
        """
        token = str(uuid.uuid4())
        request: Any = [self._transact(write) for write in writes]
        for wait in self._waits():
            try:
                self.client.transact_write_items(TransactItems=request, ClientRequestToken=token)
            except self.client.exceptions.TransactionCanceledException as error:
                codes = [reason.get("Code") for reason in error.response.get("CancellationReasons", [])]
                if failed := [at for at, code in enumerate(codes) if code == "ConditionalCheckFailed"]:
                    raise ConditionFailed(failed) from None
                if other := set(codes) - RETRIED - {"None", None}:
                    raise RuntimeError(f"transaction refused: {sorted(map(str, other))}") from error
            except ClientError as error:
                _raise_unless_passing(error)
            except BotoCoreError:  # the answer was lost: the token tells whether it was committed
                pass
            else:
                return
            self.sleep(wait)
        raise Unavailable

    def write_unseen(self, rows: Iterable[Row]) -> None:
        """Write rows that nobody reads yet, under numbers or a generation reserved for this writer alone.

        That reservation is their condition; a batch costs half of what a transaction does.
        """
        self._batch({"PutRequest": {"Item": _to_dynamo(row)}} for row in rows)

    def delete_unseen(self, keys: Iterable[Key]) -> None:
        """Delete rows that nobody can reach any more."""
        self._batch({"DeleteRequest": {"Key": _key(key)}} for key in keys)

    def _batch(self, requests: Iterable[Row]) -> None:
        for batch in batched(requests, 25, strict=False):
            left: Any = list(batch)
            for wait in self._waits():
                answer = self._call(self.client.batch_write_item, RequestItems={self.name: left})
                left = answer.get("UnprocessedItems", {}).get(self.name, [])
                if not left:
                    break
                self.sleep(wait)
            else:
                raise Unavailable

    def _transact(self, write: Write) -> Row:
        condition = write.when
        names = re.findall(r"#(\w+)", condition.expression)
        body: Row = {
            "TableName": self.name,
            "ConditionExpression": condition.expression,
            "ExpressionAttributeNames": {f"#{name}": name for name in names},
        }
        if condition.values:
            body["ExpressionAttributeValues"] = {f":{name}": _write(value) for name, value in condition.values.items()}
        if isinstance(write, Put):
            return {"Put": body | {"Item": _to_dynamo(write.row)}}
        return {"Delete" if isinstance(write, Delete) else "ConditionCheck": body | {"Key": _key(write.key)}}

    @staticmethod
    def _call(operation: Callable[..., Any], **request: object) -> Any:  # noqa: ANN401 - boto3 answers plain dicts
        """Ask once (botocore has retried); what may pass by itself becomes Unavailable."""
        try:
            return operation(**request)
        except ClientError as error:
            _raise_unless_passing(error)
            raise Unavailable from error
        except BotoCoreError as error:
            raise Unavailable from error

    @staticmethod
    def _waits() -> Iterator[float]:
        for turn in range(TRIES):
            yield random.uniform(0, min(LONGEST_WAIT, 0.01 * 2**turn))  # noqa: S311 - jitter


def flat(pages: Iterable[Sequence[Row | None]]) -> list[Any]:
    """The rows of all pages."""
    return [row for page in pages for row in page]


def _raise_unless_passing(error: ClientError) -> None:
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if status < BROKEN and error.response.get("Error", {}).get("Code") not in PASSING:
        raise error
