"""The real functions over one table: first over a stand-in, to fill it fast, then over the emulator, to be measured."""

import json
import os
import shutil
import socket
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from itertools import batched, chain, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from botocore.config import Config
from botocore.session import get_session
from capacity import Ledger
from meter import Cost, Meter
from service import ScriptedModel, Service, context, table_properties
from stand_in import Row, StandIn

from openbot_memory.models import choose
from openbot_memory.runtime import settings, wiring
from openbot_memory_emulator import process
from openbot_memory_emulator.config import HOST, StackConfig

ROOT = Path(__file__).parents[2]
TABLE = "memory"
PATIENT = Config(read_timeout=600, retries={"mode": "standard", "total_max_attempts": 1})
FOR_LEARN = {"Agent Cleaning Requested", "Learning Requested"}
FOR_CONSOLIDATE = {"Turn Finished", "Consolidation Requested", "Cleaning Requested"}

type Json = dict[str, Any]


class WrongResult(Exception):
    """An expectation of a result, in words, that is not met. It ends the benchmark."""


def check(holds: object, expectation: str) -> None:
    if not holds:
        raise WrongResult(expectation)


class Bus:
    """An event bus that keeps the events in a list."""

    def __init__(self, events: list[Json]) -> None:
        self.events = events

    def put_events(self, Entries: list[Json]) -> Json:  # noqa: N803 - as boto3 names it
        for each in Entries:
            detail = json.loads(each["Detail"])
            self.events.append({"source": each["Source"], "detail-type": each["DetailType"], "detail": detail})
        return {"FailedEntryCount": 0}


class Bench:
    """The functions over one table."""

    def __init__(self, client: Any) -> None:  # noqa: ANN401
        self.model = ScriptedModel()
        for built in (settings.settings, wiring.table, wiring.rules, wiring.reader, wiring.world):
            built.cache_clear()
        choose.Models = self._models  # pyright: ignore[reportAttributeAccessIssue]
        self.service = Service(client, self.model)
        table = wiring.table()
        object.__setattr__(table, "sleep", self._sleep)
        object.__setattr__(table, "client", client)
        bus = Bus(self.service.events)
        for function in self.service.functions.values():
            if timeout := getattr(function, "MODEL_TIMEOUT", None):
                object.__setattr__(wiring.world(timeout).bus, "client", bus)
        self.meter = None if isinstance(client, StandIn) else Meter(client, Ledger())

    def _models(self, _make_client: object) -> ScriptedModel:
        return self.model

    def _sleep(self, _seconds: float) -> None: ...

    @contextmanager
    def measured(self) -> Generator[Cost]:
        """Count the requests made within the block, and the model calls and events."""
        assert self.meter
        models, events = len(self.model.questions), len(self.service.events)
        with self.meter.measured() as cost:
            yield cost
        cost.models, cost.events = len(self.model.questions) - models, len(self.service.events) - events

    def deliver(self) -> None:
        """Deliver the events on the bus; a finished turn starts only `consolidate`, so that no agent learns."""
        while self.service.events:
            event = self.service.events.pop(0)
            if event["detail-type"] in FOR_CONSOLIDATE:
                self.start("consolidate", event)
            elif event["detail-type"] in FOR_LEARN:
                self.start("learn", event)

    def start(self, function: str, event: Json, batches: int | None = None) -> None:
        """Call a function with an event, with time for a number of batches or, by default, for all."""
        times = repeat(120_000) if batches is None else chain([120_000] * batches, repeat(0))
        how = SimpleNamespace(**vars(context()) | {"get_remaining_time_in_millis": lambda: next(times)})
        self.service.functions[function].handler(event, how)


def fill_table(rows: Iterable[Row]) -> None:
    """Copy the stand-in's rows into the emulator's table, through the client whose write units are counted."""
    client = wiring.table().client
    for some in batched(rows, 25, strict=False):
        puts = [{"PutRequest": {"Item": row}} for row in some]
        answer = client.batch_write_item(RequestItems={TABLE: puts})
        check(not answer["UnprocessedItems"], "the emulator stores every row")


def environment(config: StackConfig) -> None:
    """Set the environment variables of the functions for the emulator of this stack."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ |= {name: value for name, value in config.environment().items() if name.startswith(("AWS_", "NO_PROXY"))}
    os.environ |= {
        "TABLE_NAME": TABLE,
        "EVENT_BUS_NAME": TABLE,
        "POWERTOOLS_SERVICE_NAME": "openbot-memory",
        "POWERTOOLS_LOG_LEVEL": "ERROR",
        "POWERTOOLS_METRICS_DISABLED": "true",
    }


def bench_config() -> StackConfig:
    """A folder and a free port for the benchmark alone."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return StackConfig(ROOT, ROOT / ".local/bench", probe.getsockname()[1])


@contextmanager
def emulated(config: StackConfig) -> Generator[Any]:
    """A client of a fresh emulator with the template's table. At the end, the emulator and its folder are removed.

    The emulator takes seconds for a Query of a long history, so its client waits longer than the functions' own.
    """
    _remove(config)
    config.directory.mkdir(parents=True)
    emulator = process.start(config, None)
    try:
        client = cast("Any", get_session()).create_client("dynamodb", config=PATIENT)
        client.create_table(TableName=TABLE, **table_properties())
        yield client
    finally:
        process.stop(config, emulator)
        _remove(config)


def _remove(config: StackConfig) -> None:
    """Remove the emulator and its folder, also those that a killed run left."""
    if left := process.running(config):
        process.stop(config, left)
    shutil.rmtree(config.directory, ignore_errors=True)
