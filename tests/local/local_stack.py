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
MODEL = "anthropic.claude-3-5-haiku-20241022-v1:0"  # any that Bedrock could have; the model server answers for it
LONGEST = 120  # seconds that a test waits before it fails

NO_ROUTE = {"message": "Not Found"}  # of the gateway, for a path that is none when it is decoded

type Json = dict[str, Any]
type Api = Callable[[str | None], httpx.Client]


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
    def config(self) -> StackConfig:
        return StackConfig(ROOT, self.directory, self.port)

    def api(self, token: str | None) -> httpx.Client:
        """A client for the API that holds it to the OpenAPI document; `token`: a name of stack.json's, itself, None."""
        tokens = self.written["tokens"]
        headers = {"Authorization": f"Bearer {tokens.get(token, token)}"} if token else {}
        hooks = {"response": [_check]}
        return httpx.Client(
            base_url=self.written["url"], headers=headers, timeout=60, trust_env=False, event_hooks=hooks
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
    """Wait until the condition gives something, and return that."""
    end = time.monotonic() + LONGEST
    while not (found := condition()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.1)
    return found


def _check(answer: httpx.Response) -> None:
    """The answer is as the OpenAPI document says, where the gateway found the request's route."""
    answer.read()
    if (route := route_of(answer.request)) and answer.json() != NO_ROUTE:
        contract.check(route, answer.request.content.decode(), answer.status_code, answer.json(), answer.headers)


def route_of(request: httpx.Request) -> str | None:
    """The route of the template that a request is for; of several the one with the fewest parameters."""
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
    """A session, as the owner of the client sees it."""

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
        """What a change must name: the head and the revision as they are now."""
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
        """A finished turn of a user's messages."""
        items = [{"type": "message", "role": "user", "text": text} for text in texts]
        answer = self.client.post(f"{self.path}/turns", json={"turn": turn, "model": model, "items": items})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def change(self, tag: str, **fields: object) -> httpx.Response:
        """A command that names what was last seen just now."""
        return self.client.post(f"{self.path}/memory", json=self.seen | {"command": {"_tag": tag} | fields})

    def remember(self, key: str, content: str) -> None:
        answer = self.change("Remember", key=key, content=content, kind="fact")
        assert answer.status_code == 200, answer.text

    def forget(self, key: str) -> None:
        answer = self.change("Forget", key=key)
        assert answer.status_code == 200, answer.text

    def read(self) -> Json:
        """Wait until nothing waits to be read any more; the state of consolidation then."""
        return wait_for(lambda: state if (state := self.consolidation)["waiting"] == 0 else None)

    def failed(self, attempts: int = 1) -> Json:
        """Wait until the model has failed so often; the error that is stored then."""

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
