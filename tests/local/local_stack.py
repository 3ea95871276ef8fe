"""A running local stack, as tests use it."""

import json
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from model_server import ModelServer

from openbot_memory_local.place import Place

ROOT = Path(__file__).parents[2]
PROGRAM = Path(sys.executable).with_name("openbot-memory")


@dataclass(frozen=True, slots=True)
class Stack:
    """A running stack: what its stack.json says, and its command line."""

    directory: Path
    port: int
    environment: dict[str, str]
    model: ModelServer

    @property
    def written(self) -> dict[str, Any]:
        return json.loads((self.directory / "stack.json").read_text())

    @property
    def place(self) -> Place:
        return Place(ROOT, self.directory, self.port)

    def api(self, token: str | None) -> httpx.Client:
        """A client for the API; `token` is a name of stack.json's, a token itself, or None."""
        tokens = self.written["tokens"]
        headers = {"Authorization": f"Bearer {tokens.get(token, token)}"} if token else {}
        return httpx.Client(base_url=self.written["url"], headers=headers, timeout=60, trust_env=False)

    def command(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return command(self.environment | environment, *arguments)


def command(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `openbot-memory` as a user would, without a terminal."""
    return subprocess.run(  # noqa: S603
        [PROGRAM, *arguments], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
