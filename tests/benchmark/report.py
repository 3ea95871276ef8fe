"""Writes the measurements as Markdown."""

import os
import platform
import subprocess
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from budgets import Measured, Verdict
from cold import Cold
from meter import Cost, Meter
from prices import dollars
from prompts import A_TOKEN, Prompt
from warm import Warm

from openbot_memory_emulator.config import StackConfig

BEGIN, END = "<!-- measured: written by `make bench` -->", "<!-- end of what was measured -->"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def costs(columns: Sequence[str], measured: Measured) -> str:
    """Three tables of the same rows: requests, read units, write units."""
    views: list[tuple[str, Callable[[Cost], str]]] = [
        ("Requests: reads + writes, in brackets how many rounds wait for one another", requests),
        ("Read units", lambda cost: f"{cost.read_units:,}"),
        ("Write units", lambda cost: f"{cost.write_units:,}"),
    ]
    parts = list[str]()
    for title, shown in views:
        rows = [[name, *(shown(cost) if cost else "–" for cost in found)] for name, found in measured.items()]
        parts.append(f"**{title}**\n\n{table(['', *columns], rows)}")
    return "\n".join(parts)


def requests(cost: Cost) -> str:
    models = f", {cost.models} model call" if cost.models else ""
    return f"{cost.reads} + {cost.writes} ({cost.rounds}){models}"


def budgets(found: Iterable[Verdict]) -> str:
    rows = [[each.budget, each.figures, "yes" if each.holds else "**no**"] for each in found]
    return table(["budget", "measured", "holds"], rows)


def cold(starts: Iterable[Cold]) -> str:
    heads = ["function", "loaded, ms", "clients left to the first request, ms", "peak memory, MB", "modules"]
    return table(heads, ([each.function, *(f"{figure:.0f}" for figure in each[1:])] for each in starts))


def warm(times: Iterable[Warm]) -> str:
    heads = ["operation", "p50, ms", "p99, ms"]
    return table(heads, ([each.operation, f"{each.median:.2f}", f"{each.p99:.2f}"] for each in times))


def prices(columns: Sequence[str], measured: Measured, own_time: float) -> str:
    """Dollars for a million of each operation, in brackets the part for the table."""
    rows = list[list[str]]()
    for name, found in measured.items():
        over_http = name.startswith(("GET", "POST", "Remember", "Forget", "Configure", "Refresh"))
        costs = [dollars(cost, own_time, over_http=over_http) if cost else None for cost in found]
        rows.append([name, *(f"{each.whole:,.2f} ({each.table:,.2f})" if each else "–" for each in costs)])
    return table(["", *columns], rows)


def prompts(sent: Iterable[Prompt]) -> str:
    heads = ["turn", "rules", "tool", "known facts", "new items", "in all, about tokens", "as in the call before"]
    return table(
        heads,
        (
            [
                *(f"{figure:,}" for figure in each[:5]),
                f"{each.whole // A_TOKEN:,}",
                f"{100 * each.kept // each.whole} %",
            ]
            for each in sent
        ),
    )


def comparison(meter: Meter) -> str:
    if not meter.differing:
        return f"The emulator reports the same write units for all {meter.compared:,} write requests."
    return f"For {len(meter.differing)} of {meter.compared:,} write requests, it reports others: {meter.differing[0]}."


def machine(config: StackConfig) -> str:
    emulator = [
        config.tool("emulator", "python"),
        "-c",
        "from importlib.metadata import *; print(version('ministack'))",
    ]
    ministack = subprocess.run(emulator, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603
    cores = f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    versions = f"Python {platform.python_version()}, botocore {version('botocore')}, MiniStack {ministack}"
    return f"{datetime.now(UTC):%Y-%m-%d}, {cores}; {versions}."


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.processor())


def write(path: Path, text: str) -> None:
    """Replace the text between the two marks of a page."""
    before, _, rest = path.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    path.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}")
