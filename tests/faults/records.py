"""Records every change that was acknowledged to a caller, for the audit."""

from dataclasses import dataclass, field
from typing import NamedTuple

from kinds import Json


class Acked(NamedTuple):
    """One acknowledged change of a session. `trigger` is what the row of its version must hold."""

    revision: int
    head: str
    trigger: str
    key: str | None = None
    command: str | None = None
    content: str | None = None
    texts: tuple[str, ...] = ()


@dataclass
class SessionRecord:
    id: str
    owners: tuple[int, ...]
    acked: list[Acked] = field(default_factory=list[Acked])
    parent: "SessionRecord | None" = None
    overrides: dict[int, Json] = field(default_factory=dict[int, Json])  # set by acknowledged Configures, by revision
    retracted: set[str] = field(default_factory=set[str])
    deleted: bool = False

    @property
    def heads(self) -> list[str]:
        return [change.head for change in self.acked]

    def saw(self, view: Json, trigger: str, **what: object) -> None:
        session = view["session"]
        self.acked.append(Acked(session["revision"], session["head"], trigger, **what))  # pyright: ignore[reportArgumentType]


class AckedEntry(NamedTuple):
    """One acknowledged change of the agent. A promotion may change many keys, or none."""

    version: int
    trigger: str
    keys: tuple[str, ...]
    command: str
    content: str | None = None


@dataclass
class Records:
    sessions: list[SessionRecord] = field(default_factory=list[SessionRecord])
    agent: list[AckedEntry] = field(default_factory=list[AckedEntry])
    taught: list[str] = field(default_factory=list[str])  # the words of `Learn ...`
    last: int = 0

    def number(self) -> int:
        self.last += 1
        return self.last

    def of(self, worker: int) -> list[SessionRecord]:
        return [each for each in self.sessions if worker in each.owners and not each.deleted]
