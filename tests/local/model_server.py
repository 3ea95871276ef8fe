"""A scripted language model that speaks OpenAI's chat completions, which the emulator's Bedrock calls.

A test puts one answer for each call into `script`: the arguments of one proper call of the tool, or a whole Reply, or a
function that is given the request, may wait, and returns either. With an empty script the model proposes nothing.
"""

import json
import queue
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

type Json = dict[str, Any]
type Answer = Json | Reply | Callable[[Json], Json | Reply]


class Reply(NamedTuple):
    """An answer of the model: text, tool calls as (name, arguments), and how it ended, if not normally."""

    text: str | None = None
    calls: tuple[tuple[str, str], ...] = ()
    cut_off: bool = False
    refused: bool = False
    status: int = 200  # of HTTP; 0 closes the connection without an answer

    @property
    def finish_reason(self) -> str:
        if self.cut_off:
            return "length"
        if self.refused:
            return "content_filter"
        return "tool_calls" if self.calls else "stop"

    def choice(self) -> Json:
        calls = [
            {"id": f"call-{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for number, (name, arguments) in enumerate(self.calls, 1)
        ]
        message = {"role": "assistant", "content": self.text} | ({"tool_calls": calls} if calls else {})
        return {"index": 0, "message": message, "finish_reason": self.finish_reason}


NOTHING: Json = {"changes": []}


class ModelServer:
    """The server. `requests` are the calls so far, `script` the answers to come."""

    def __init__(self) -> None:
        self.script = queue.Queue[Answer]()
        self.requests: list[Json] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reset(self) -> None:
        self.script = queue.Queue[Answer]()
        self.requests = []

    def says(self, *answers: Answer) -> None:
        for answer in answers:
            self.script.put(answer)

    def answer(self, request: Json) -> tuple[int, Json]:
        self.requests.append(request)
        try:
            scripted = self.script.get_nowait()
        except queue.Empty:
            scripted = NOTHING
        given = scripted(request) if callable(scripted) else scripted
        reply = given if isinstance(given, Reply) else proper(request, given)
        return reply.status, {
            "object": "chat.completion",
            "model": request["model"],
            "choices": [reply.choice()],
            "usage": _usage(request, reply),
        }

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                status, answer = server.answer(request)
                if not status:
                    return
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
                pass

        return Handler


def proper(request: Json, arguments: Json) -> Reply:
    """A proper answer: one call of the request's tool, or plain text where it has none."""
    text = json.dumps(arguments)
    if not request.get("tools"):
        return Reply(text=text)
    return Reply(calls=((request["tools"][0]["function"]["name"], text),))


def _usage(request: Json, reply: Reply) -> Json:
    return {"prompt_tokens": len(json.dumps(request["messages"])) // 4, "completion_tokens": len(str(reply)) // 4}
