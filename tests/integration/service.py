"""The five functions in this process, over moto, called with whole API Gateway and EventBridge events."""

import copy
import json
import queue
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote

from cloudformation import ROOT, TEMPLATE
from load_function import load

from openbot_memory.domain.errors import ModelFailed
from openbot_memory.domain.rules import Malformed, Proposal
from openbot_memory.domain.session import Tokens
from openbot_memory.models.offline import Offline
from openbot_memory.models.port import Answer, Question
from openbot_memory.runtime import wiring
from openbot_memory_openapi import contract

LARGEST_ANSWER = 6_291_556  # bytes that Lambda sends on: of the whole answer as JSON, so its body is escaped in it

type Json = dict[str, Any]
type Script = list[Proposal | Malformed] | Callable[[Question], list[Proposal | Malformed]] | ModelFailed

ROUTES = {
    f"{event['Properties']['Method']} {event['Properties']['Path']}": function["Properties"]["CodeUri"].split("/")[1]
    for function in TEMPLATE["Resources"].values()
    if function["Type"] == "AWS::Serverless::Function"
    for event in function["Properties"].get("Events", {}).values()
    if event["Type"] == "HttpApi"
}


def table_properties() -> Json:
    """What create_table needs of the template's table."""
    properties = TEMPLATE["Resources"]["Table"]["Properties"]
    names = ("AttributeDefinitions", "KeySchema", "LocalSecondaryIndexes", "BillingMode")
    return {name: properties[name] for name in names}


@dataclass
class ScriptedModel:
    """Answers what a test has put into `script`, in order; proposes nothing when that is empty."""

    script: queue.Queue[Script] = field(default_factory=queue.Queue[Script])
    questions: list[Question] = field(default_factory=list[Question])
    models: list[str] = field(default_factory=list[str])

    def propose(self, model: str, question: Question) -> Answer:
        self.models.append(model)
        self.questions.append(question)
        if model == "offline":
            return Offline().propose(model, question)
        script = [] if self.script.empty() else self.script.get()
        if isinstance(script, ModelFailed):
            raise script
        return Answer(proposals=tuple(script(question) if callable(script) else script), tokens=Tokens(100, 10))


class Reply(NamedTuple):
    status: int
    body: Json
    headers: Json


@dataclass
class Service:
    """`events`: what was put on the bus and not delivered yet."""

    client: Any  # boto3's DynamoDB client
    model: ScriptedModel
    events: list[Json] = field(default_factory=list[Json])
    requests: list[tuple[str, Json]] = field(default_factory=list[tuple[str, Json]])
    functions: dict[str, Any] = field(
        default_factory=lambda: {name: load(name) for name in ("read", "command", "consolidate", "learn")}
    )

    @property
    def client_of_functions(self) -> Any:  # noqa: ANN401
        """The DynamoDB client that the functions share."""
        return wiring.table().client

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        caller: str = "person",
        organization: str = "acme",
        headers: Mapping[str, str] | None = None,
        raw: str | None = None,
    ) -> Reply:
        """One HTTP request as the gateway would pass it on; its answer is held to the OpenAPI document."""
        path, _, query = path.partition("?")
        route, parameters = _matched(method, path)
        name = "read" if method == "GET" else "command"
        event = json.loads((ROOT / f"events/{name}.json").read_text())
        event |= {"routeKey": route, "rawPath": path, "rawQueryString": query, "pathParameters": parameters}
        event["queryStringParameters"] = dict(parse_qsl(query, keep_blank_values=True)) or None
        event["headers"] |= headers or {}
        event["requestContext"]["authorizer"] = {"lambda": principal(caller, organization)}
        event["body"] = raw if raw is not None else json.dumps(body)
        answer = self.functions[ROUTES[route]].handler(event, context())
        assert len(json.dumps(answer, ensure_ascii=False).encode()) <= LARGEST_ANSWER
        reply = Reply(answer["statusCode"], json.loads(answer["body"]), answer["headers"])
        contract.check(route, body if raw is None else raw, *reply)
        return reply

    def get(self, path: str, **how: Any) -> Json:  # noqa: ANN401
        reply = self.call("GET", path, **how)
        assert reply.status == 200, reply
        return reply.body

    def post(self, path: str, body: object, **how: Any) -> Json:  # noqa: ANN401
        reply = self.call("POST", path, body, **how)
        assert reply.status in {200, 201}, reply
        return reply.body

    def session(self, model: str = "test", **fields: object) -> str:
        return self.post("/v1/sessions", {"model": model, **fields})["session"]["id"]

    def turn(self, session: str, turn: str, *texts: str, model: str | None = "test", **fields: object) -> Json:
        """Append a turn of user's messages."""
        items = [{"type": "message", "role": "user", "text": text} for text in texts]
        return self.post(f"/v1/sessions/{session}/turns", {"turn": turn, "model": model, "items": items} | fields)

    def change(self, session: str, command: Json, **how: Any) -> Reply:  # noqa: ANN401
        """A command with what was last seen just now."""
        seen = self.get(f"/v1/sessions/{session}")["session"]
        body = {"expected": seen["head"], "revision": seen["revision"], "command": command}
        return self.call("POST", f"/v1/sessions/{session}/memory", body, **how)

    def remember(self, session: str, key: str, content: str = "Something.", kind: str = "fact") -> Json:
        reply = self.change(session, {"_tag": "Remember", "key": key, "content": content, "kind": kind})
        assert reply.status == 200, reply
        return reply.body

    def forget(self, session: str, key: str) -> Json:
        reply = self.change(session, {"_tag": "Forget", "key": key})
        assert reply.status == 200, reply
        return reply.body

    def entries(self, session: str) -> Json:
        return self.get(f"/v1/sessions/{session}/memory")["entries"]

    def deliver(self) -> None:
        """Give the functions what is on the bus, also what they put there meanwhile."""
        while self.events:
            self.started_by(self.events.pop(0))

    def started_by(self, event: Json) -> None:
        for function in self.targets(event):
            self.functions[function].handler(copy.deepcopy(event), context())

    def targets(self, event: Json) -> list[str]:
        """The functions that an event starts, as the template's rules say."""
        kind, detail = event["detail-type"], event["detail"]
        of_agent = {"Learning Requested", "Agent Cleaning Requested"}
        learns = kind in of_agent or (kind == "Turn Finished" and detail["queueEmpty"] and detail["agent"])
        consolidates = kind not in of_agent | {"Memory Changed"}
        return ["learn"] * bool(learns) + ["consolidate"] * consolidates


PRINCIPALS: dict[str, Json] = {
    "person": {"type": "person", "id": "ana", "name": "Ana", "admin": "false"},
    "agent": {"type": "agent", "id": "helper", "name": "Helper", "admin": "false"},
    "host": {"type": "host", "id": "runtime", "name": "Runtime", "admin": "false"},
    "ben": {"type": "person", "id": "ben", "name": "Ben", "admin": "false"},
    "admin": {"type": "person", "id": "ada", "name": "Ada", "admin": "true"},
}


def principal(name: str, organization: str) -> Json:
    return {"organization": organization} | PRINCIPALS[name]


def context(left: int = 120_000) -> Any:  # noqa: ANN401
    return SimpleNamespace(
        function_name="test",
        memory_limit_in_mb=512,
        invoked_function_arn="arn:aws:lambda:eu-central-1:123456789012:function:test",
        aws_request_id="request",
        get_remaining_time_in_millis=lambda: left,
    )


def _matched(method: str, path: str) -> tuple[str, Json]:
    """The most specific route of the template that fits, and its path parameters.

    As an HTTP API does it, the path is decoded before it is routed: `%2F` becomes a `/`, and a decoded `?` ends it.
    """
    path = unquote(path).partition("?")[0]
    for route in sorted(ROUTES, key=lambda route: route.count("{")):
        wanted, pattern = route.split(" ")
        found = re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", pattern), path)
        if wanted == method and found:
            return route, found.groupdict()
    raise LookupError(f"no route for {method} {path}")
