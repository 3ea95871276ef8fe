"""The functions in this process, their clients behind the fault layer, with a simulated clock and seeded chance."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from types import SimpleNamespace, TracebackType
from typing import Any

import botocore.endpoint
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from kinds import Json, body_of
from layer import Forward, Invocation, Killed, Layer
from proposer import Proposer
from service import Reply, Service, context

from openbot_memory.domain.errors import Unavailable
from openbot_memory.models import choose
from openbot_memory.runtime import wiring
from openbot_memory.store import agents, memory, sessions
from openbot_memory.store.table import ConditionFailed, Table
from openbot_memory.use_cases import instructions

ATTEMPTS = 3  # to deliver an event, the first included, as in the template
RETRY_AFTER = 60_000  # ms before the second attempt, twice that before the third


class Violation(Exception):
    """An expectation, in words, that is not met."""


def check(holds: object, expectation: str) -> None:
    if not holds:
        raise Violation(expectation)


class Clock:
    """A simulated clock in milliseconds: sleeping only sets it forward."""

    def __init__(self) -> None:
        self.at = time.time_ns() // 1_000_000

    def __call__(self) -> int:
        self.at += 1
        return self.at

    def sleep(self, seconds: float) -> None:
        self.at += int(seconds * 1000)

    def reach(self, at: int) -> None:
        self.at = max(self.at, at)


@dataclass(slots=True)
class Delivery:
    """An event to be delivered to one function."""

    function: str
    event: Json
    failures: int = 0
    ready: int = 0  # not before this time


class Sequential:
    """Replaces the thread pool, so that a seed repeats the same requests in the same order."""

    def submit[**P, T](self, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> Any:  # noqa: ANN401
        found = work(*given, **named)
        return SimpleNamespace(result=lambda: found)


@dataclass
class Setting:
    service: Service
    layer: Layer
    model: Proposer
    random: Random
    clock: Clock = field(default_factory=Clock)
    waiting: list[Delivery] = field(default_factory=list[Delivery])
    dead_letters: list[Delivery] = field(default_factory=list[Delivery])
    active: list[Invocation] = field(default_factory=list[Invocation])
    wasted: Counter[str] = field(default_factory=Counter[str])  # model calls whose answers may have been discarded
    counts: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def table(self) -> Table:
        """The table, to be read once the faults have ended."""
        assert not self.layer.on
        return wiring.table()

    def count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1

    # The event bus

    def collecting_events(self, forward: Forward) -> Forward:
        def send(operation: str, request: AWSPreparedRequest) -> AWSResponse:
            answer = forward(operation, request)
            if answer.status_code == 200 and not json.loads(answer.content)["FailedEntryCount"]:
                for entry in body_of(request)["Entries"]:
                    self._put({"detail-type": entry["DetailType"], "detail": json.loads(entry["Detail"])})
            return answer

        return send

    def _put(self, event: Json) -> None:
        self.count(f"event: {event['detail-type']}")
        self.waiting += [Delivery(function, event) for function in self.service.targets(event)]

    # Calls and events

    def call(self, method: str, path: str, body: Json, caller: str, key: str | None) -> Reply | None:
        """Send one request; None if the function died, so that the caller gets no answer."""
        parts = path.partition("?")[0].split("/")
        name = parts[3] if len(parts) > 3 else str(body.get("id"))
        headers = {"idempotency-key": key} if key else {}
        invocation = Invocation("command", name)
        with self._at_work(invocation):
            try:
                reply = self.service.call(method, path, body, caller=caller, headers=headers)
            except Killed:
                reply = None
        if reply is None or reply.status != 200 or invocation.overlapped:
            self.wasted[name] += invocation.asked
        return reply

    def deliver(self, random: Random) -> None:
        """Deliver any waiting event to its function, sometimes twice, and sometimes with time for one batch only."""
        try:
            delivery = self.waiting.pop(int(random.random() * len(self.waiting)))
        except IndexError:  # nothing waits, or another thread was faster
            return
        if self.layer.on and not delivery.failures and self.random.random() < 0.15:
            self.count("events delivered twice")
            self.waiting.append(Delivery(delivery.function, delivery.event))
        self.clock.reach(delivery.ready)
        invocation = Invocation(delivery.function, about(delivery.event["detail"]))
        ended = self._run(delivery, invocation)
        if not ended or invocation.overlapped:
            self.wasted[invocation.about] += invocation.asked
        if ended:
            return
        delivery.failures += 1
        self.count("invocations by events that failed")
        delivery.ready = self.clock.at + RETRY_AFTER * delivery.failures
        check(self.layer.on or delivery.failures < ATTEMPTS, f"without faults this event succeeds: {delivery.event}")
        (self.dead_letters if delivery.failures == ATTEMPTS else self.waiting).append(delivery)

    def _run(self, delivery: Delivery, invocation: Invocation) -> bool:
        batches = self.random.choice([1, 1, 2, 99]) if self.layer.on else 99
        left = times(batches)
        how = SimpleNamespace(**vars(context()) | {"get_remaining_time_in_millis": lambda: next(left)})
        with self._at_work(invocation):
            try:
                self.service.functions[delivery.function].handler(delivery.event, how)
            except Killed:
                return False
            except (Unavailable, ConditionFailed):
                return False
        return True

    def _at_work(self, invocation: Invocation) -> Any:  # noqa: ANN401
        for other in self.active:
            if other.about == invocation.about:
                other.overlapped = invocation.overlapped = True
        return _Work(self, invocation)

    def quiet(self) -> None:
        """Deliver all waiting events without faults, the dead letters included, until none is left."""
        assert not self.layer.on
        self.counts["dead letters, redriven"] = len(self.dead_letters)
        for given_up in self.dead_letters:
            given_up.failures = 0
        self.waiting += self.dead_letters
        self.dead_letters.clear()
        while self.waiting:
            self.deliver(self.random)


class _Work:
    """Marks an invocation as active while its function runs."""

    def __init__(self, setting: Setting, invocation: Invocation) -> None:
        self.setting, self.invocation = setting, invocation
        self.within = setting.layer.invocation(invocation)

    def __enter__(self) -> None:
        self.setting.active.append(self.invocation)
        self.within.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.within.__exit__(kind, error, trace)
        self.setting.active.remove(self.invocation)


def about(detail: Json) -> str:
    return detail.get("session") or detail["agent"]


def times(batches: int) -> Iterator[int]:
    yield from [120_000] * batches
    while True:
        yield 0


type Patch = Callable[[object, str, object], None]  # setattr, or monkeypatch.setattr in a test


def build(client: Any, seed: int, forwards: Callable[[Any], Forward], patch: Patch = setattr) -> Setting:  # noqa: ANN401
    """`client` reaches the table without faults; `forwards` returns what carries out a client's requests."""
    random = Random(seed)  # noqa: S311 - repeatable, nothing secret
    layer = Layer(random)
    model: Any = Proposer(layer, random)

    def models(_make_client: object) -> Any:  # noqa: ANN401
        return model

    patch(choose, "Models", models)
    setting = Setting(Service(client, model), layer, model, random)
    for module in (memory, sessions, agents, instructions):
        patch(module, "in_parallel", Sequential())
    patch(botocore.endpoint, "time", SimpleNamespace(sleep=setting.clock.sleep))
    table = wiring.table()
    object.__setattr__(table, "sleep", setting.clock.sleep)
    layer.attach(table.client, forwards(table.client))
    functions = setting.service.functions.values()
    for timeout in sorted({function.MODEL_TIMEOUT for function in functions if hasattr(function, "MODEL_TIMEOUT")}):
        _attach(setting, wiring.world(timeout), forwards)
    return setting


def _attach(setting: Setting, world: Any, forwards: Callable[[Any], Forward]) -> None:  # noqa: ANN401
    object.__setattr__(world, "now", setting.clock)
    object.__setattr__(world, "random", lambda: f"{setting.random.getrandbits(32):08x}")
    setting.layer.attach(world.bus.client, setting.collecting_events(forwards(world.bus.client)))
