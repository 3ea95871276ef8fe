"""Each function may do exactly what its handler does: its calls against template.yaml's policies, both ways."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import product
from typing import Any, NamedTuple, cast

import pytest
from botocore.client import BaseClient
from iam_recorder import Need, Recorder
from load_function import load
from service import ROUTES, TEMPLATE, Json, ScriptedModel, Service, context
from test_agents import change, remember
from test_removal import delete, erase
from test_timeline import fork, head, rewind

from openbot_memory.domain.session import Principal, PrincipalType
from openbot_memory.runtime import wiring
from openbot_memory.store import tokens

MODELS = (
    "anthropic.claude-3-5-haiku-20241022-v1:0",
    "eu.anthropic.claude-3-5-haiku-20241022-v1:0",
    "arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/abc123",
)
KINDS = {
    kind
    for function in TEMPLATE["Resources"].values()
    if function["Type"] == "AWS::Serverless::Function"
    for event in function["Properties"].get("Events", {}).values()
    if event["Type"] == "EventBridgeRule"
    for kind in event["Properties"]["Pattern"]["detail-type"]
}
STATEMENTS: dict[str, list[Json]] = {
    function["Properties"]["CodeUri"].split("/")[1]: [
        statement for policy in function["Properties"]["Policies"] for statement in policy["Statement"]
    ]
    for function in TEMPLATE["Resources"].values()
    if function["Type"] == "AWS::Serverless::Function"
}


class Grant(NamedTuple):
    """One action on one resource. `keys`: a pattern of partition keys, empty for no condition."""

    function: str
    action: str
    resource: str
    keys: str


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    recorder = Recorder(cast("Any", BaseClient)._make_api_call)  # noqa: SLF001 - the one place all calls go through

    def call(client: object, operation: str, request: Json) -> object:
        return recorder.call(client, operation, request)

    monkeypatch.setattr(BaseClient, "_make_api_call", call)
    return recorder


def no_waiting(_seconds: float) -> None: ...


@pytest.fixture
def played(aws: Any, recorder: Recorder) -> Recorder:  # noqa: ANN401
    """Every route and every event that starts a function, each function with its own handler."""
    service = Service(aws, ScriptedModel(), events=recorder.events)
    object.__setattr__(wiring.table(), "sleep", no_waiting)
    for name, function in service.functions.items():
        function.handler = recorder.watched(name, function.handler)
    _authorize(recorder)
    for model in MODELS:
        _learn(service, model)
    _change(service)
    _read(service)
    _remove(service)
    assert recorder.started_by >= ROUTES.keys() | KINDS
    return recorder


def _authorize(recorder: Recorder) -> None:
    ana = Principal(organization="acme", type=PrincipalType.PERSON, id="ana", name="Ana")
    token = tokens.issue(wiring.table(), ana)
    handler = recorder.watched("authorize", load("authorize").handler)
    assert handler({"headers": {"authorization": f"Bearer {token}"}}, None)["isAuthorized"]
    assert not handler({"headers": {"authorization": f"Bearer obm_{'x' * 43}"}}, None)["isAuthorized"]


def _learn(service: Service, model: str) -> None:
    """By events, by a Refresh, and what is left to another event for want of time."""
    service.call("PATCH", "/v1/organization", {"agentMemoryModel": model}, caller="admin")
    agent = service.post("/v1/agents", {"name": "Helper"})["agent"]["id"]
    session = service.session(model, agent=agent)
    service.turn(session, "t-1", "Test first.", model=model)
    (turn,) = service.events
    for name in ("consolidate", "learn"):
        service.functions[name].handler(turn, context(left=1_000))
    service.deliver()
    assert service.entries(session)["tests-first"]["status"] == "active"
    assert service.get(f"/v1/agents/{agent}/memory")["entries"]["tests-first"]["status"] == "active"
    service.turn(session, "t-2", *(f"Sentence {n}." for n in range(60)), model=None)
    assert service.change(session, {"_tag": "Refresh"}).status == 200
    service.deliver()


def _change(service: Service) -> None:
    """By hand, and through the timeline; with an Idempotency-Key, which leaves and looks up a receipt."""
    service.post("/v1/agents", {"name": "Helper", "id": "a-1"})
    session, once = service.session(id="s-1", agent="a-1"), {"idempotency-key": "once"}
    before = head(service, session)
    for _ in range(2):
        service.post("/v1/sessions", {"model": "offline", "id": "s-2"}, headers=once)
    service.remember(session, "a", kind="decision")
    service.forget(session, "a")
    service.remember(session, "b", kind="decision")
    assert change(service, "a-1", {"_tag": "Erase", "key": "none"}).status == 409
    assert service.post(f"/v1/sessions/{session}/promote", {"agent": "a-1"})["keys"] == ["b"]
    remember(service, "a-1", "tests-first")
    assert change(service, "a-1", {"_tag": "Restore", "version": 1}).status == 200
    assert change(service, "a-1", {"_tag": "Erase", "key": "b"}).status == 200
    assert erase(service, session, "b").status == 200
    fork(service, session, id="s-3")
    assert rewind(service, session, before).status == 200
    service.deliver()


def _read(service: Service) -> None:
    session, agent = "/v1/sessions/s-1", "/v1/agents/a-1"
    for path in ("", "/memory", "/memory?limit=1", "/memory?q=a", "/memory/log", "/items", "/instructions", "/export"):
        service.get(f"{session}{path}")
    for path in ("", "/memory", "/memory?limit=1", "/memory/log", "/export"):
        service.get(f"{agent}{path}")
    for path in ("sessions", "sessions?agent=a-1", "agents", "organization"):
        service.get(f"/v1/{path}")
    service.get("/v1/openapi.json")


def _remove(service: Service) -> None:
    """A session that a fork needs, then the fork."""
    for session in ("s-1", "s-3"):
        assert delete(service, session).status == 200
        service.deliver()


def test_each_function_may_do_exactly_what_it_does(played: Recorder) -> None:
    """No call is refused; no action and no resource is granted that nothing needs; and no row is another's."""
    needs = [(function, need) for function, its in played.needs.items() for need in its]

    assert [each for each in needs if not allowed(*each)] == []
    assert sorted(set(granted()) - {use for each in needs for use in uses(*each)}) == []
    assert [each for each in needs if each[1].pk and not re.match(r"ORG#acme(#|$)|TOKEN#", each[1].pk)] == []


def allowed(function: str, need: Need) -> bool:
    return any(True for _ in uses(function, need))


def uses(function: str, need: Need) -> Iterator[Grant]:
    """What of a function's policies allows this."""
    for grant in granted():
        of_it = (grant.function, grant.action) == (function, need.action)
        in_reach = grant.keys == "" or (need.pk is not None and fnmatchcase(need.pk, grant.keys))
        if of_it and in_reach and fnmatchcase(need.resource, grant.resource):
            yield grant


def granted() -> Iterator[Grant]:
    for function, statements in STATEMENTS.items():
        for each in statements:
            keys = each["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"] if "Condition" in each else [""]
            resources = map(pattern, listed(each["Resource"]))
            yield from (Grant(function, *grant) for grant in product(listed(each["Action"]), resources, keys))


def listed(value: Any) -> list[Any]:  # noqa: ANN401
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def pattern(resource: Json) -> str:
    """A resource of a policy as text, in the words of the recorder."""
    if "Fn::GetAtt" in resource:
        name, attribute = resource["Fn::GetAtt"]
        return f"${{{name}.{attribute}}}"
    return resource["Fn::Sub"]
