"""Sends requests that the OpenAPI document allows, and others, to a local stack with Schemathesis: `make fuzz`."""

import argparse
import os
import random
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from local_stack import ROOT, Stack, free_port
from model_server import ModelServer
from tally import Report

from openbot_memory.http.openapi import WRITTEN

DIRECTORY = ROOT / ".local/fuzz"
PROGRAM = Path(sys.executable).with_name("st")
EXCLUDED_CHECKS = {
    "positive_data_acceptance": "replaced by acceptance_of_allowed_requests, which knows about cursors and used keys",
    "unsupported_method": "the gateway answers 404 to a method without a route, without calling a function",
    "allow_header_conformance": "as above",
    "object_level_authorization": "it needs a second identity; tests/local/test_access.py tests other organizations",
}


@contextmanager
def running() -> Generator[Stack]:
    """An empty stack on a free port, with a model server that proposes nothing under any model's name."""
    port, model = free_port(), ModelServer()
    given = {
        "OPENBOT_LOCAL_DIR": str(DIRECTORY),
        "OPENBOT_LOCAL_PORT": str(port),
        "OPENBOT_LOCAL_MODEL_URL": model.url,
    }
    stack = Stack(DIRECTORY, port, os.environ | given, model)
    stack.command("down")  # one that a killed run left
    model.start()
    try:
        started = stack.command("up", "--reset")
        if started.returncode:
            sys.exit(started.stdout + started.stderr)
        yield stack
    finally:
        stack.command("down")
        model.stop()


def fuzz(stack: Stack, examples: int, seed: int, events: Path) -> int:
    command: list[str | Path] = [
        PROGRAM, "run", WRITTEN,
        "--url", stack.description["url"],
        "--header", f"Authorization: Bearer {stack.description['tokens']['admin']}",
        "--exclude-checks", ",".join(EXCLUDED_CHECKS),
        "--max-examples", str(examples),
        "--seed", str(seed),
        "--generation-database", "none",
        "--continue-on-failure",
        "--request-timeout", "60",
        "--workers", "2",
        "--report", "ndjson",
        "--report-ndjson-path", events,
        "--no-color",
    ]  # fmt: skip
    environment = os.environ | {"SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(Path(__file__).parent)}
    return subprocess.run(command, cwd=DIRECTORY, env=environment, check=False).returncode  # noqa: S603


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=250, help="how many for each route in each phase")
    parser.add_argument("--seed", type=int, default=random.randrange(2**31), help="of the run to repeat")  # noqa: S311
    asked = parser.parse_args()
    events = DIRECTORY / "events.ndjson"
    with running() as stack:
        failed = fuzz(stack, asked.examples, asked.seed, events)
    report = Report.of(events)
    print("\n".join(report.lines()))  # noqa: T201 - a command
    print(f"\nRepeat it with: make fuzz seed={asked.seed} examples={asked.examples}")  # noqa: T201
    sys.exit(failed or report.of_5xx > 0)


if __name__ == "__main__":
    main()
