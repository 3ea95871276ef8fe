"""The fault layer between the functions and AWS: requests fail and functions die, by seeded chance."""

import threading
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from kinds import KINDS, Asked

type Forward = Callable[[str, AWSPreparedRequest], AWSResponse]

# Chances, at each request:
FAULTS = 0.06  # that it fails
KILLS = 0.005  # that the function dies
STORMS = 0.0006  # that a storm begins, in which most of a service's requests fail
IN_STORM = 0.85  # that a request fails then
LONGEST_STORM = 140  # requests; a transaction gives up after 12 tries of botocore's 4 attempts


class Killed(BaseException):
    """The function dies here. No later request of it has any effect, not even one from a `finally`."""


@dataclass(slots=True, eq=False)
class Invocation:
    """One run of a function, on a session or agent."""

    function: str
    about: str
    dead: bool = False
    overlapped: bool = False
    asked: int = 0  # calls of the model


class Layer:
    """`on`: whether faults happen. `meanwhile` is called before each request, so that other callers can take a step."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.on = False
        self.meanwhile: Callable[[], None] = lambda: None
        self.counts = Counter[str]()
        self.requests = 0
        self.calm = 1.0  # less than 1 means fewer faults
        self._storms = Counter[str]()
        self._own = threading.local()
        self._lock = threading.RLock()

    # Running functions

    @property
    def _stack(self) -> list[Invocation]:
        stack: list[Invocation] = self._own.__dict__.setdefault("stack", [])
        return stack

    @property
    def current(self) -> Invocation | None:
        return self._stack[-1] if self._stack else None

    @contextmanager
    def invocation(self, invocation: Invocation) -> Generator[None]:
        self._stack.append(invocation)
        try:
            yield
        finally:
            self._stack.pop()

    def may_die(self, where: str, odds: float = KILLS) -> None:
        """Raises Killed."""
        with self._lock:
            dies = self.on and self.current is not None and self.random.random() < odds
        if dies:
            self._die(where)

    def _die(self, where: str) -> None:
        assert self.current
        self.current.dead = True
        self.counts[f"killed {where}"] += 1
        raise Killed

    # Requests

    def attach(self, client: Any, forward: Forward) -> None:  # noqa: ANN401
        """Stand between a client and the network."""
        service = client.meta.service_model.service_name

        def send(event_name: str, request: AWSPreparedRequest, **_: object) -> AWSResponse:
            operation = event_name.rpartition(".")[2]
            return self._answer(service, Asked(operation, request, lambda: forward(operation, request)))

        client.meta.events.register(f"before-send.{service}", send)

    def _answer(self, service: str, asked: Asked) -> AWSResponse:
        if self.current and self.current.dead:
            raise Killed
        if not self.on:
            return asked.carry_out()
        self.meanwhile()
        self.requests += 1
        self.may_die("before a request")
        answer = self._carried_out(service, asked)
        self.may_die("after a request")
        return answer

    def _carried_out(self, service: str, asked: Asked) -> AWSResponse:
        with self._lock:
            fails = self.random.random() < self._odds(service)
            kind = self.random.choice([kind for kind in KINDS if asked.operation in kind.operations])
        if not fails:
            return asked.carry_out()
        self.counts[kind.name] += 1
        return kind.act(asked)

    def _odds(self, service: str) -> float:
        if self._storms[service]:
            self._storms[service] -= 1
            return IN_STORM
        if self.random.random() < STORMS * self.calm:
            self._storms[service] = self.random.randint(3, LONGEST_STORM)
            self.counts[f"storms of {service}"] += 1
        return FAULTS * self.calm
