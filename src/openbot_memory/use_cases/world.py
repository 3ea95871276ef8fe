"""What the use cases need from outside, as small protocols, and how a write that lost a race is decided again."""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from openbot_memory.domain.errors import Unavailable
from openbot_memory.domain.rules import HoldsSecret, MemoryRules
from openbot_memory.domain.session import RANDOM_DIGITS, Principal, version_id
from openbot_memory.models.port import Model
from openbot_memory.store.agents import Agents
from openbot_memory.store.history import History
from openbot_memory.store.memory import Stale, commit
from openbot_memory.store.sessions import Sessions
from openbot_memory.store.table import Table, Write

ATTEMPTS = 30  # of one change, each decided on newly read state

type Json = dict[str, Any]
type Keep = Callable[[Json], Sequence[Write]]  # an answer's idempotency record, to be written with the change


def keep_nothing(_answer: Json) -> Sequence[Write]:
    return ()


class Bus(Protocol):
    def put(self, source: str, detail_type: str, detail: Mapping[str, object]) -> None:
        """Put one event on the bus. Raises Unavailable."""
        ...

    def put_best_effort(self, source: str, detail_type: str, detail: Mapping[str, object]) -> None:
        """Put one event whose loss harms nothing: a failure is logged, not raised."""
        ...


class Emit(Protocol):
    def __call__(self, values: Mapping[str, int], **dimensions: str) -> None:
        """Count these metrics by their names."""
        ...


def milliseconds() -> int:
    return time.time_ns() // 1_000_000


def random_digits() -> str:
    return secrets.token_hex(RANDOM_DIGITS // 2)


@dataclass(frozen=True, slots=True)
class Reader:
    """What reading needs from outside, made once a container."""

    table: Table
    rules: MemoryRules

    def sessions(self, org: str) -> Sessions:
        return Sessions(self.table, org)

    def history(self, org: str) -> History:
        return History(self.table, org)

    def agents(self, org: str) -> Agents:
        return Agents(self.table, org)


@dataclass(frozen=True, slots=True)
class World(Reader):
    """Everything outside that a use case may touch."""

    bus: Bus
    model: Model
    holds_secret: HoldsSecret
    emit: Emit
    now: Callable[[], int] = milliseconds
    random: Callable[[], str] = random_digits

    def keep(self, record: Sequence[Write]) -> None:
        """Write the idempotency record of a request that changed nothing. Raises AlreadyKept."""
        if record:
            commit(self.table, [], record)

    def version_id(self, step: int) -> str:
        return version_id(step, self.random())

    def new_id(self) -> str:
        return self.random() + self.random()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Who asks, and how to keep the answer."""

    caller: Principal
    keep: Keep = field(default=keep_nothing)

    @property
    def org(self) -> str:
        return self.caller.organization


def until_committed[T](attempt: Callable[[], T]) -> T:
    """Decide and write again on newly read state while others are faster. Raises Unavailable."""
    for _ in range(ATTEMPTS):
        try:
            return attempt()
        except Stale:
            continue
    raise Unavailable
