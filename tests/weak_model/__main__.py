"""Lets a real but very weak model read short conversations on a local stack, and checks every rule: `make weak-model`.

    conversations -> API -> consolidate -> Bedrock of the emulator -> gate -> llama.cpp's server

Its bad answers are what makes it useful: unknown ids, orders taken from apps, half-finished JSON.
"""

import argparse
import os
import shutil
import signal
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import summary
from checks import violations
from conversations import conversations
from gate import Gate
from model import free_port, served
from runner import ConversationRunner, Outcome

from openbot_memory_emulator import stack
from openbot_memory_emulator.config import StackConfig
from openbot_memory_emulator.console import CommandError, console, show_error, step

ROOT = Path(__file__).parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the stack is stopped, too
    config = StackConfig(
        ROOT, ROOT / ".local/weak-model-stack", int(os.environ.get("OPENBOT_LOCAL_PORT") or free_port())
    )
    try:
        with served(config, config.logs / "model.log") as url, Gate(url, given.seed) as gate:
            return run(config, gate, given.conversations, given.seed)
    except CommandError as error:
        show_error(error)
        return 1


def run(config: StackConfig, gate: Gate, count: int, seed: int) -> int:
    outcome, begun = list[Outcome](), time.monotonic()
    with person(config, gate.url) as client:
        for number, conversation in enumerate(conversations(count, seed), 1):
            with step(f"Conversation {number} of {count}"):
                outcome.append(ConversationRunner(client).run(conversation))
    console.print(f"\n{summary.calls(gate.calls)}", markup=False)
    console.print(summary.outcomes(outcome, time.monotonic() - begun), markup=False)
    found = [f"session {each.session}: {violation}" for each in outcome for violation in violations(each)]
    found += miscounted(outcome, gate.begun)
    for violation in found:
        console.print(f"[bold red]✗[/] {violation}")
    if not found:
        console.print("[green]✓[/] No rule is violated.")
    return 1 if found else 0


def miscounted(outcome: list[Outcome], calls: int) -> list[str]:
    """S8: each batch has one call, so each call is one answered batch or one failure."""
    rows = [row for each in outcome for row in each.log if row["trigger"] == "consolidation"]
    passed_over = sum(all(drop["reason"] == "unreadable" for drop in row["dropped"]) and bool(row["dropped"])
                      for row in rows)  # fmt: skip
    failures = sum(len(each.failures) for each in outcome)
    if calls == len(rows) + failures:
        return []
    return [f"{calls} calls, but {len(rows)} batches ({passed_over} passed over) and {failures} failures (S8)"]


@contextmanager
def person(config: StackConfig, model: str) -> Generator[httpx.Client]:
    """A person's client of a fresh stack, whose Bedrock asks the model. The stack is stopped at the end."""
    stack.down(config)  # one that a killed run left
    shutil.rmtree(config.state, ignore_errors=True)
    try:
        up = stack.up(config, model_url=model, reset=False)
        headers = {"Authorization": f"Bearer {up['tokens']['person']}"}
        with httpx.Client(base_url=up["url"], headers=headers, timeout=60, trust_env=False) as client:
            yield client
    finally:
        stack.down(config)


if __name__ == "__main__":
    sys.exit(main())
