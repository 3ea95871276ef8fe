"""Counts the functions' DynamoDB requests, their rounds and their capacity units."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from capacity import READS, Ledger, read_units, row_size

type Json = dict[str, Any]


class Request(NamedTuple):
    name: str
    started: float
    ended: float
    read_units: int
    write_units: int
    bytes_read: int


@dataclass
class Cost:
    """The requests, model calls and events of one operation."""

    requests: list[Request] = field(default_factory=list[Request])
    models: int = 0
    events: int = 0

    def count(self, name: str) -> int:
        return sum(each.name == name for each in self.requests)

    @property
    def reads(self) -> int:
        return sum(each.name in READS for each in self.requests)

    @property
    def writes(self) -> int:
        return len(self.requests) - self.reads

    @property
    def rounds(self) -> int:
        """How many requests waited for one another; those that overlap in time are one round."""
        rounds, end = 0, float("-inf")
        for each in sorted(self.requests, key=lambda request: request.ended):
            if each.started >= end:
                rounds, end = rounds + 1, each.ended
        return rounds

    @property
    def read_units(self) -> int:
        return sum(each.read_units for each in self.requests)

    @property
    def write_units(self) -> int:
        return sum(each.write_units for each in self.requests)

    @property
    def pages(self) -> int:
        """How many pages of 1 MB the rows of the Queries fill."""
        return 1 + sum(each.bytes_read for each in self.requests if each.name == "Query") // 2**20


class Meter:
    """Watches the functions' DynamoDB client. `compared`: write requests compared with the emulator's units."""

    def __init__(self, client: Any, ledger: Ledger) -> None:  # noqa: ANN401
        self.ledger = ledger
        self.current: Cost | None = None
        self.compared = 0
        self.differing = list[str]()
        client.meta.events.register("provide-client-params.dynamodb", self._begun)
        client.meta.events.register("after-call.dynamodb", self._ended)

    @contextmanager
    def measured(self) -> Generator[Cost]:
        self.current = cost = Cost()
        try:
            yield cost
        finally:
            self.current = None

    def _begun(self, params: Json, context: Json, **_: object) -> None:
        params["ReturnConsumedCapacity"] = "TOTAL"
        context["benchmark"] = params, time.monotonic()

    def _ended(self, parsed: Json, model: Any, context: Json, **_: object) -> None:  # noqa: ANN401
        params, started = context["benchmark"]
        if "Error" in parsed:  # it would cost units too, so none may fail where they are counted
            self.differing.append(f"{model.name} failed: {parsed['Error']}")
            return
        read = written = size = 0
        if model.name in READS:
            read = read_units(params, parsed)
            size = sum(map(row_size, parsed.get("Items", [])))
        else:
            written = self.ledger.write(params)
            self._compare(written, parsed["ConsumedCapacity"])
        if self.current:
            self.current.requests.append(Request(model.name, started, time.monotonic(), read, written, size))

    def _compare(self, units: int, consumed: list[Json]) -> None:
        emulator = sum(each["CapacityUnits"] for each in consumed)
        self.compared += 1
        if units != emulator:
            self.differing.append(f"{units} units counted, the emulator says {emulator}")
