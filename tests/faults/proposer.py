"""A model that may fail or die, and proposes one fact for each `Learn WORD.`, with the word in its key and content."""

import re
from collections import Counter
from random import Random

from layer import Layer

from openbot_memory.domain.errors import ModelFailed
from openbot_memory.domain.facts import Kind
from openbot_memory.domain.items import Item
from openbot_memory.domain.rules import Proposal
from openbot_memory.domain.session import Tokens
from openbot_memory.models.port import Answer, Question

FAILS = 0.08
MOST_FAILURES = 3  # for the same items: a single one would be passed over at its fifth
DIES = 0.01
ZOMBIE = "What was forgotten."


class Proposer:
    def __init__(self, layer: Layer, random: Random) -> None:
        self.layer, self.random = layer, random
        self.calls = Counter[str]()  # by session or agent
        self.failures = Counter[str]()
        self._failed = Counter[str]()

    def propose(self, _model: str, question: Question) -> Answer:
        current = self.layer.current
        assert current
        self.calls[current.about] += 1
        current.asked += 1
        self.layer.may_die("while the model works", DIES)
        if self.layer.on:
            self.layer.meanwhile()
        if self._fails(question):
            self.failures[current.about] += 1
            raise ModelFailed("The model did not answer in time.")
        self.layer.may_die("while the model works", DIES)
        proposals = [
            proposal for item in question.items for proposal in proposals_for(item, for_agent=question.for_agent)
        ]
        return Answer(proposals=tuple(proposals), tokens=Tokens(100, 10))

    def _fails(self, question: Question) -> bool:
        first = f"{question.for_agent} {question.items[0].turn} {question.items[0].id}"
        if not self.layer.on or self._failed[first] >= MOST_FAILURES or self.random.random() >= FAILS:
            return False
        self._failed[first] += 1
        return True


def proposals_for(item: Item, *, for_agent: bool) -> list[Proposal]:
    """The proposals for an item: what it teaches, and forgotten facts that it tries to bring back."""
    prefix, kind = ("a", Kind.PROCEDURE) if for_agent else ("f", Kind.FACT)
    learned = [
        Proposal(key=f"{prefix}-{word}", content=content(word), kind=kind, sources=(item.id,))
        for word in re.findall(r"Learn (\w+)\.", item.text)
    ]
    prefixes = ("a-", "g-") if for_agent else ("f-", "h-")
    return learned + [
        Proposal(key=key, content=ZOMBIE, kind=kind, sources=(item.id,))
        for key in re.findall(r"Bring back ([\w-]+)\.", item.text)
        if key.startswith(prefixes)
    ]


def content(word: str) -> str:
    return f"Learned from {word}."
