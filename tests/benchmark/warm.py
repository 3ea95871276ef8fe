"""Measures the time of warm handlers, without that of the stand-in for the table."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from statistics import median, quantiles
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

from bench import Bench
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from seeds import Subject, turn_of, with_facts
from stand_in import StandIn

from openbot_memory.runtime import wiring

RUNS = 400
FACTS, ITEMS = 50, 150


class Warm(NamedTuple):
    operation: str
    median: float  # ms
    p99: float


class Timed:
    """The stand-in, with the total seconds of its calls."""

    def __init__(self, client: StandIn) -> None:
        self._client = client
        self.exceptions = client.exceptions
        self.seconds = 0.0

    def __getattr__(self, name: str) -> Callable[..., object]:
        call: Callable[..., object] = getattr(self._client, name)

        def timed(**request: object) -> object:
            begun = time.perf_counter()
            try:
                return call(**request)
            finally:
                self.seconds += time.perf_counter() - begun

        return timed


class Stopwatch:
    """Times each call of the two handlers behind the API, in ms."""

    def __init__(self, bench: Bench, table: Timed) -> None:
        self.table = table
        self.times = list[float]()
        for name in ("read", "command"):
            function = bench.service.functions[name]
            function.handler = self._watched(function.handler)

    def _watched(self, handler: Callable[..., object]) -> Callable[..., object]:
        def watched(event: object, context: object) -> object:
            begun, waited = time.perf_counter(), self.table.seconds
            answer = handler(event, context)
            self.times.append(1000 * (time.perf_counter() - begun - (self.table.seconds - waited)))
            return answer

        return watched


def handlers() -> list[Warm]:
    """Time the operations on a session with 50 facts and 150 items."""
    stand_in = StandIn()
    bench, table = Bench(stand_in), Timed(stand_in)
    subject = with_facts(bench, "warm", FACTS, ITEMS, lambda _done, _total: None)
    object.__setattr__(wiring.table(), "client", table)
    watch = Stopwatch(bench, table)
    found = list[Warm]()
    for name, operation in operations(bench, subject).items():
        watch.times.clear()
        for _ in range(RUNS):
            operation()
        found.append(summary(name, watch.times))
    return [*found, botocore_alone()]


def summary(name: str, times: Iterable[float]) -> Warm:
    given = list(times)
    return Warm(name, median(given), quantiles(given, n=100)[98])


def operations(bench: Bench, subject: Subject) -> dict[str, Callable[[], object]]:
    def change(**command: object) -> None:
        body = subject.seen(command=command)
        subject.saw(bench.service.post(f"{subject.path}/memory", body))

    return {
        "GET session": subject.get,
        "GET memory, 50 facts": lambda: subject.get("/memory"),
        "GET instructions, 50 facts": lambda: subject.get("/instructions"),
        "GET items, a page of 100": lambda: subject.get("/items?limit=100"),
        "Remember": lambda: change(_tag="Remember", key="key-1", content="Said anew.", kind="fact"),
        "Configure": lambda: change(_tag="Configure", use=True),
        "POST turn, 4 items": lambda: bench.service.post(f"{subject.path}/turns", turn_of(4, None)),
    }


def botocore_alone() -> Warm:
    """What botocore adds to each request: it serializes, signs and parses one that is not sent."""
    client = cast("Any", wiring)._client("dynamodb")  # noqa: SLF001 - configured as the functions' own
    body = b'{"Items": [{"pk": {"S": "a"}, "sk": {"S": "b"}, "text": {"S": "' + b"x" * 500 + b'"}}], "Count": 1}'
    headers = HTTPHeaders.from_dict({"content-type": "application/x-amz-json-1.0"})

    def stream(**_: object) -> Iterator[bytes]:
        yield body

    def answered(**_: object) -> AWSResponse:
        return AWSResponse("http://127.0.0.1", 200, headers, SimpleNamespace(stream=stream))

    client.meta.events.register("before-send.dynamodb", answered)
    values: Mapping[str, Any] = {":pk": {"S": "a"}}
    times = list[float]()
    for _ in range(RUNS):
        begun = time.perf_counter()
        client.query(TableName="memory", KeyConditionExpression="pk = :pk", ExpressionAttributeValues=values)
        times.append(1000 * (time.perf_counter() - begun))
    return summary("botocore, for each request to DynamoDB", times)
