"""Compares this service with other memory systems, doing the same work on this machine; writes docs/peers.md.

In each round, each system runs in a process of its own, one after the other. Ratios are taken within a round, so that
whatever slows the machine for a while affects all of them.
"""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median

from rich.progress import track

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PAGE = ROOT / "docs/peers.md"
BEGIN, END = "<!-- measured: written by `make bench peers=1` -->", "<!-- end of what was measured -->"
SYSTEMS = {
    "by_openbot": "OpenBot Memory",
    "by_mem0": f"mem0 {version('mem0ai')}",
    "by_langgraph": f"LangGraph {version('langgraph')}",
}
ROUNDS = 7
# As a child of a shell, because a process inherits the peak of memory of the one that forks it.
APART = ("/bin/sh", "-c", '"$@"; exit $?', "sh")

type Round = dict[str, dict[str, float]]


def main() -> None:
    play(1, "Warming up")  # compiles what is imported
    text = report(play(ROUNDS, "Measuring"))
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}")
    print(text)  # noqa: T201


def play(rounds: int, title: str) -> list[Round]:
    return [{module: work(module) for module in SYSTEMS} for _ in track(range(rounds), f"{title} ...")]


def work(module: str) -> dict[str, float]:
    path = [ROOT / "tests/benchmark", ROOT / "tests/integration"]
    found = subprocess.run(  # noqa: S603
        [*APART, sys.executable, HERE / "work.py", module],
        env=os.environ | {"WORK_PATH": os.pathsep.join(map(str, path)), "PYTHONDONTWRITEBYTECODE": ""},  # compiled once
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(found.stdout)


def report(rounds: Sequence[Round]) -> str:
    ours, *others = SYSTEMS
    heads = ["median of the rounds", *SYSTEMS.values(), *(f"{SYSTEMS[other]} : ours" for other in others)]
    rows = [heads, ["---"] * len(heads)]
    for what in rounds[0][ours]:
        taken = [median(each[module][what] for each in rounds) for module in SYSTEMS]
        ratios = [sorted(each[other][what] / each[ours][what] for each in rounds) for other in others]
        unit = "MB" if what.startswith("memory") else "ms"
        rows.append([
            what,
            *(f"{written(figure)} {unit}" for figure in taken),
            *(f"{written(median(each))} ({written(each[0])} – {written(each[-1])})" for each in ratios),
        ])  # fmt: skip
    where = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"{datetime.now(UTC):%Y-%m-%d}, {where}; {len(rounds)} rounds.\n\n{table}\n"


def written(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.2g}"


if __name__ == "__main__":
    main()
