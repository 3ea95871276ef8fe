"""Puts a local stack of its own under load, then compares what it acknowledged with what it holds.

1. Locust plays writers of their own sessions, sharers of one session, and people who teach one agent.
2. When all is read and learned, every session and the agent are read out whole.
3. Each acknowledged change must be there, once, and nothing else. The exit code says whether it is so.
"""

import argparse
import signal
import sys
import time

import journal
import stored_state
import tables
from consistency import Totals, violations
from load_stack import LoadStack, load_stack

from openbot_memory_emulator.console import CommandError, console, show_error, step

MOST_SHOWN = 30  # faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--users", type=int, default=12)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was started ends, too
    try:
        with load_stack() as made:
            return run(made, given.users, given.minutes)
    except CommandError as error:
        show_error(error)
        return 1


def run(made: LoadStack, users: int, minutes: float) -> int:
    with step(f"{users} users for {minutes:g} minutes"):
        begun = time.monotonic()
        statistics = made.run_locust(users, minutes)
        took = time.monotonic() - begun
    acknowledged = journal.read(made.journal)
    with made.client() as client:
        with step("Waiting until everything is read and learned"):
            stored_state.until_quiet(client, acknowledged)
        with step("Reading everything out"):
            sessions = stored_state.sessions(client, [each.session for each in acknowledged.made])
            agent = stored_state.agent(client)
    totals = Totals()
    faults = list(violations(acknowledged, sessions, agent, totals))
    show(tables.latencies(statistics))
    show(tables.totals(totals, made.dead_letters()))
    requests = sum(each["num_requests"] for each in statistics)
    show(f"{requests:,} requests in {took / 60:.1f} minutes, {requests / took:.1f} a second.")
    for fault in faults[:MOST_SHOWN]:
        console.print(f"[bold red]✗[/] {fault}")
    if faults:
        console.print(f"[bold red]✗[/] {len(faults)} faults. See above.")
        return 1
    console.print("[green]✓[/] Consistent: every acknowledged change is stored once, and nothing else.")
    return 0


def show(text: str) -> None:
    console.print(f"\n{text}", markup=False)


if __name__ == "__main__":
    sys.exit(main())
