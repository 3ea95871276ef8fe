"""`make fuzz`: Schemathesis sends what the document allows, and what it forbids, to a stack of its own."""

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
LEFT_OUT = {
    "positive_data_acceptance": "honest_acceptance asks the same, and knows of cursors and used keys",
    "unsupported_method": "the gateway answers 404 to a method without a route, and no function is asked",
    "allow_header_conformance": "as above",
    "object_level_authorization": "it needs a second identity; tests/local/test_routes.py has another organization's",
}


@contextmanager
def running() -> Generator[Stack]:
    """A stack on a free port, with nothing in it, and a model that answers any name and proposes nothing."""
    port, model = free_port(), ModelServer()
    given = {
        "OPENBOT_LOCAL_DIR": str(DIRECTORY),
        "OPENBOT_LOCAL_PORT": str(port),
        "OPENBOT_LOCAL_MODEL_URL": model.url,
    }
    stack = Stack(DIRECTORY, port, os.environ | given, model)
    stack.command("down")  # of a run that was killed
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
        "--url", stack.written["url"],
        "--header", f"Authorization: Bearer {stack.written['tokens']['admin']}",
        "--exclude-checks", ",".join(LEFT_OUT),
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
    parser.add_argument("--examples", type=int, default=250, help="of each route, in each phase")
    parser.add_argument("--seed", type=int, default=random.randrange(2**31), help="of a run to repeat")  # noqa: S311
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
