"""Runs the simulated users in Locust, which starts them one after another and counts what they report.

Locust has an environment of its own, so type checkers do not see it.
"""

import importlib
import json
import os
import random
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

locust: Any = importlib.import_module("locust")  # first, because it patches blocking calls

journal, users = importlib.import_module("journal"), importlib.import_module("users")
caller = importlib.import_module("caller")

STAGE: dict[str, Any] = json.loads(Path(os.environ["LOAD_STAGE"]).read_text())
numbers = count(1)


class Person(locust.User):
    """A user under one of the persons' tokens."""

    abstract = True
    wait_time = locust.between(0.05, 0.5)
    user: ClassVar[Any] = None
    fields: ClassVar[dict[str, str]] = {}

    def on_start(self) -> None:
        number = next(numbers)
        token = STAGE["tokens"][number % len(STAGE["tokens"])]
        via = caller.Caller(STAGE["url"], token, self.report, random.Random(number))  # noqa: S311 - the same every run
        write = partial(journal.write, Path(STAGE["journal"]))
        self.simulated = self.user(f"{self.user.__name__.lower()}{number}", via, write, **self.fields)

    @locust.task
    def step(self) -> None:
        self.simulated.step()

    def report(self, route: str, took: float, size: int, error: str | None) -> None:
        method, _, name = route.partition(" ")
        failed = RuntimeError(error) if error else None
        self.environment.events.request.fire(
            request_type=method, name=name, response_time=took, response_length=size, exception=failed, context={}
        )


class Writer(Person):
    weight = 4
    user = users.Writer


class Learner(Person):
    weight = 3
    user = users.Writer
    fields: ClassVar[dict[str, str]] = {"agent": users.AGENT}


class Sharer(Person):
    weight = 3
    user = users.Sharer


class Teacher(Person):
    weight = 2
    user = users.Teacher
