"""A local stack for the load test, with tokens for several persons, one shared session and one shared agent."""

import json
import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from journal import Made, write
from users import AGENT, SHARED

from openbot_memory.domain.session import Principal, PrincipalType
from openbot_memory.store import tokens
from openbot_memory_emulator import sample_tokens, stack
from openbot_memory_emulator.config import HOST, StackConfig
from openbot_memory_emulator.console import run

ROOT = Path(__file__).parents[2]
DIRECTORY = ROOT / ".local/load-stack"
PERSONS = 4

type Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LoadStack:
    config: StackConfig
    url: str
    tokens: tuple[str, ...]  # of persons
    admin: str

    @property
    def journal(self) -> Path:
        return self.config.directory / "journal.jsonl"

    def client(self) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.admin}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=120, trust_env=False)

    def run_locust(self, users: int, minutes: float) -> list[Json]:
        """Let Locust run the users; return its statistics by route."""
        stage = {"url": self.url, "tokens": self.tokens, "journal": str(self.journal)}
        stage_file = self.config.directory / "load.json"
        stage_file.write_text(json.dumps(stage))
        results = self.config.directory / "statistics"
        command: list[str | Path] = [
            ROOT / ".local/load/bin/locust", "-f", Path(__file__).with_name("locustfile.py"),
            "--headless", "--users", str(users), "--spawn-rate", "1",
            "--run-time", f"{round(minutes * 60)}s", "--stop-timeout", "120", "--exit-code-on-error", "0",
            "--json-file", results,
        ]  # fmt: skip
        log = self.config.logs / "locust.log"
        environment = self.config.environment() | {"LOAD_STAGE": str(stage_file)}
        run(command, log=log, cwd=self.config.directory, environment=environment, failed="Locust failed.")
        return json.loads(results.with_suffix(".json").read_text())

    def dead_letters(self) -> int:
        """The number of events in dead-letter queues."""
        queues = self.config.client("sqs")
        count = "ApproximateNumberOfMessages"
        urls = queues.list_queues().get("QueueUrls", [])
        found = (queues.get_queue_attributes(QueueUrl=url, AttributeNames=[count])["Attributes"] for url in urls)
        return sum(int(attributes[count]) for attributes in found)


@contextmanager
def load_stack() -> Generator[LoadStack]:
    """A fresh stack, stopped at the end; its logs are kept."""
    config = StackConfig(ROOT, DIRECTORY, int(os.environ.get("OPENBOT_LOCAL_PORT") or free_port()))
    stack.down(config)  # one that a killed run left
    try:
        up = stack.up(config, model_url=None, reset=True)
        made = LoadStack(config, up["url"], tuple(_persons(config)), up["tokens"]["admin"])
        made.journal.unlink(missing_ok=True)
        _prepare(made)
        yield made
    finally:
        stack.down(config)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def _persons(config: StackConfig) -> Generator[str]:
    table = sample_tokens.local_table(config)
    for number in range(PERSONS):
        who = Principal(organization="acme", type=PrincipalType.PERSON, id=f"p{number}", name=f"Person {number}")
        yield tokens.issue(table, who)


def _prepare(made: LoadStack) -> None:
    """Let the organization's agents learn with `offline`, and create the shared agent and session."""
    with made.client() as admin:
        admin.patch("/v1/organization", json={"agentMemoryModel": "offline"}).raise_for_status()
        admin.post("/v1/agents", json={"name": "Hot", "id": AGENT, "shared": True}).raise_for_status()
        admin.post("/v1/sessions", json={"model": "offline", "id": SHARED}).raise_for_status()
    write(made.journal, Made(session=SHARED))
