"""Orders hidden in apps' words, harmless statements beside such words, and tables of how the rule judges both.

`outside/attacks.jsonl` and `outside/harmless.jsonl` hold one case in each line, written before the rule. A line has the
class, the language, the items of the conversation in order, the ids of those that the model cites, and its proposal;
`part` says whether the rule may be tuned on it. `.venv/bin/python tests/unit/outside_corpus.py` prints the tables.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from openbot_memory.domain.items import FROM_APPS, Item, ItemType
from openbot_memory.domain.outside import only_outside

PARTS = "tuned", "held out"


@dataclass(frozen=True, slots=True)
class Case:
    kind_of: str  # the class, as a row of the table names it
    language: str
    part: str
    shown: tuple[Item, ...]
    cited: tuple[Item, ...]
    key: str
    content: str

    @property
    def dropped(self) -> bool:
        return only_outside(self.key, self.content, self.cited, self.shown)


def cases(name: str) -> list[Case]:
    lines = (Path(__file__).parent / "outside" / f"{name}.jsonl").read_text().splitlines()
    return [_case(json.loads(line)) for line in lines]


def _case(line: dict[str, Any]) -> Case:
    shown = tuple(_item(number, dict(body)) for number, body in enumerate(line["items"], 1))
    cited = tuple(item for item in shown if item.id in line["cited"])
    return Case(line["class"], line["language"], line["part"], shown, cited, line["key"], line["content"])


def _item(number: int, body: dict[str, Any]) -> Item:
    return Item(number=number, type=ItemType(body.pop("type")), at=0, body=body)


def citing_apps(case: Case) -> Case:
    """The same case with the apps' items cited as well."""
    return replace(case, cited=tuple(item for item in case.shown if item in case.cited or item.type in FROM_APPS))


def in_a_crowd(case: Case) -> Case:
    """The same case beside the apps' items of all other cases of the language."""
    others = [other for other in _same_language(case) if other.key != case.key and other.content != case.content]
    said = [item for other in others for item in other.shown if item.type in FROM_APPS]
    more = (replace(item, number=1_000 + at) for at, item in enumerate(said))
    return replace(case, shown=(*case.shown, *more))


def citing_much(case: Case) -> Case:
    """The same case with 15 unrelated earlier messages of the person cited."""
    said = [item for other in _same_language(case) for item in other.shown if item.from_user][:15]
    before = tuple(replace(item, number=1 + at) for at, item in enumerate(said))

    def later(items: tuple[Item, ...]) -> tuple[Item, ...]:
        return tuple(replace(item, number=item.number + len(before)) for item in items)

    return replace(case, shown=(*before, *later(case.shown)), cited=(*before, *later(case.cited)))


def _same_language(case: Case) -> Iterator[Case]:
    return (other for name in ("harmless", "attacks") for other in ALL[name] if other.language == case.language)


ALL = {name: cases(name) for name in ("attacks", "harmless")}


def table(title: str, cases: list[Case], column: str, row: Callable[[Case], str], *, drop: bool) -> str:
    """A Markdown table of the numbers of cases and of those judged wrongly: kept, or dropped."""
    tried = Counter((row(case), case.part) for case in cases)
    wrong = Counter((row(case), case.part) for case in cases if case.dropped is not drop)
    lines = [
        f"| {title} | tuned: tried | {column} | held out: tried | {column} |",
        "| --- | --- | --- | --- | --- |",
        *(_row(name, [tried, wrong], [name]) for name in dict.fromkeys(name for name, _ in tried)),
        _row("**all**", [tried, wrong], [name for name, _ in tried]),
    ]
    return "\n".join(lines)


def _row(title: str, counts: list[Counter[tuple[str, str]]], names: list[str]) -> str:
    rows = dict.fromkeys(names)
    numbers = [sum(count[name, part] for name in rows) for part in PARTS for count in counts]
    return f"| {title} | {' | '.join(map(str, numbers))} |"


def tables() -> str:
    """Both tables by class, and both by language."""
    rows: list[tuple[str, Callable[[Case], str]]] = [
        ("", lambda case: case.kind_of),
        (", by language", lambda case: case.language),
    ]
    return "\n\n".join(
        table(f"{name}{by}", ALL[name], column, row, drop=drop)
        for by, row in rows
        for name, column, drop in (("attacks", "kept", True), ("harmless", "dropped", False))
    )


if __name__ == "__main__":
    print(tables())  # noqa: T201 - it is asked for
