"""An agent: what it is, and how far it has learned from each of its sessions (A1-A10)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Unpack

from openbot_memory.domain.errors import AgentMemoryConflict
from openbot_memory.domain.facts import Fact
from openbot_memory.domain.ranges import Ranges
from openbot_memory.domain.session import Batch, Change, Failure, Session, Tally, Timeline, Trigger, Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One row's worth of agent. `version` counts the changes of its memory: no gaps, none twice (A9)."""

    id: str
    name: str
    shared: bool = False
    version: int = 0
    generation: str  # of the current entries; a Restore writes them anew under a greater one
    tally: Tally = Tally()
    created_at: int
    updated_at: int

    @property
    def step(self) -> int:
        """What a session calls a step: entries carry it as facts do."""
        return self.version

    def later(self, now: int) -> int:
        """The time of the next change: the clock's, but never before the last one."""
        return max(now, self.updated_at)

    def check(self, expected: int) -> None:
        """Raise AgentMemoryConflict if `expected` is not the version (A8)."""
        if expected != self.version:
            raise AgentMemoryConflict(version=self.version)

    def changed(self, at: int, changes: Iterable[Fact], before: Mapping[str, Fact]) -> "Agent":
        """The agent at its next version."""
        return replace(self, version=self.version + 1, updated_at=at, tally=self.tally.after(changes, before))

    def rewritten(self, at: int, entries: Iterable[Fact], random: str) -> "Agent":
        """The agent at its next version, with all its entries under a new generation."""
        version = self.version + 1
        generation, tally = new_generation(version, random), Tally().after(entries, {})
        return replace(self, version=version, generation=generation, tally=tally, updated_at=at)

    def current(self, trigger: Trigger, **change: Unpack[Change]) -> Version:
        """The version that its memory has just come to."""
        number, timeline = self.version, Timeline()
        return Version(id=str(number), step=number, at=self.updated_at, trigger=trigger, timeline=timeline, **change)


def new_generation(version: int, random: str) -> str:
    """Sorts by the version that it begins with, so that the newest entries stand last in the index."""
    return f"{version:012d}{random}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far an agent has learned from one session. Item numbers are never used twice, so a rewind changes nothing."""

    born: int  # ms, when the session was created: another session may get the id of one that was deleted
    count: int = 0  # of the changes of this row
    learned: Ranges = Ranges()
    batch: Batch | None = None
    error: Failure | None = None

    def unlearned(self, session: Session) -> Ranges:
        """The items to learn from: of the timeline, free for reading (S5), and not what a fork has copied (A5)."""
        copied = session.forked_from.items - 1 if session.forked_from else 0
        return session.timeline.items.upto(session.timeline.readable).after(copied) - self.learned
