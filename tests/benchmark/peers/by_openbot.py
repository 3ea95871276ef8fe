"""OpenBot Memory itself: its two handlers, called with whole API Gateway events, over a table in this process."""

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from load_function import load

ROOT = Path(__file__).parents[3]
CONTEXT = SimpleNamespace(
    function_name="peers", memory_limit_in_mb=512, invoked_function_arn="arn:peers", aws_request_id="request"
)


os.environ |= {
    "AWS_DEFAULT_REGION": "eu-central-1",
    "AWS_ACCESS_KEY_ID": "peers",
    "AWS_SECRET_ACCESS_KEY": "peers",
    "TABLE_NAME": "peers",
    "EVENT_BUS_NAME": "peers",
    "POWERTOOLS_METRICS_DISABLED": "true",
}
read, command = load("read"), load("command")


class OpenBot:
    def __init__(self) -> None:
        from stand_in import StandIn  # noqa: PLC0415 - no part of what is imported on Lambda

        from openbot_memory.runtime import wiring  # noqa: PLC0415

        object.__setattr__(wiring.table(), "client", StandIn())
        object.__setattr__(wiring.world(command.MODEL_TIMEOUT).bus, "client", SimpleNamespace(put_events=_taken))
        self.events = {name: json.loads((ROOT / f"events/{name}.json").read_text()) for name in ("read", "command")}
        self.view = self._call(command, "POST /v1/sessions", {"id": "peers", "model": "offline"})

    def store(self, key: str, content: str) -> None:
        seen = self.view["session"]
        change = {"_tag": "Remember", "key": key, "content": content, "kind": "fact"}
        body = {"expected": seen["head"], "revision": seen["revision"], "command": change}
        self.view = self._call(command, "POST /v1/sessions/{id}/memory", body)

    def facts(self, number: int) -> list[str]:
        entries = self._call(read, "GET /v1/sessions/{id}/memory")["entries"]
        return [each["content"] for each in entries.values()][:number]

    def text(self) -> str:
        return self._call(read, "GET /v1/sessions/{id}/instructions")["text"]

    def _call(self, function: Any, route: str, body: object = None) -> Any:  # noqa: ANN401
        event = self.events["read" if function is read else "command"]
        event |= {"routeKey": route, "pathParameters": {"id": "peers"}, "queryStringParameters": None}
        event |= {"rawQueryString": "", "body": json.dumps(body)}
        answer = function.handler(event, CONTEXT)
        assert answer["statusCode"] < 300, answer
        return json.loads(answer["body"])


def _taken(**_: object) -> dict[str, int]:
    return {"FailedEntryCount": 0}


make = OpenBot
