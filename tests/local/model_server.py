"""A scripted language model behind OpenAI's chat completions, as the emulator's Bedrock asks it.

A test puts the tool's arguments, one entry a call, into `script`; an entry may be a function of the request, which may
also wait for an Event or raise to fail. With an empty script the model proposes nothing.
"""

import json
import queue
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

type Json = dict[str, Any]
type Answer = Json | Callable[[Json], Json]


NOTHING: Json = {"changes": []}


class ModelServer:
    """`requests` are the calls so far, `script` the answers to come."""

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

    def answer(self, request: Json) -> Json:
        self.requests.append(request)
        try:
            scripted = self.script.get_nowait()
        except queue.Empty:
            scripted = NOTHING
        arguments = scripted(request) if callable(scripted) else scripted
        return {"choices": [{"message": _message(request, arguments)}], "usage": _usage(request, arguments)}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                try:
                    status, answer = 200, server.answer(request)
                except Exception as error:  # noqa: BLE001 - a scripted failure of any kind
                    status, answer = 500, {"error": {"message": str(error)}}
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
                pass

        return Handler


def _message(request: Json, arguments: Json) -> Json:
    """One call of the first tool on offer; plain text where there is none."""
    if not request.get("tools"):
        return {"role": "assistant", "content": json.dumps(arguments)}
    function = {"name": request["tools"][0]["function"]["name"], "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "t1", "type": "function", "function": function}],
    }


def _usage(request: Json, arguments: Json) -> Json:
    return {"prompt_tokens": len(json.dumps(request["messages"])) // 4, "completion_tokens": len(str(arguments)) // 4}
