"""Questions, each with the one fact that answers it, read from the files in `questions/`, one for each language.

A line `key: content` is a fact; the lines `? ...` below it are questions that it answers in other words. Every other
question of a file was used to tune the ranking; the rest is held out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from openbot_memory.domain.facts import Fact, Kind


@dataclass(frozen=True, slots=True)
class Question:
    language: str
    text: str
    answers: frozenset[str]  # keys
    held_out: bool


def saying(key: str, content: str, at: int = 0) -> Fact:
    return Fact(key=key, content=content, kind=Kind.FACT, sources=(), updated_at=at, step=at)


def corpus() -> tuple[list[Fact], list[Question]]:
    """The facts of all languages as one memory, with the language in their keys, and the questions."""
    facts: list[Fact] = []
    questions: list[Question] = []
    for file in sorted((Path(__file__).parent / "questions").glob("*.txt")):
        asked = 0
        for line in _lines(file):
            if line.startswith("? "):
                asked += 1
                answers = frozenset({facts[-1].key})
                questions.append(Question(file.stem, line.removeprefix("? "), answers, held_out=asked % 2 == 0))
            else:
                key, _, content = line.partition(": ")
                facts.append(saying(f"{key} {file.stem}", content, at=len(facts)))
    return facts, questions


def _lines(file: Path) -> Iterator[str]:
    return filter(None, file.read_text(encoding="utf-8").splitlines())
