"""Measures how well and how fast facts are found: `python tests/benchmark/search.py [LOCOMO10.json]`.

With the file of LoCoMo's ten dialogues (snap-research/locomo, CC BY-NC 4.0, so not in this repository), its questions
are asked as well: each observation is a fact, and one whose dialogue id is among a question's evidence answers it.
"""

import json
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from asked import corpus, saying

from openbot_memory.domain.facts import Fact, Person
from openbot_memory.domain.ranking import newest_and_nearest, ranked
from openbot_memory.domain.text import fitting, newest_first

ADVERSARIAL = 5  # LoCoMo's category of questions that nothing answers
NOWHERE = 1_000_000


def rank(query: str, facts: Sequence[Fact], answers: frozenset[str]) -> int:
    return next((n for n, fact in enumerate(ranked(query, facts)) if fact.key in answers), NOWHERE)


def row(name: str, ranks: Sequence[int]) -> str:
    shares = (sum(n < most for n in ranks) / len(ranks) for most in (1, 5, 25))
    return f"| {name} | {len(ranks)} | " + " | ".join(f"{share:.2f}" for share in shares) + " |"


def own_questions() -> Iterator[str]:
    facts, questions = corpus()
    ranks: defaultdict[str, list[int]] = defaultdict(list)
    for question in questions:
        found = rank(question.text, facts, question.answers)
        for group in (question.language, "held out" if question.held_out else "tuned", "all"):
            ranks[group].append(found)
    yield from (row(group, found) for group, found in ranks.items())


def locomo(file: Path) -> Iterator[str]:
    """Yield the shares by rank, and the share of questions whose fact is in instructions of 8,000 characters."""
    ranks: list[int] = []
    newest = nearest = 0
    for dialogue in json.loads(file.read_text(encoding="utf-8")):
        facts, spoken = _observations(dialogue)
        for question in dialogue["qa"]:
            answers = frozenset(key for key, ids in spoken.items() if ids & set(question["evidence"]))
            if not answers or question["category"] == ADVERSARIAL:
                continue
            ranks.append(rank(question["question"], facts, answers))
            newest += bool(answers & _shown(sorted(facts, key=newest_first), 8000))
            nearest += bool(answers & _instructions(question["question"], facts))
    yield row("LoCoMo", ranks)
    yield f"In the text: {newest / len(ranks):.2f} by the newest alone, {nearest / len(ranks):.2f} with the nearest"


def _observations(dialogue: dict[str, Any]) -> tuple[list[Fact], dict[str, set[str]]]:
    facts: list[Fact] = []
    spoken: dict[str, set[str]] = {}
    for session in dialogue["observation"].values():
        for content, ids in (entry for said in session.values() for entry in said):
            fact = saying(f"o-{len(facts)}", content, at=len(facts))
            facts.append(replace(fact, person=Person("ana", "Ana, 2026-12-05")))
            spoken[fact.key] = {ids} if isinstance(ids, str) else set(ids)
    return facts, spoken


def _shown(facts: Sequence[Fact], room: int) -> frozenset[str]:
    return frozenset(fact.key for fact, _ in fitting(facts, room))


def _instructions(query: str, facts: Sequence[Fact], room: int = 8000) -> frozenset[str]:
    newest, nearest = newest_and_nearest(sorted(facts, key=newest_first), query, room)
    return frozenset(fact.key for fact in (*newest, *nearest))


def contradictions(together: int) -> str:
    """Count, of 200 old facts among 5,000, those in the 4,000 characters shown with items that contradict them."""
    chance = random.Random(5)  # noqa: S311 - reproducible, nothing secret
    given = json.loads((Path(__file__).parent / "contradictions.json").read_text(encoding="utf-8"))
    chatter = given.pop("chatter")

    def items(said: str) -> str:
        while len(said) < 200:
            other = chance.choice(chatter)
            said = chance.choice([f"{said} {other}", f"{other} {said}"])
        return said

    pairs = [
        [text.format(name=name, thing=thing, place=place, other=other) for text in pair]
        for of in given.values()
        for pair in of["pairs"]
        for name in of["names"]
        for thing in of["things"]
        for place, other in [chance.sample(of["places"], 2)]
    ]
    planted = chance.sample(pairs, 200)
    facts = [saying(f"p-{n}", fact, at=n) for n, (fact, _) in enumerate(planted)]
    facts += [saying(f"r-{n}", _other(given, chance), at=1000 + n) for n in range(4800)]
    held = 0
    for first in range(0, 200, together):
        said = [item for _, item in planted[first : first + together]]
        batch = [items(item) for item in said + [""] * (20 - together)]
        chance.shuffle(batch)
        near = _shown(ranked("\n".join(batch), facts), 4000)
        held += sum(f"p-{n}" in near for n in range(first, first + together))
    newest = _shown(sorted(facts, key=newest_first), 4000)
    alone = sum(f"p-{n}" in newest for n in range(200))
    return f"| {together} of 20 | {held} | {alone} |"


def _other(given: dict[str, dict[str, list[str]]], chance: random.Random) -> str:
    """A sentence made of two facts of the corpus; every other one also has a recurring name, and a place or thing."""
    contents = [fact.content for fact in _CORPUS]
    at = chance.randrange(len(contents) - 1)
    said = contents[at][: len(contents[at]) // 2] + contents[at + 1][len(contents[at + 1]) // 2 :]
    of = given[chance.choice(list(given))]
    tail = f" ({chance.choice(of['names'])}, {chance.choice(chance.choice([of['places'], of['things']]))})"
    return said + chance.choice(["", tail])


def times() -> Iterator[str]:
    """Yield processor times over 5,000 facts of about 100 characters, the least of five."""
    chance = random.Random(1)  # noqa: S311 - reproducible, nothing secret
    syllables = "ka lo mi ter san den ver pro con al is ing er ed an tri mon sta pla ble".split()
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(12_000)]
    often = list(accumulate(1 / (n + 1) ** 0.9 for n in range(len(words))))  # about as frequent as in natural texts
    han = "".join(fact.content for fact in _CORPUS if fact.key.endswith((" zh", " ja", " th")))

    def natural(length: int) -> str:
        said = " ".join(chance.choices(words, cum_weights=often, k=length // 5 + 1))[:length]
        return ". ".join(said[n : n + 70] for n in range(0, length, 70))

    def unspaced(length: int) -> str:
        return "".join(chance.choices(han, k=length))

    def hexadecimal(length: int) -> str:
        return " ".join(f"{chance.getrandbits(32):08x}" for _ in range(length // 9))

    for name, text in (("words", natural), ("no blanks", unspaced), ("all words differ", hexadecimal)):
        facts = [saying(f"key-{n}", text(90), at=n) for n in range(5000)]
        yield _times(name, [text(60), text(1000), text(60_000)], facts)
    hostile = [saying(f"k-{n}", "".join(chance.choices("abcdefghij", k=2000)), at=n) for n in range(500)]
    twice = [*hostile, *(saying(f"l-{n}", fact.content[::-1], at=n) for n, fact in enumerate(hostile))]
    long = hostile[0].content * 30
    for name, facts in (("one word of 2,000 characters, 500 facts", hostile), ("the same, 1,000 facts", twice)):
        yield _times(name, [long[:60], long[:1000], long], facts)
    same = [saying(f"k-{n}", "spam " * 400, at=n) for n in range(5000)]
    yield _times("400 times the same word", ["spam " * many for many in (12, 200, 12_000)], same)


def _times(name: str, queries: Sequence[str], facts: Sequence[Fact]) -> str:
    return f"| {name} | " + " | ".join(f"{_least(query, facts):.0f}" for query in queries) + " |"


def _least(query: str, facts: Sequence[Fact]) -> float:
    taken: list[float] = []
    for _ in range(5):
        start = time.process_time()
        ranked(query, facts)
        taken.append(time.process_time() - start)
    return min(taken) * 1000


_CORPUS, _ = corpus()

if __name__ == "__main__":
    rows = [*own_questions(), *(shown for path in sys.argv[1:] for shown in locomo(Path(path)))]
    sys.stdout.write("\n".join([*rows, contradictions(1), contradictions(20), *times()]) + "\n")
