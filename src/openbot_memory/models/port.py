"""What the core asks of a model, whichever it is."""

from dataclasses import dataclass
from typing import Protocol

from openbot_memory.domain.facts import Fact
from openbot_memory.domain.items import Item
from openbot_memory.domain.rules import Malformed, Proposal
from openbot_memory.domain.session import Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One bounded batch of unread items, oldest first, and what the memory holds already, newest first."""

    items: tuple[Item, ...]
    known: tuple[Fact, ...]
    today: int  # ms since the epoch
    forgotten: tuple[str, ...] = ()  # keys of forgotten facts
    instructions: str = ""  # the organization's own
    for_agent: bool = False  # durable experience for an agent's memory (A3), else a session's facts (S5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the model proposed, unchecked but for its shape, and the tokens that it took."""

    proposals: tuple[Proposal | Malformed, ...]
    tokens: Tokens


class Model(Protocol):
    def propose(self, model: str, question: Question) -> Answer:
        """Ask the model once. Raises ModelFailed, whose message holds nothing that the model or its API said (S8)."""
        ...
