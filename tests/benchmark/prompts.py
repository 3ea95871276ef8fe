"""Measures the prompt of a consolidation by the length of the conversation: it must not grow with the history.

In the made-up conversation, a person and an assistant say two lines each in every turn, and every third teaches a fact.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from bench import Bench
from seeds import begun, learn
from stand_in import StandIn

from openbot_memory.models.port import Question
from openbot_memory.models.prompt import instructions, items, known, schema

TURNS = (10, 100, 1000)
TEACHES = 3  # every third turn
A_TOKEN = 4  # characters, roughly, of English


class Prompt(NamedTuple):
    """Characters of one call's parts: the first two are the same in every call, the third mostly."""

    turn: int
    rules: int
    tool: int
    known: int
    items: int
    kept: int  # the common beginning with the call before

    @property
    def whole(self) -> int:
        return self.rules + self.tool + self.known + self.items


def sent(turns: Sequence[int] = TURNS) -> list[Prompt]:
    """The prompts of these turns of one conversation."""
    bench, found = Bench(StandIn()), list[Prompt]()
    subject = begun(bench, "conversation")
    for turn in range(1, turns[-1] + 1):
        if turn % TEACHES:
            subject.turn(2)
            bench.deliver()
        else:
            learn(subject, [f"point-{turn:05d}"])
        if turn in turns:
            found.append(_prompt(turn, *bench.model.questions[-2:]))
    return found


def _prompt(turn: int, before: Question, question: Question) -> Prompt:
    one, other = known(before), known(question)
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    rules, tool = len(instructions(question)), len(json.dumps(schema(question)))
    return Prompt(turn, rules, tool, len(other), len(items(question)), rules + tool + same)
