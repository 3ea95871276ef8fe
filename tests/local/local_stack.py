"""A running local stack, and a session on it, as tests use them."""

import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx
from model_server import ModelServer

from openbot_memory_emulator.config import StackConfig
from openbot_memory_openapi import contract

ROOT = Path(__file__).parents[2]
PROGRAM = Path(sys.executable).with_name("openbot-memory")
MODEL = "anthropic.claude-3-5-haiku-20241022-v1:0"  # any name of a Bedrock model; the model server answers
LONGEST = 120  # seconds that a test waits before it fails

NO_ROUTE = {"message": "Not Found"}  # the gateway's answer to a path that matches no route once it is decoded

type Json = dict[str, Any]
type Api = Callable[[str | None], httpx.Client]


@dataclass(frozen=True, slots=True)
class Stack:
    """A running stack: its stack.json, clients and command line."""

    directory: Path
    port: int
    environment: dict[str, str]
    model: ModelServer

    @property
    def description(self) -> dict[str, Any]:
        return json.loads((self.directory / "stack.json").read_text())

    @property
    def config(self) -> StackConfig:
        return StackConfig(ROOT, self.directory, self.port)

    def api(self, token: str | None) -> httpx.Client:
        """A client that checks responses against the OpenAPI document; `token` is a name in stack.json or a token."""
        tokens = self.description["tokens"]
        headers = {"Authorization": f"Bearer {tokens.get(token, token)}"} if token else {}
        hooks = {"response": [_check]}
        return httpx.Client(
            base_url=self.description["url"], headers=headers, timeout=60, trust_env=False, event_hooks=hooks
        )

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


def wait_for[T](condition: Callable[[], T | None]) -> T:
    """Wait until the condition returns something truthy, and return that."""
    end = time.monotonic() + LONGEST
    while not (found := condition()):
        assert time.monotonic() < end, f"the condition did not come true in {LONGEST} seconds"
        time.sleep(0.1)
    return found


def _check(answer: httpx.Response) -> None:
    """Check that a response conforms to the OpenAPI document, if the gateway found a route."""
    answer.read()
    if (route := route_of(answer.request)) and answer.json() != NO_ROUTE:
        contract.check(route, answer.request.content.decode(), answer.status_code, answer.json(), answer.headers)


def route_of(request: httpx.Request) -> str | None:
    """The template's route that a request matches; of several, the one with the fewest parameters."""
    path = request.url.raw_path.decode().partition("?")[0]
    asked = f"{request.method} /v1/{path.partition('/v1/')[2]}"
    fitting = (
        route
        for route in routes_of_the_template()
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", route.replace(".", r"\.")), asked)
    )
    return min(fitting, key=lambda route: route.count("{"), default=None)


@cache
def routes_of_the_template() -> set[str]:
    """For example `GET /v1/sessions/{id}`."""
    template = (ROOT / "template.yaml").read_text()
    return {f"{method} {path}" for method, path in re.findall(r'Method: (\w+), Path: "?(/[\w/{}.]+)"?', template)}


@dataclass(frozen=True, slots=True)
class Session:
    """A session, used with one client."""

    client: httpx.Client
    id: str

    @classmethod
    def begin(cls, client: httpx.Client, model: str = MODEL) -> "Session":
        answer = client.post("/v1/sessions", json={"model": model})
        assert answer.status_code == 201, answer.text
        return cls(client, answer.json()["session"]["id"])

    @property
    def path(self) -> str:
        return f"/v1/sessions/{self.id}"

    def get(self, what: str = "") -> Json:
        answer = self.client.get(f"{self.path}{what}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    @property
    def seen(self) -> Json:
        """The current head and revision, which a change must name."""
        session = self.get()["session"]
        return {"expected": session["head"], "revision": session["revision"]}

    @property
    def consolidation(self) -> Json:
        return self.get()["memory"]["consolidation"]

    @property
    def entries(self) -> Json:
        return self.get("/memory")["entries"]

    @property
    def log(self) -> list[Json]:
        return self.get("/memory/log")["log"]

    def say(self, turn: str, *texts: str, model: str = MODEL) -> Json:
        """Append a finished turn of a user's messages."""
        items = [{"type": "message", "role": "user", "text": text} for text in texts]
        answer = self.client.post(f"{self.path}/turns", json={"turn": turn, "model": model, "items": items})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def change(self, tag: str, **fields: object) -> httpx.Response:
        """Send a command with the current head and revision."""
        return self.client.post(f"{self.path}/memory", json=self.seen | {"command": {"_tag": tag} | fields})

    def remember(self, key: str, content: str) -> None:
        answer = self.change("Remember", key=key, content=content, kind="fact")
        assert answer.status_code == 200, answer.text

    def forget(self, key: str) -> None:
        answer = self.change("Forget", key=key)
        assert answer.status_code == 200, answer.text

    def read(self) -> Json:
        """Wait until no item is unread; return the state of consolidation."""
        return wait_for(lambda: state if (state := self.consolidation)["waiting"] == 0 else None)

    def failed(self, attempts: int = 1) -> Json:
        """Wait until the model has failed that often; return the stored error."""

        def error() -> Json | None:
            stored = self.consolidation["error"]
            return stored if stored and stored["attempts"] >= attempts else None

        return wait_for(error)


def fact(key: str, content: str, *sources: str, kind: str = "fact") -> Json:
    """A model's proposal to remember."""
    return {"action": "remember", "key": key, "content": content, "kind": kind, "sources": list(sources)}


def changes(*proposed: Json) -> Json:
    """The arguments of a model's call of its tool."""
    return {"changes": list(proposed)}
