"""A proxy between the emulator's Bedrock and the model that bounds, seeds and counts each call.

In every other call it helps the model with a narrower schema: only the ids of shown items, and content and kind are
required. The words are still the model's own. Without help, hardly any proposal of so small a model is well-formed
enough to reach the rules.
"""

import copy
import json
import re
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self, cast

import httpx

from openbot_memory_emulator.config import HOST

MAX_TOKENS = 300  # of an answer; a runaway answer is cut off here
TEMPERATURES = (0.0, 0.3, 0.8, 1.2)
LONGEST = 300  # seconds

type Json = dict[str, Any]


class Called(NamedTuple):
    """One call of the model."""

    helped: bool
    seconds: float
    status: int
    whole: bool  # one tool call whose arguments are complete JSON
    proposed: int
    tokens: int


class Gate:
    """The proxy. `calls` are those that have ended; `begun` counts all."""

    def __init__(self, model: str, seed: int) -> None:
        self.calls: list[Called] = []
        self.begun = 0
        self._seed = seed
        self._client = httpx.Client(base_url=model, timeout=LONGEST, trust_env=False)
        self._server = ThreadingHTTPServer((HOST, 0), self._handler())
        self._server.daemon_threads = True
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _pass(self, request: Json) -> httpx.Response:
        with self._lock:
            self.begun += 1
            number = self.begun
        helped = number % 2 == 0
        sent = request | {
            "max_tokens": MAX_TOKENS,
            "seed": self._seed + number,
            "temperature": TEMPERATURES[number // 2 % len(TEMPERATURES)],
            "repeat_penalty": 1.1,
        }
        begun = time.monotonic()
        answer = self._client.post("/v1/chat/completions", json=_helped(sent) if helped else sent)
        self.calls.append(_called(answer, time.monotonic() - begun, helped=helped))
        return answer

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        gate = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                answer = gate._pass(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                with suppress(ConnectionError):  # the caller may have timed out and gone
                    self.send_response(answer.status_code)
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", str(len(answer.content)))
                    self.end_headers()
                    self.wfile.write(answer.content)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
                pass

        return Handler


def _helped(request: Json) -> Json:
    """The same request with a narrower schema."""
    request = copy.deepcopy(request)
    _, _, items = request["messages"][-1]["content"].partition("New items:\n")
    ids = re.findall(r'^\{"id": "(i-\d+)"', items, re.MULTILINE)
    changes = request["tools"][0]["function"]["parameters"]["properties"]["changes"]
    changes |= {"minItems": 1, "maxItems": 4}
    change = changes["items"]
    change["required"] = list(change["properties"])
    change["properties"]["sources"] |= {"items": {"enum": ids}, "minItems": 1, "maxItems": 2}
    return request


def _called(answer: httpx.Response, seconds: float, *, helped: bool) -> Called:
    body: Json = answer.json() if answer.is_success else {}
    try:
        (call,) = body["choices"][0]["message"]["tool_calls"]
        proposed = json.loads(call["function"]["arguments"])["changes"]
    except (KeyError, IndexError, TypeError, ValueError):
        proposed = None
    tokens = body.get("usage", {}).get("completion_tokens", 0)
    many = len(cast("list[object]", proposed)) if isinstance(proposed, list) else 0
    return Called(helped, seconds, answer.status_code, proposed is not None, many, tokens)
