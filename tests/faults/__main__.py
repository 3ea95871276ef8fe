"""Proves that no acknowledged change is lost or doubled, whatever fails: `make faults`.

Simulated callers use the functions in this process, with botocore's own clients, against the emulator's DynamoDB. Any
request may fail, before or after it took effect, and any function may die at any request. At the end the faults stop,
all events are delivered, and an audit compares what was acknowledged with the API and with the rows of the table.
"""

import argparse
import logging
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from backends import Forward, InProcess, over_http
from bench import ROOT, bench_config, emulated, environment
from play import Play
from rich.console import Console
from rich.table import Table
from setting import Setting, Violation, build

from openbot_memory.runtime import settings, wiring
from openbot_memory_emulator.config import StackConfig
from openbot_memory_emulator.console import CommandError

console = Console(highlight=False)
WORKERS = 6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds to run, counting up from --seed")
    parser.add_argument("--operations", type=int, default=10_000)
    parser.add_argument(
        "--threads", action="store_true", help="run the callers in threads; a seed no longer repeats a run then"
    )
    parser.add_argument("--in-process", action="store_true", help="use a fast stand-in for DynamoDB, and no emulator")
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)  # the functions log each fault
    try:
        for seed in range(given.seed, given.seed + given.seeds):
            with backend(in_process=given.in_process) as (client, forwards):
                if not run(client, forwards, seed, given.operations, threads=given.threads):
                    return 1
    except CommandError as error:
        console.print(f"[bold red]✗[/] {error}")
        return 1
    return 0


@contextmanager
def backend(*, in_process: bool) -> Generator[tuple[Any, Callable[[Any], Forward]]]:
    config = StackConfig(ROOT, ROOT / ".local/faults", bench_config().port)
    environment(config)
    for built in (settings.settings, wiring.table, wiring.rules, wiring.reader, wiring.world):
        built.cache_clear()
    if in_process:
        stand_in = InProcess()
        yield stand_in.client(), stand_in.forward
        return
    with emulated(config) as client:
        config.client("events").create_event_bus(Name=settings.settings().event_bus_name)
        yield client, over_http


def run(client: Any, forwards: Callable[[Any], Forward], seed: int, operations: int, *, threads: bool) -> bool:  # noqa: ANN401
    begun = time.monotonic()
    setting = build(client, seed, forwards)
    play = Play(setting, WORKERS)
    violation: Violation | None = None
    try:
        play.run(operations, threads=threads)
    except Violation as found:
        violation = found
    how = "in threads" if threads else "one at a time"
    console.print(f"Seed {seed}: {play.done:,} operations, {WORKERS} callers, {how}")
    console.print(_table(setting))
    if violation:
        console.print(f"[bold red]✗[/] Seed {seed}: expected, but not so: {violation}", markup=True, soft_wrap=True)
    else:
        console.print(f"No change was lost or doubled. {(time.monotonic() - begun) / 60:.1f} minutes.")
    return violation is None


def _table(setting: Setting) -> Table:
    layer = setting.layer
    kills = {name: count for name, count in layer.counts.items() if name.startswith("killed")}
    storms = {name: count for name, count in layer.counts.items() if name.startswith("storms")}
    faults = {name: count for name, count in layer.counts.items() if name not in kills | storms}
    table = Table("what", "count")
    table.add_row("requests to DynamoDB and EventBridge under faults", f"{layer.requests:,}")
    table.add_row("requests that failed", f"{sum(faults.values()):,}")
    table.add_row("functions killed", f"{sum(kills.values()):,}")
    for name, count in sorted([*setting.counts.items(), *storms.items(), *kills.items()]):
        table.add_row(name, f"{count:,}")
    for name, count in sorted(faults.items()):
        table.add_row(f"fault: {name}", f"{count:,}")
    return table


if __name__ == "__main__":
    sys.exit(main())
