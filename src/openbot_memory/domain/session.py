"""A session: the state of its history and memory, and how that state goes from one version to the next."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple, TypedDict, Unpack

from openbot_memory.domain.errors import SessionConflict
from openbot_memory.domain.facts import Fact
from openbot_memory.domain.ranges import Ranges
from openbot_memory.domain.rules import Dropped
from openbot_memory.domain.settings import Overrides
from openbot_memory.domain.text import line


class SessionKind(StrEnum):
    NORMAL = "normal"
    CHECK = "check"


class PrincipalType(StrEnum):
    PERSON = "person"
    AGENT = "agent"
    HOST = "host"


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who calls, as the token says."""

    organization: str
    type: PrincipalType
    id: str
    name: str = ""
    admin: bool = False


class Trigger(StrEnum):
    """What made a version. A turn is not a change of memory, so the memory log leaves it out."""

    TURN = "turn"
    CONSOLIDATION = "consolidation"
    PERSON = "person"
    AGENT = "agent"
    HOST = "host"
    FORK = "fork"
    REWIND = "rewind"
    PROMOTION = "promotion"


class Tokens(NamedTuple):
    input: int = 0
    output: int = 0

    def plus(self, other: "Tokens") -> "Tokens":
        return Tokens(self.input + other.input, self.output + other.output)


class Failure(NamedTuple):
    """The last consolidation's failure (S8): `attempts` in a row, all batches together."""

    message: str
    at: int
    attempts: int


class Batch(NamedTuple):
    """A batch that failed: it is tried again as it was (S8)."""

    items: Ranges
    failures: int


class Origin(NamedTuple):
    """Where a fork comes from. Items and steps below these numbers lie with its ancestors."""

    session: str
    version: str
    items: int
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """What a version of the session consists of (S12), as numbers of items and steps."""

    items: Ranges = Ranges()
    steps: Ranges = Ranges()
    processed: Ranges = Ranges()
    readable: int = 0  # items up to this number belong to turns that a finished one frees for reading (S5)

    @property
    def unread(self) -> Ranges:
        return self.items - self.processed


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts of a memory, kept with it so that no path has to read all facts."""

    keys: int = 0
    active: int = 0
    characters: int = 0  # of the active facts' lines in the memory text

    def after(self, changes: Iterable[Fact], before: Mapping[str, Fact]) -> "Tally":
        tally = self
        for fact in changes:
            old = before.get(fact.key)
            tally = Tally(
                keys=tally.keys + (old is None),
                active=tally.active + fact.active - bool(old and old.active),
                characters=tally.characters + _characters(fact) - (_characters(old) if old else 0),
            )
        return tally


def _characters(fact: Fact) -> int:
    return len(line(fact)) if fact.active else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One state of a session or of an agent's memory, and the change that made it."""

    id: str
    step: int
    at: int
    trigger: Trigger
    timeline: Timeline
    turn_model: str | None = None
    changes: tuple[Fact, ...] = ()  # each fact as it is after the change
    removed: tuple[str, ...] = ()  # keys that a Restore has taken away
    by: Principal | None = None
    dropped: tuple[Dropped, ...] = ()
    model: str | None = None
    tokens: Tokens | None = None

    @property
    def keys(self) -> list[str]:
        """The keys that it changed."""
        return [*(fact.key for fact in self.changes), *self.removed]


class Change(TypedDict, total=False):
    """What a version says of the change that made it."""

    changes: tuple[Fact, ...]
    removed: tuple[str, ...]
    by: Principal
    dropped: tuple[Dropped, ...]
    model: str
    tokens: Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The session's row. `revision` counts all changes, `step` those of the history; both only grow."""

    id: str
    agent: str | None = None
    model: str
    kind: SessionKind = SessionKind.NORMAL
    head: str
    revision: int = 1
    step: int = 1
    generation: str  # of the current facts, random; a rewind writes them anew under another
    next_item: int = 1
    timeline: Timeline = Timeline()
    tally: Tally = Tally()
    overrides: Overrides = field(default_factory=dict[str, bool])
    turn_model: str | None = None  # of the last finished turn
    tokens: Tokens = Tokens()
    last_run: int | None = None  # ms, of the last consolidation that read something
    error: Failure | None = None
    batch: Batch | None = None
    forked_from: Origin | None = None
    created_at: int
    updated_at: int

    def later(self, now: int) -> int:
        """The time of the next change: the clock's, but never before the last change (S4's order)."""
        return max(now, self.updated_at)

    def current(self, trigger: Trigger, **change: Unpack[Change]) -> Version:
        """The version that the session has just come to."""
        return Version(
            id=self.head,
            step=self.step,
            at=self.updated_at,
            trigger=trigger,
            timeline=self.timeline,
            turn_model=self.turn_model,
            **change,
        )


@dataclass(frozen=True, slots=True)
class Expected:
    """The head and revision that the caller last saw (S9)."""

    head: str
    revision: int

    def check(self, session: Session) -> None:
        """Raise SessionConflict if either is stale."""
        if (self.head, self.revision) != (session.head, session.revision):
            raise SessionConflict(head=session.head, revision=session.revision)


def version_id(step: int, random: str) -> str:
    """`random`: 8 hex digits. The step at the end lets the version's row be found without an index."""
    return f"v-{random}{step:x}"


RANDOM_DIGITS = 8


def version_step(identifier: str) -> int | None:
    """The step inside a version id, None for what is no version id."""
    digits = identifier.removeprefix("v-")[RANDOM_DIGITS:]
    if not digits or len(digits) > 12 or any(c not in "0123456789abcdef" for c in digits):  # noqa: PLR2004
        return None
    return int(digits, 16)


def advance(
    session: Session,
    *,
    head: str,
    at: int,
    timeline: Timeline,
    changes: Iterable[Fact] = (),
    before: Mapping[str, Fact] | None = None,
) -> Session:
    """The session at its next version: one step and one revision on, its facts counted."""
    step = session.step + 1
    return replace(
        session,
        head=head,
        revision=session.revision + 1,
        step=step,
        timeline=replace(timeline, steps=timeline.steps | Ranges.span(step, step)),
        tally=session.tally.after(changes, before or {}),
        next_item=max(session.next_item, timeline.items.last + 1),
        updated_at=at,
    )


def fold(versions: Iterable[Version], erased: Mapping[str, Fact]) -> dict[str, Fact]:
    """The facts at the end of a line of versions, oldest first (S12). What was erased since stays a stub in any."""
    facts = dict[str, Fact]()
    for version in versions:
        facts |= {fact.key: fact for fact in version.changes}
        facts = {key: fact for key, fact in facts.items() if key not in version.removed} if version.removed else facts
    return facts | {key: stub for key, stub in erased.items() if key not in facts or facts[key].step < stub.step}
