"""Compares what was measured with the budgets of the design."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from meter import Cost

from openbot_memory.store.directory import PARTITIONS

type Measured = Mapping[str, Sequence[Cost | None]]  # operation: its cost in each column

COMMANDS = ("Remember, a known key", "Forget", "Configure")
MODELS = ("Refresh, a batch of 50 items", "Consolidation of a turn of 4 items", "Learning of a batch of 50 items")
TURNS = {"POST turn, 200 items": 200, "POST turn, 1,000 items": 1000}


class Verdict(NamedTuple):
    budget: str
    figures: str
    holds: bool


MANY_BRANCHES = "at most 32 write units, though each rewind leaves a few bytes in the session's row"
LONG_ITEMS = "GET items, a page of long ones"  # where pages of 1 MB end depends on where the first begins


def verdicts(measured: Measured, on_top: Measured) -> list[Verdict]:
    """`measured`: by the size of the memory, last with a long history. `on_top`: for sessions with long pasts."""
    return [
        *_reading(measured),
        *_commands(measured),
        *_instructions(measured),
        *_searching(measured),
        *_lists(measured),
        *_turns(measured),
        *_models(measured),
        _history(measured),
        _most(on_top, "Remember, a known key", MANY_BRANCHES, lambda cost: cost.write_units, 32),
    ]


def _costs(measured: Measured, name: str) -> list[Cost]:
    return [cost for cost in measured[name] if cost]


def _figures(numbers: Iterable[object]) -> str:
    return " · ".join(map(str, numbers))


def _same(
    measured: Measured, name: str, what: str, of: Callable[[Cost], int], where: str = "whatever memory and history"
) -> Verdict:
    """Cost depends on the change alone: it is the same in every column."""
    found = [of(cost) for cost in _costs(measured, name)]
    return Verdict(f"{name}: the same {what}, {where}", _figures(found), _flat(found))


def _history(measured: Measured) -> Verdict:
    """The last two columns differ only in the length of the history."""
    pairs = {name: found[-2:] for name, found in measured.items() if all(found[-2:]) and name != LONG_ITEMS}
    differing = [
        f"{name} {_figures(f'{cost.reads} + {cost.writes}, {cost.write_units:,} units' for cost in found if cost)}"
        for name, found in pairs.items()
        if len({(cost.reads, cost.writes, cost.write_units) for cost in found if cost}) > 1
    ]
    text = "Every route: the same requests and write units with the short and the long history"
    return Verdict(text, "; ".join(["not: ", *differing]) if differing else f"all {len(pairs)}", not differing)


def _flat(found: Sequence[int], slack: int = 0) -> bool:
    return max(found) - min(found) <= slack


def _most(measured: Measured, name: str, budget: str, of: Callable[[Cost], int], limit: int) -> Verdict:
    found = [of(cost) for cost in _costs(measured, name)]
    return Verdict(f"{name}: {budget}", _figures(found), max(found) <= limit)


def _reading(measured: Measured) -> list[Verdict]:
    whole = _costs(measured, "GET memory, whole")
    figures = _figures(f"{cost.count('Query')} of {cost.pages}" for cost in whole)
    holds = all(cost.count("Query") <= cost.pages for cost in whole)
    pages = ("GET memory, a page of 100", "GET memory, the page after it")
    return [
        Verdict("GET memory, whole: one Query a page of 1 MB", figures, holds),
        *(_most(measured, name, "one Query", lambda cost: cost.count("Query"), 1) for name in pages),
    ]


def _commands(measured: Measured) -> list[Verdict]:
    found = list[Verdict]()
    for name in COMMANDS:
        found += [
            _most(measured, name, "at most one round of reads and one transaction", lambda cost: cost.rounds, 2),
            _most(measured, name, "one transaction", lambda cost: cost.count("TransactWriteItems"), 1),
            _same(measured, name, "write units", lambda cost: cost.write_units),
        ]
    return found


def _instructions(measured: Measured) -> list[Verdict]:
    name = "GET instructions"
    large = [cost.read_units for cost in _costs(measured, name)[1:]]
    return [
        _most(measured, name, "at most two rounds", lambda cost: cost.rounds, 2),
        Verdict(f"{name}: read units flat from 100 facts on", _figures(large), _flat(large, slack=1)),
    ]


def _searching(measured: Measured) -> list[Verdict]:
    """The memory is read once; the agent's as well for the instructions."""
    pages = [cost.pages for cost in _costs(measured, "GET memory, whole")]
    found = list[Verdict]()
    for name, of_agent in (("GET memory, a search", 0), ("GET instructions, near to a query", 1)):
        queries = [cost.count("Query") - of_agent for cost in _costs(measured, name)]
        figures = _figures(f"{taken} of {most}" for taken, most in zip(queries, pages, strict=True))
        holds = all(taken <= most for taken, most in zip(queries, pages, strict=True))
        found.append(Verdict(f"{name}: one Query a page of 1 MB of the session's memory", figures, holds))
    return found


def _lists(measured: Measured) -> list[Verdict]:
    names = ("GET sessions, a page of 100", "GET agents, a page of 100")
    budget = f"one Query a partition, {PARTITIONS}, and one BatchGetItem"
    return [_most(measured, name, budget, lambda cost: cost.reads, PARTITIONS + 1) for name in names]


def _turns(measured: Measured) -> list[Verdict]:
    """Of items that each have less than a KB."""
    found = list[Verdict]()
    for name, items in TURNS.items():
        over = [cost.write_units - items for cost in _costs(measured, name)]
        text = f"{name}: one write unit an item of up to a KB, and a constant of up to 20"
        found.append(Verdict(text, _figures(f"{items:,} + {each}" for each in over), max(over) <= 20))
    return found


def _models(measured: Measured) -> list[Verdict]:
    """A memory that does not fit the prompt is read whole, to find what is near to the items (S7)."""
    found, pages = list[Verdict](), max(cost.pages for cost in _costs(measured, "GET memory, whole"))
    for name in MODELS:
        requests = [len(cost.requests) for cost in _costs(measured, name)]
        text = (
            f"{name}: the same requests, and at most one Query a MB more beside a memory that does not fit the prompt"
        )
        found += [
            _most(measured, name, "one model call", lambda cost: cost.models, 1),
            Verdict(text, _figures(requests), _flat(requests, slack=pages)),
        ]
    return found
