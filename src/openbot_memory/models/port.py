"""The port to a language model: the question that the core asks, and the answer."""

from dataclasses import dataclass
from typing import Protocol

from openbot_memory.domain.facts import Fact
from openbot_memory.domain.items import Item
from openbot_memory.domain.rules import Malformed, Proposal
from openbot_memory.domain.session import Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One bounded batch of unread items, oldest first, and what a model must know to read them (S7)."""

    items: tuple[Item, ...]
    known: tuple[Fact, ...]  # the newest active facts, newest first
    near: tuple[Fact, ...] = ()  # older active facts that are near to the items, where `known` does not hold all
    forgotten: tuple[str, ...] = ()  # keys of retracted facts, newest first, bounded by the caller
    today: int  # ms since the epoch
    instructions: str = ""  # the organization's own, at most 2000 characters
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
