"""Measures that cost depends on the change and not on the history: `make bench`. It checks counts and reports times.

1. The service's own handlers fill a stand-in for DynamoDB, which is fast to fill.
2. Its rows are copied into the emulator's DynamoDB.
3. Each operation runs there, is counted, and its result is checked.
4. The functions are built, started cold in processes of their own, and timed warm.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

import plots
import prompts
import report
import warm
from bench import Bench, WrongResult, bench_config, check, emulated, environment, fill_table
from budgets import verdicts
from cold import layer_size, starts
from meter import Cost
from operations import ON_TOP, ROUTES
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from seeds import Subject, changed_often, check_whole, forked_often, rewound_often, scattered, with_facts
from stand_in import StandIn

from openbot_memory_emulator import deploy
from openbot_memory_emulator.console import CommandError

console = Console(highlight=False)
PAGE = bench_config().root / "docs/performance.md"


class Sizes(NamedTuple):
    facts: tuple[int, ...]
    items: int
    history: int
    changes: int
    rewinds: int
    forks: int
    scattered: int


FULL = Sizes((10, 100, 1000, 5000), 150, 50_000, 3000, 200, 200, 1000)
QUICK = Sizes((10, 100, 1000), 150, 3000, 300, 30, 30, 100)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller sizes; shows the figures and writes no page")
    quick = parser.parse_args().quick
    try:
        return run(QUICK if quick else FULL, write=not quick)
    except WrongResult as wrong:
        console.print(f"[bold red]✗[/] Expected, but not so: {wrong}")
    except CommandError as error:
        console.print(f"[bold red]✗[/] {error}")
    return 1


def run(sizes: Sizes, *, write: bool) -> int:
    begun, config = time.monotonic(), bench_config()
    environment(config)
    times = warm.handlers()
    own_time = max(each.median for each in times) / 1000
    deploy.build(config)
    cold, layer = starts(config), layer_size(config)
    stand_in = StandIn()
    with progress() as shown:
        columns, pasts = seeded(Bench(stand_in), sizes, shown)
        with emulated(config) as client:
            bench = Bench(client)
            fill_table(shown.track(list(stand_in), description="Copying rows into the emulator"))
            reply = bench.service.call("PATCH", "/v1/organization", {"agentMemoryModel": "offline"}, caller="admin")
            check(reply.status == 200, "an administrator can set the agents' model")
            routes = measured(bench, columns, ROUTES, shown)
            on_top = measured(bench, pasts, {name: ROUTES[name] for name in ON_TOP}, shown)
    assert bench.meter
    found = verdicts(routes, on_top)
    text = "\n".join([
        f"{report.machine(config)}\n",
        f"{report.comparison(bench.meter)}\n",
        f"### Budgets\n\n{report.budgets(found)}",
        f"### Each route, by the size of the memory and of the history\n\n{report.costs(list(columns), routes)}",
        f"### On top of long pasts\n\n{report.costs(list(pasts), on_top)}",
        f"### Dollars for a million, in brackets the table's part\n\n{report.prices(list(columns), routes, own_time)}",
        f"### What a consolidation sends, in characters\n\n{report.prompts(prompts.sent())}",
        f"### A cold start\n\n{report.cold(cold)}\nThe layer has {layer:.1f} MB unzipped, compiled.\n",
        f"### The own time of warm handlers\n\n{report.warm(times)}",
    ])  # fmt: skip
    if write:
        report.write(PAGE, text)
        plots.units(PAGE.parent / "plots/units.svg", sizes.facts, routes)
        plots.cold(PAGE.parent / "plots/cold.svg", cold)
    console.print(text, markup=False, soft_wrap=True)
    broken = [each for each in found if not each.holds]
    for each in broken:
        console.print(f"[bold red]✗[/] Over its budget: {each.budget}: {each.figures}")
    console.print(f"{(time.monotonic() - begun) / 60:.1f} minutes. Every result was as expected.")
    return 1 if broken else 0


def progress() -> Progress:
    return Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())


type Made = Callable[[Callable[[int, int], None]], Subject]


def seeded(bench: Bench, sizes: Sizes, shown: Progress) -> tuple[dict[str, Subject], dict[str, Subject]]:
    """The sessions of the columns, and those with a long past, by their headings."""
    small, most = sizes.items, sizes.facts[-1]
    columns: dict[str, Made] = {
        f"{facts:,} facts, {small} items": partial(with_facts, bench, f"facts-{facts}", facts, small)
        for facts in sizes.facts
    }
    columns[f"{most:,} facts, {sizes.history:,} items"] = partial(with_facts, bench, "history", most, sizes.history)
    pasts: dict[str, Made] = {
        f"one fact changed {sizes.changes:,} times": partial(changed_often, bench, "changed", sizes.changes),
        f"{sizes.rewinds} rewinds": partial(rewound_often, bench, "rewound", sizes.rewinds),
        f"{sizes.forks} forks of forks": partial(forked_often, bench, "forked", sizes.forks),
        f"{sizes.scattered:,} changes between unread turns": partial(scattered, bench, "scattered", sizes.scattered),
    }
    return made(columns, shown), made(pasts, shown)


def made(subjects: Mapping[str, Made], shown: Progress) -> dict[str, Subject]:
    found = dict[str, Subject]()
    for title, make in subjects.items():
        task = shown.add_task(f"Making {title}")
        found[title] = make(lambda done, total, task=task: shown.update(task, completed=done, total=total))
        check_whole(found[title])
    return found


def measured(
    bench: Bench, subjects: Mapping[str, Subject], operations: Mapping[str, Callable[[Bench, Subject], Cost | None]],
    shown: Progress,
) -> dict[str, list[Cost | None]]:  # fmt: skip
    found: dict[str, list[Cost | None]] = {name: [] for name in operations}
    for title, subject in subjects.items():
        subject.on(bench)
        for name in tracked(operations, shown, f"Measuring {title}"):
            found[name].append(operations[name](bench, subject))
    return found


def tracked(names: Iterable[str], shown: Progress, title: str) -> Iterable[str]:
    task = shown.add_task(title, total=len(list(names)))
    for name in names:
        shown.update(task, description=f"{title}: {name}")
        yield name
        shown.advance(task)
    shown.update(task, description=title)


if __name__ == "__main__":
    sys.exit(main())
