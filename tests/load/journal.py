"""Records what the service acknowledged under load, one line of JSON each, in the order of the responses."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A session, or a fork of one at a version."""

    session: str
    agent: str | None = None
    forked: str | None = None  # from this session
    copied: int = 0  # items of that session


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A finished turn in which the user states a fact that must be learned under `key`."""

    session: str
    turn: str
    items: int
    key: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A Remember (with content) or a Forget in a session, and the version that it made."""

    session: str
    version: str
    revision: int
    key: str
    content: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """A Remember (with content) or a Forget in the agent's memory, and the version that it made."""

    version: int
    key: str
    content: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unexpected:
    """A response that the service must not give, or none at all."""

    description: str


type Entry = Made | Turn | Changed | Taught | Unexpected

KINDS = {kind.__name__: kind for kind in (Made, Turn, Changed, Taught, Unexpected)}


@dataclass
class Journal:
    """All entries by their kind."""

    made: list[Made] = field(default_factory=list[Made])
    turns: list[Turn] = field(default_factory=list[Turn])
    changed: list[Changed] = field(default_factory=list[Changed])
    taught: list[Taught] = field(default_factory=list[Taught])
    unexpected: list[Unexpected] = field(default_factory=list[Unexpected])

    def add(self, entry: Entry) -> None:
        match entry:
            case Made():
                self.made.append(entry)
            case Turn():
                self.turns.append(entry)
            case Changed():
                self.changed.append(entry)
            case Taught():
                self.taught.append(entry)
            case Unexpected():
                self.unexpected.append(entry)


def write(path: Path, entry: Entry) -> None:
    with path.open("a") as file:
        file.write(json.dumps([type(entry).__name__, asdict(entry)]) + "\n")


def read(path: Path) -> Journal:
    journal = Journal()
    for line in path.read_text().splitlines():
        kind, fields = json.loads(line)
        entry: Any = KINDS[kind](**fields)
        journal.add(entry)
    return journal
