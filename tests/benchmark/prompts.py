"""What a consolidation sends to its model, by how long the conversation is: it must not grow with the history.

Made up: each turn is what a person and an assistant say in two lines each, and every third turn teaches a fact.
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
TEACHES = 3  # every so many turns
A_TOKEN = 4  # characters, roughly, of English


class Prompt(NamedTuple):
    """Characters of one call's parts: the first two are the same in every call, the third mostly as in the last."""

    turn: int
    rules: int
    tool: int
    known: int
    items: int
    kept: int  # of the beginning, as it was in the call before

    @property
    def whole(self) -> int:
        return self.rules + self.tool + self.known + self.items


def sent(turns: Sequence[int] = TURNS) -> list[Prompt]:
    """Of these turns of one conversation."""
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
