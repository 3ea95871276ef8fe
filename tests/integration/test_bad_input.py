"""Errors: malformed input gets a clear 4xx in the one error shape, and nothing is changed."""

import json
from typing import Any

import pytest
from service import ROOT, Service, context

REMEMBER = {"_tag": "Remember", "key": "a", "content": "b", "kind": "fact"}
ITEM = {"type": "message", "role": "user", "text": "Hello."}


def refused(service: Service, session: str, body: object = None, *, raw: str | None = None) -> dict[str, Any]:
    """Post to the memory; it must be a 400 that changed nothing. Returns the answer."""
    before = service.get(f"/v1/sessions/{session}")
    reply = service.call("POST", f"/v1/sessions/{session}/memory", body, raw=raw)
    assert reply.status == 400, reply
    assert reply.body["_tag"] == "InvalidRequest"
    assert reply.body["message"]
    assert service.get(f"/v1/sessions/{session}") == before
    return reply.body


def paths(answer: dict[str, Any]) -> list[str]:
    return [issue["path"] for issue in answer["issues"]]


@pytest.mark.parametrize("revision", [1.0, "1", True, None, -1, [1], {}])
def test_a_revision_is_an_integer(service: Service, revision: object) -> None:
    session = service.session()
    seen = service.get(f"/v1/sessions/{session}")["session"]

    answer = refused(service, session, {"expected": seen["head"], "revision": revision, "command": REMEMBER})

    assert paths(answer) == ["revision"]


def test_a_huge_revision_is_a_conflict_and_no_failure(service: Service) -> None:
    session = service.session()
    seen = service.get(f"/v1/sessions/{session}")["session"]

    body = {"expected": seen["head"], "revision": 10**30, "command": REMEMBER}

    assert service.call("POST", f"/v1/sessions/{session}/memory", body).status == 409


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "{",
        "nonsense",
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"revision": NaN}',
        '{"revision": Infinity}',
        '{"revision": 1e999}',
        '{"revision": ' + "9" * 10_000 + "}",
        "null",
        "[]",
        '"text"',
        "\ufeff{}",
    ],
)
def test_a_body_that_is_no_json_object_is_400(service: Service, raw: str) -> None:
    refused(service, service.session(), raw=raw)


@pytest.mark.parametrize(("size", "status"), [(5 * 1024 * 1024, 400), (5 * 1024 * 1024 + 1, 413)])
def test_a_body_has_at_most_5_mb(service: Service, size: int, status: int) -> None:
    """413 above it; what just fits is read, and here refused for its content."""
    raw = '{"model": "' + "é" * ((size - 13) // 2) + "e" * ((size - 13) % 2) + '"}'

    reply = service.call("POST", "/v1/sessions", raw=raw)

    assert len(raw.encode()) == size
    assert reply.status == status
    if status == 413:
        assert reply.body.items() >= {"_tag": "TooLarge", "limit": 5 * 1024 * 1024, "length": size}.items()


def test_10_000_parameters_are_400(service: Service) -> None:
    query = "&".join(f"p{n}=1" for n in range(10_000))

    assert service.call("GET", f"/v1/sessions/{service.session()}?{query}").status == 400


@pytest.mark.parametrize("name", ["key", "content"])
def test_a_lone_surrogate_is_400(service: Service, name: str) -> None:
    session = service.session()
    seen = service.get(f"/v1/sessions/{session}")["session"]
    body = {"expected": seen["head"], "revision": seen["revision"], "command": REMEMBER | {name: "\ud800"}}

    assert paths(refused(service, session, body)) == [f"command.{name}"]


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"command": {"_tag": "Explode"}}, "command._tag"),
        ({"command": {"key": "a"}}, "command._tag"),
        ({"command": "Refresh"}, "command"),
        ({"command": {"_tag": "Remember", "key": "a", "kind": "fact"}}, "command.content"),
        ({"command": REMEMBER | {"kind": "thing"}}, "command.kind"),
        ({"command": REMEMBER | {"kind": 1}}, "command.kind"),
        ({"command": REMEMBER | {"extra": 1}}, "command.extra"),
        ({"command": REMEMBER | {"key": 1}}, "command.key"),
        ({"command": REMEMBER | {"content": " \n"}}, "command.content"),
        ({"command": {"_tag": "Configure", "use": 1}}, "command.use"),
        ({"command": {"_tag": "Refresh", "now": True}}, "command.now"),
        ({"extra": 1}, "extra"),
        ({"expected": 1}, "expected"),
    ],
)
def test_a_wrong_field_is_named_by_its_path(service: Service, change: dict[str, object], path: str) -> None:
    session = service.session()
    seen = service.get(f"/v1/sessions/{session}")["session"]
    body = {"expected": seen["head"], "revision": seen["revision"], "command": REMEMBER}

    assert paths(refused(service, session, body | change)) == [path]


@pytest.mark.parametrize("missing", ["expected", "revision", "command"])
def test_a_missing_field_is_named(service: Service, missing: str) -> None:
    session = service.session()
    body = {"expected": "v", "revision": 1, "command": REMEMBER}
    del body[missing]

    assert paths(refused(service, session, body)) == [missing]


@pytest.mark.parametrize("kind", ["text/plain", "", "application/x-www-form-urlencoded", "application/jsonp"])
def test_another_content_type_is_400(service: Service, kind: str) -> None:
    reply = service.call("POST", "/v1/sessions", {"model": "test"}, headers={"content-type": kind})

    assert (reply.status, paths(reply.body)) == (400, ["content-type"])


def test_json_with_a_charset_is_taken(service: Service) -> None:
    headers = {"content-type": "Application/JSON; charset=utf-8"}

    assert service.call("POST", "/v1/sessions", {"model": "test"}, headers=headers).status == 201


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"items": [ITEM, ITEM | {"text": 1}]}, "items.1.text"),
        ({"items": [ITEM | {"role": "system"}]}, "items.0.role"),
        ({"items": [{"text": "x"}]}, "items.0.type"),
        ({"items": [ITEM | {"type": "memory"}]}, "items.0.type"),
        ({"items": [ITEM | {"id": "i-01"}]}, "items.0.id"),
        ({"items": [ITEM | {"text": "\ud800"}]}, "items.0.text"),
        ({"items": {}}, "items"),
        ({"turn": ""}, "turn"),
        ({"turn": "a\x1fb"}, "turn"),
        ({"status": "done"}, "status"),
        ({"model": ""}, "model"),
        ({"model": "a b"}, "model"),
        ({"person": {"name": "Ana"}}, "person.id"),
        ({"queueEmpty": "yes"}, "queueEmpty"),
        ({"queue_empty": True}, "queue_empty"),
        ({"expected": "v-1"}, "revision"),
        ({"revision": 1}, "revision"),
    ],
)
def test_a_wrong_turn_is_400_and_appends_nothing(service: Service, change: dict[str, object], path: str) -> None:
    session = service.session()
    body = {"turn": "t-1", "model": "test", "items": [ITEM]} | change

    reply = service.call("POST", f"/v1/sessions/{session}/turns", body)

    assert (reply.status, paths(reply.body)) == (400, [path])
    assert service.get(f"/v1/sessions/{session}/items")["items"] == []
    assert service.events == []


@pytest.mark.parametrize("arguments", ['{"a": "\\ud800"}', '{"\\ud800": 1}', '{"a": [{"b": "\\udfff"}]}'])
def test_a_lone_surrogate_deep_in_arguments_is_400(service: Service, arguments: str) -> None:
    session = service.session()
    item = '{"type": "tool-call", "app": "a", "name": "n", "arguments": ' + arguments + "}"

    reply = service.call(
        "POST", f"/v1/sessions/{session}/turns", raw=f'{{"turn": "t", "model": "test", "items": [{item}]}}'
    )

    assert reply.status == 400, reply
    assert paths(reply.body)[0].startswith("items.0.arguments")


@pytest.mark.parametrize("bad", ["a b", "a#b", "-a", "a" * 65, "ä", "a\x00", "..", "a?b", "SESSION#x"])
def test_an_id_in_the_path_must_be_one(service: Service, bad: str) -> None:
    """The gateway hands over path parameters decoded, `%2F` and `%00` included."""
    event = json.loads((ROOT / "events/read.json").read_text())
    event |= {"routeKey": "GET /v1/sessions/{id}", "pathParameters": {"id": bad}, "queryStringParameters": None}

    reply = service.functions["read"].handler(event, context())

    assert reply["statusCode"] == 400
    assert json.loads(reply["body"])["_tag"] == "InvalidRequest"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"id": "a/b", "model": "m"}, "id"),
        ({"id": "a\n", "model": "m"}, "id"),
        ({"model": "m", "agent": "#"}, "agent"),
        ({"model": "m", "kind": "odd"}, "kind"),
        ({"model": None}, "model"),
        ({}, "model"),
    ],
)
def test_a_wrong_session_is_400(service: Service, body: dict[str, object], path: str) -> None:
    reply = service.call("POST", "/v1/sessions", body)

    assert (reply.status, paths(reply.body)) == (400, [path])


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"memory": {"use": None}}, "memory.use"),
        ({"memory": {"learn": True}}, "memory.learn"),
        ({"agentMemory": "on"}, "agentMemory"),
        ({"agent_memory": True}, "agent_memory"),
        ({"agentMemoryModel": ""}, "agentMemoryModel"),
    ],
)
def test_wrong_settings_are_400(service: Service, body: dict[str, object], path: str) -> None:
    reply = service.call("PATCH", "/v1/organization", body, caller="admin")

    assert reply.status == 400
    assert paths(reply.body)[0].startswith(path)


@pytest.mark.parametrize("key", ["", "x" * 256, "a\nb"])
def test_a_bad_idempotency_key_is_400(service: Service, key: str) -> None:
    reply = service.call("POST", "/v1/sessions", {"model": "test"}, headers={"idempotency-key": key})

    assert (reply.status, paths(reply.body)) == (400, ["idempotency-key"])


@pytest.mark.parametrize("path", ["items", "memory", "memory/log", "export"])
def test_an_empty_cursor_is_400(service: Service, path: str) -> None:
    reply = service.call("GET", f"/v1/sessions/{service.session()}/{path}?cursor=")

    assert (reply.status, paths(reply.body)) == (400, ["cursor"])


@pytest.mark.parametrize("key", ["", "a\x85b", "schlüssel", "x" * 256])
def test_an_idempotency_key_that_no_header_should_hold_is_400(service: Service, key: str) -> None:
    reply = service.call("POST", "/v1/sessions", {"model": "test"}, headers={"idempotency-key": key})

    assert (reply.status, paths(reply.body)) == (400, ["idempotency-key"])
