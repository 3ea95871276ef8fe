"""What answers behind the fault layer: the emulator over HTTP, or the benchmark's fast stand-in in this process.

Both are reached through botocore's own clients, with their own retries.
"""

import threading
from collections.abc import Callable
from typing import Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ClientError
from botocore.session import get_session
from kinds import Json, answer, body_of, refusal
from stand_in import StandIn

type Forward = Callable[[str, AWSPreparedRequest], AWSResponse]

METHODS = {
    "BatchGetItem": StandIn.batch_get_item,
    "BatchWriteItem": StandIn.batch_write_item,
    "Query": StandIn.query,
    "TransactWriteItems": StandIn.transact_write_items,
}


def over_http(client: Any) -> Forward:  # noqa: ANN401
    """Send a request as the client itself would."""
    return lambda _, request: client._endpoint.http_session.send(request)  # noqa: SLF001 - botocore has no public way


class InProcess:
    """The stand-in behind DynamoDB's wire format, and an event bus that accepts everything.

    Like DynamoDB, it answers a committed request token again with success.
    """

    def __init__(self) -> None:
        self.table = StandIn()
        self._tokens = set[str]()
        self._lock = threading.Lock()

    def forward(self, _client: object) -> Forward:
        return self._send

    def client(self) -> Any:  # noqa: ANN401
        """A client of DynamoDB without faults."""
        client: Any = get_session().create_client("dynamodb")
        client.meta.events.register("before-send", self._whole)
        return client

    def _whole(self, event_name: str, request: AWSPreparedRequest, **_: object) -> AWSResponse:
        return self._send(event_name.rpartition(".")[2], request)

    def _send(self, operation: str, request: AWSPreparedRequest) -> AWSResponse:
        body: Json = body_of(request)
        if operation == "PutEvents":
            return answer(request, 200, {"FailedEntryCount": 0, "Entries": [{"EventId": "e"} for _ in body["Entries"]]})
        with self._lock:
            return self._ask_table(operation, request, body)

    def _ask_table(self, operation: str, request: AWSPreparedRequest, body: Json) -> AWSResponse:
        token = body.pop("ClientRequestToken", None)
        if token and token in self._tokens:
            return answer(request, 200, {})
        try:
            found = METHODS[operation](self.table, **body)
        except ClientError as error:
            reasons = {"CancellationReasons": error.response["CancellationReasons"]}  # pyright: ignore[reportTypedDictNotRequiredAccess, reportGeneralTypeIssues]
            return answer(request, 400, refusal("TransactionCanceledException") | reasons)
        if token:
            self._tokens.add(token)
        return answer(request, 200, dict(found or {}))
