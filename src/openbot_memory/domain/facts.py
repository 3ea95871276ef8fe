"""What memory is made of: keyed facts with their sources (S2, A2), and the checks on their text."""

import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from openbot_memory.domain.errors import InvalidRequest

MAX_KEY = 128  # characters after normalization


class Kind(StrEnum):
    FACT = "fact"
    DECISION = "decision"
    PREFERENCE = "preference"
    PROCEDURE = "procedure"
    HYPOTHESIS = "hypothesis"


DURABLE = frozenset({Kind.PROCEDURE, Kind.PREFERENCE, Kind.DECISION})  # A2


class Status(StrEnum):
    ACTIVE = "active"
    RETRACTED = "retracted"


class Person(NamedTuple):
    id: str
    name: str


class AgentSource(NamedTuple):
    """Where an agent learned something: an item of one of its sessions (A1)."""

    session: str
    item: str


type Source = str | AgentSource  # an item id in a session's fact, session and item in an agent's entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A session's fact or an agent's entry. `step` counts the changes of its memory, so it orders equal times."""

    key: str
    content: str
    kind: Kind
    sources: tuple[Source, ...]
    updated_at: int  # ms since the epoch
    status: Status = Status.ACTIVE
    step: int
    order: int = 0  # among the facts of one change, by key
    person: Person | None = None  # whose words its sources are, where they are of one person (S2, A4)
    marks: tuple[str, ...] = ()  # of an erased fact, by which its content is known again (S6)
    only_apps: bool = False  # what it says was found in apps' items alone (A4)
    supported: bool = True  # whether an item that was unread then may support an agent's entry (A4)

    @property
    def active(self) -> bool:
        return self.status is Status.ACTIVE

    @property
    def erased(self) -> bool:
        """Only a stub is left."""
        return not self.active and not self.content


def clean_key(key: str, path: str = "key") -> str:
    """Return the key in NFC. Raises InvalidRequest: empty, over 128 characters, a control character or surrogate."""
    _refuse_surrogates(key, path)
    key = unicodedata.normalize("NFC", key)
    if not 1 <= len(key) <= MAX_KEY:
        raise InvalidRequest.at(path, f"A key has 1 to {MAX_KEY} characters.", limit=MAX_KEY, length=len(key))
    if any(unicodedata.category(c) in {"Cc", "Zl", "Zp"} for c in key):
        raise InvalidRequest.at(path, "A key holds no control characters.")
    return key


def clean_content(content: str, limit: int, path: str = "content") -> str:
    """Return the content as it is. Raises InvalidRequest: blank, too long (never cut, S4), a lone surrogate."""
    _refuse_surrogates(content, path)
    if not content.strip():
        raise InvalidRequest.at(path, "Content is not empty.")
    if len(content) > limit:
        raise InvalidRequest.at(path, f"Content has at most {limit} characters.", limit=limit, length=len(content))
    return content


def _refuse_surrogates(text: str, path: str) -> None:
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise InvalidRequest.at(path, "The text holds a lone surrogate.")
