"""Puts a local stack under load and then checks that every acknowledged change is stored exactly once: `make load`.

1. Locust simulates users: some write sessions of their own, some share one session, some teach one agent.
2. Once everything is consolidated and learned, all sessions and the agent are read through the API.
3. Every acknowledged change must be stored exactly once, and nothing else; otherwise the exit code is 1.
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

MOST_SHOWN = 30  # violations


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--users", type=int, default=12)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the stack is stopped, too
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
        with step("Waiting until everything is consolidated and learned"):
            stored_state.until_quiet(client, acknowledged)
        with step("Reading the stored state"):
            sessions = stored_state.sessions(client, [each.session for each in acknowledged.made])
            agent = stored_state.agent(client)
    totals = Totals()
    found = list(violations(acknowledged, sessions, agent, totals))
    show(tables.latencies(statistics))
    show(tables.totals(totals, made.dead_letters()))
    requests = sum(each["num_requests"] for each in statistics)
    show(f"{requests:,} requests in {took / 60:.1f} minutes, {requests / took:.1f} a second.")
    for violation in found[:MOST_SHOWN]:
        console.print(f"[bold red]✗[/] {violation}")
    if found:
        console.print(f"[bold red]✗[/] {len(found)} violations.")
        return 1
    console.print("[green]✓[/] Consistent: every acknowledged change is stored exactly once, and nothing else.")
    return 0


def show(text: str) -> None:
    console.print(f"\n{text}", markup=False)


if __name__ == "__main__":
    sys.exit(main())
