"""The kinds of faults of one request, as botocore's clients see them."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from botocore import exceptions
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders

type Json = dict[str, Any]
type Act = Callable[["Asked"], AWSResponse]

READS = frozenset({"BatchGetItem", "Query"})
BATCHES = frozenset({"BatchGetItem", "BatchWriteItem"})
TRANSACTION = frozenset({"TransactWriteItems"})
EVENTS = frozenset({"PutEvents"})
TABLE = READS | BATCHES | TRANSACTION


class _Raw(BytesIO):
    def stream(self) -> Any:  # noqa: ANN401 - as urllib3 has it
        yield self.read()


def answer(request: AWSPreparedRequest, status: int, body: Json | str) -> AWSResponse:
    text = body if isinstance(body, str) else json.dumps(body)
    raw: Any = _Raw(text.encode())
    headers = HTTPHeaders.from_dict({"content-type": "application/x-amz-json-1.0"})
    return AWSResponse(request.url, status, headers, raw)


def body_of(request: AWSPreparedRequest) -> Json:
    body: Any = request.body
    return json.loads(body or b"{}")


def refusal(code: str) -> Json:
    return {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "Not now."}


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, and what carries it out."""

    operation: str
    request: AWSPreparedRequest
    carry_out: Callable[[], AWSResponse]

    @property
    def body(self) -> Json:
        return body_of(self.request)

    def answer(self, status: int, body: Json | str) -> AWSResponse:
        return answer(self.request, status, body)


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    operations: frozenset[str]
    act: Act


def refused(code: str, status: int = 400) -> Act:
    return lambda asked: asked.answer(status, refusal(code))


def cancelled(reason: str | None) -> Act:
    """Without a reason, the answer does not say why."""

    def act(asked: Asked) -> AWSResponse:
        body = refusal("TransactionCanceledException")
        if reason:
            others = [{"Code": "None"}] * (len(asked.body["TransactItems"]) - 1)
            body["CancellationReasons"] = [*others, {"Code": reason, "Message": "Not now."}]
        return asked.answer(400, body)

    return act


def broken(error: Callable[..., exceptions.BotoCoreError]) -> Act:
    def act(asked: Asked) -> AWSResponse:
        raise error(endpoint_url=asked.request.url, error="broken on purpose")

    return act


def after(act: Act) -> Act:
    """The request takes effect, and only its answer is lost."""

    def late(asked: Asked) -> AWSResponse:
        asked.carry_out()
        return act(asked)

    return late


def unprocessed(asked: Asked) -> AWSResponse:
    """No part of a batch takes effect, and the answer says so."""
    left = "UnprocessedKeys" if asked.operation == "BatchGetItem" else "UnprocessedItems"
    return asked.answer(200, {"Responses": {}, left: asked.body["RequestItems"]})


def partly(asked: Asked) -> AWSResponse:
    """The answer reports the last entry of a batch as unprocessed."""
    answer: Json = json.loads(asked.carry_out().content)
    ((table, wanted),) = asked.body["RequestItems"].items()
    if asked.operation == "BatchWriteItem":
        answer["UnprocessedItems"] = {table: wanted[-1:]}
    else:
        last = wanted["Keys"][-1]
        found = answer["Responses"].get(table, [])
        answer["Responses"] = {table: [row for row in found if any(row[name] != last[name] for name in last)]}
        answer["UnprocessedKeys"] = {table: wanted | {"Keys": [last]}}
    return asked.answer(200, answer)


def entry_failed(asked: Asked) -> AWSResponse:
    failed = {"ErrorCode": "ThrottlingException", "ErrorMessage": "Not now."}
    return asked.answer(200, {"FailedEntryCount": 1, "Entries": [failed]})


def gateway(status: int) -> Act:
    """An error of a proxy, whose body is not DynamoDB's JSON."""
    return lambda asked: asked.answer(status, "<html><body>Bad Gateway</body></html>")


ANY = TABLE | EVENTS
KINDS = (
    Kind("throttled", ANY, refused("ThrottlingException")),
    Kind("throughput exceeded", TABLE, refused("ProvisionedThroughputExceededException")),
    Kind("request limit exceeded", TABLE, refused("RequestLimitExceeded")),
    Kind("internal error", ANY, refused("InternalServerError", 500)),
    Kind("internal error, carried out", ANY, after(refused("InternalServerError", 500))),
    Kind("unavailable", ANY, refused("ServiceUnavailable", 503)),
    Kind("unavailable, carried out", ANY, after(refused("ServiceUnavailable", 503))),
    Kind("bad gateway", ANY, gateway(502)),
    Kind("bad gateway, carried out", ANY, after(gateway(502))),
    Kind("no connection in time", ANY, broken(exceptions.ConnectTimeoutError)),
    Kind("no connection", ANY, broken(exceptions.EndpointConnectionError)),
    Kind("no answer in time", ANY, broken(exceptions.ReadTimeoutError)),
    Kind("no answer in time, carried out", ANY, after(broken(exceptions.ReadTimeoutError))),
    Kind("connection reset", ANY, broken(exceptions.ConnectionClosedError)),
    Kind("connection reset, carried out", ANY, after(broken(exceptions.ConnectionClosedError))),
    Kind("transaction conflict", TRANSACTION, cancelled("TransactionConflict")),
    Kind("transaction throttled", TRANSACTION, cancelled("ThrottlingError")),
    Kind("cancelled without reasons", TRANSACTION, cancelled(None)),
    Kind("cancelled without reasons, carried out", TRANSACTION, after(cancelled(None))),
    Kind("transaction in progress", TRANSACTION, refused("TransactionInProgressException")),
    Kind("transaction in progress, carried out", TRANSACTION, after(refused("TransactionInProgressException"))),
    Kind("nothing of a batch", BATCHES, unprocessed),
    Kind("not all of a batch", BATCHES, partly),
    Kind("event refused", EVENTS, entry_failed),
)
