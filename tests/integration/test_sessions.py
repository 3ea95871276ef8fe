"""Sessions, turns, items and the organization's settings, as the HTTP API shows them."""

import json
from typing import Any

import pytest
from service import Service

MESSAGE = {"type": "message", "role": "user", "text": "My trip budget is 1500 EUR."}
ITEMS: list[dict[str, Any]] = [
    MESSAGE,
    {"type": "message", "role": "assistant", "text": "Noted."},
    {"type": "tool-call", "app": "calendar", "name": "list", "arguments": {"day": "2026-12-01", "deep": [1.5, None]}},
    {"type": "tool-result", "app": "calendar", "text": "no events"},
    {"type": "approval", "text": "book the train", "approved": True},
    {"type": "action", "app": "calendar", "text": "event created"},
]


def test_a_new_session_is_shown_as_the_api_says(service: Service) -> None:
    service.post("/v1/agents", {"id": "a-1", "name": "Helper"})
    reply = service.call("POST", "/v1/sessions", {"model": "offline", "agent": "a-1"})

    assert reply.status == 201
    session = reply.body["session"]
    assert session.pop("id")
    assert session.pop("head").startswith("v-")
    assert session.pop("createdAt") == session.pop("updatedAt") > 0
    assert session == {"revision": 1, "agent": "a-1", "model": "offline", "kind": "normal", "forkedFrom": None}
    assert reply.body["memory"] == {
        "settings": {"use": True, "generate": True},
        "overrides": {},
        "consolidation": {"waiting": 0, "lastRun": None, "error": None, "tokens": {"input": 0, "output": 0}},
    }


def test_a_session_is_read_back_as_it_was_made(service: Service) -> None:
    made = service.post("/v1/sessions", {"model": "test", "id": "my-id", "kind": "check"})

    assert made["session"]["id"] == "my-id"
    assert service.get("/v1/sessions/my-id") == made


def test_an_id_that_exists_is_refused(service: Service) -> None:
    service.session(id="mine")

    reply = service.call("POST", "/v1/sessions", {"model": "test", "id": "mine"})

    assert (reply.status, reply.body["_tag"]) == (409, "SessionExists")


def test_another_organization_may_use_the_same_id_and_sees_nothing_of_this_one(service: Service) -> None:
    session = service.session(id="mine")
    service.remember(session, "secret plan")

    assert service.call("GET", "/v1/sessions/mine", organization="globex").status == 404
    service.post("/v1/sessions", {"model": "test", "id": "mine"}, organization="globex")
    assert service.get("/v1/sessions/mine/memory", organization="globex")["entries"] == {}


@pytest.mark.parametrize("path", ["", "/memory", "/memory/log", "/items", "/instructions"])
def test_an_unknown_session_is_404_everywhere(service: Service, path: str) -> None:
    reply = service.call("GET", f"/v1/sessions/nobody{path}")

    assert (reply.status, reply.body["_tag"]) == (404, "SessionNotFound")


def test_a_turn_appends_its_items_in_order_with_all_their_fields(service: Service) -> None:
    session = service.session()
    ana = {"id": "ana", "name": "Ana"}

    view = service.post(
        f"/v1/sessions/{session}/turns", {"turn": "t-1", "model": "test", "person": ana, "items": ITEMS}
    )

    assert view["session"]["revision"] == 2
    assert view["memory"]["consolidation"]["waiting"] == len(ITEMS)
    items = service.get(f"/v1/sessions/{session}/items")["items"]
    assert [item.pop("id") for item in items] == [f"i-0{n}" for n in range(1, 7)]
    at = {item.pop("at") for item in items}
    assert at == {view["session"]["updatedAt"]}
    assert items == [{**item, "turn": "t-1", "person": ana} for item in ITEMS]


def test_a_finished_turn_is_told_on_the_bus_by_ids_alone(service: Service) -> None:
    service.post("/v1/agents", {"id": "a-1", "name": "Helper"})
    session = service.session(agent="a-1")

    service.turn(session, "t-1", "Private words.", queueEmpty=False)

    (event,) = service.events
    assert (event["source"], event["detail-type"]) == ("openbot.sessions", "Turn Finished")
    assert event["detail"] == {
        "organization": "acme",
        "session": session,
        "turn": "t-1",
        "agent": "a-1",
        "model": "test",
        "queueEmpty": False,
    }


@pytest.mark.parametrize("status", ["cancelled", "failed"])
def test_a_turn_that_did_not_finish_is_kept_and_not_told(service: Service, status: str) -> None:
    session = service.session()

    service.turn(session, "t-1", "Something.", status=status)

    assert service.events == []
    assert len(service.get(f"/v1/sessions/{session}/items")["items"]) == 1


def test_the_same_turn_again_changes_nothing_answers_the_same_and_tells_the_bus_again(service: Service) -> None:
    session = service.session()
    first = service.turn(session, "t-1", "One.")
    service.remember(session, "later")

    again = service.turn(session, "t-1", "One.")

    assert again == first
    assert [event["detail-type"] for event in service.events].count("Turn Finished") == 2
    assert service.get(f"/v1/sessions/{session}")["session"]["revision"] == 3


def test_the_same_turn_with_another_body_is_refused(service: Service) -> None:
    session = service.session()
    service.turn(session, "t-1", "One.")

    body = {"turn": "t-1", "model": "test", "items": [MESSAGE]}
    reply = service.call("POST", f"/v1/sessions/{session}/turns", body)

    assert (reply.status, reply.body["_tag"]) == (422, "KeyReused")


def test_a_turn_with_a_stale_view_is_refused_and_the_same_with_a_fresh_one_is_taken(service: Service) -> None:
    session = service.session()
    seen = service.get(f"/v1/sessions/{session}")["session"]
    service.remember(session, "meanwhile")
    body = {"turn": "t-1", "model": "test", "items": [MESSAGE]}

    stale = service.call(
        "POST", f"/v1/sessions/{session}/turns", body | {"expected": seen["head"], "revision": seen["revision"]}
    )

    assert (stale.status, stale.body["_tag"]) == (409, "SessionConflict")
    fresh = {"expected": stale.body["head"], "revision": stale.body["revision"]}
    assert service.call("POST", f"/v1/sessions/{session}/turns", body | fresh).status == 200


def test_a_turn_of_a_thousand_items_is_taken_whole(service: Service) -> None:
    session = service.session()

    view = service.turn(session, "t-1", *(f"Sentence {n}." for n in range(1000)))

    assert view["memory"]["consolidation"]["waiting"] == 1000
    found = list[dict[str, Any]]()
    cursor = ""
    while cursor is not None:
        page = service.get(f"/v1/sessions/{session}/items?limit=500" + (f"&cursor={cursor}" if cursor else ""))
        found += page["items"]
        cursor = page["cursor"]
    assert [item["text"] for item in found] == [f"Sentence {n}." for n in range(1000)]


def test_too_many_items_are_413(service: Service) -> None:
    session = service.session()

    reply = service.call(
        "POST", f"/v1/sessions/{session}/turns", {"turn": "t", "model": "test", "items": [MESSAGE] * 1001}
    )

    assert (reply.status, reply.body["_tag"], reply.body["limit"]) == (413, "TooLarge", 1000)
    assert service.get(f"/v1/sessions/{session}/items")["items"] == []


@pytest.mark.parametrize(
    ("text", "status"), [("é" * 131_072, 200), ("é" * 131_073, 413), ("\x00" * 262_144, 200), ("x" * 262_145, 413)]
)
def test_an_item_holds_256_kb_of_utf_8_and_not_a_byte_more(service: Service, text: str, status: int) -> None:
    session = service.session()
    item = {"type": "tool-result", "app": "a", "text": text}

    reply = service.call("POST", f"/v1/sessions/{session}/turns", {"turn": "t", "model": "test", "items": [item]})

    assert reply.status == status
    if status == 200:
        assert service.get(f"/v1/sessions/{session}/items")["items"][0]["text"] == text


@pytest.mark.parametrize("what", ["items", "export"])
def test_a_page_fits_an_answer_of_lambda_also_when_every_character_is_escaped_in_it(
    service: Service, what: str
) -> None:
    """A quotation mark takes two bytes in JSON, and four in the JSON that holds it as a body."""
    session = service.session()
    text = '"' * 262_144
    for turn in ("t-1", "t-2"):
        service.turn(session, turn, *[text] * 6)

    found, cursor = list[str](), ""
    while cursor is not None:
        page = service.get(f"/v1/sessions/{session}/{what}" + (f"?cursor={cursor}" if cursor else ""))
        found += [item["text"] for item in page.get("items", ())]
        cursor = page["cursor"]
    assert found == [text] * 12


def test_arguments_count_as_text(service: Service) -> None:
    session = service.session()
    item = {"type": "tool-call", "app": "a", "name": "n", "arguments": {"x": "y" * 262_144}}

    reply = service.call("POST", f"/v1/sessions/{session}/turns", {"turn": "t", "model": "test", "items": [item]})

    assert reply.status == 413


def test_items_come_in_pages_whose_cursors_cannot_be_altered_or_used_elsewhere(service: Service) -> None:
    session, other = service.session(), service.session()
    for each in (session, other):
        service.turn(each, "t-1", *"abcde")

    page = service.get(f"/v1/sessions/{session}/items?limit=2")
    rest = service.get(f"/v1/sessions/{session}/items?limit=3&cursor={page['cursor']}")

    assert [item["text"] for item in page["items"] + rest["items"]] == list("abcde")
    assert rest["cursor"] is None
    altered = page["cursor"][:-2] + ("AA" if page["cursor"][-2:] != "AA" else "BB")
    for path in (f"{session}/items?cursor={altered}", f"{other}/items?cursor={page['cursor']}"):
        assert service.call("GET", f"/v1/sessions/{path}").status == 400
    assert service.call("GET", f"/v1/sessions/{session}/memory/log?cursor={page['cursor']}").status == 400


@pytest.mark.parametrize("limit", ["0", "501", "-1", "1.0", "x", "", "٣", "9" * 30])
def test_a_bad_limit_is_400(service: Service, limit: str) -> None:
    session = service.session()

    assert service.call("GET", f"/v1/sessions/{session}/items?limit={limit}").status == 400


def test_the_organization_decides_for_sessions_that_do_not_override(service: Service) -> None:
    """S3: at once, and also for sessions that exist already."""
    session = service.session()
    assert service.get("/v1/organization") == {
        "memory": {"use": True, "generate": True, "instructions": ""},
        "agentMemory": True,
        "agentMemoryModel": None,
    }

    changed = service.call("PATCH", "/v1/organization", {"memory": {"generate": False}}, caller="admin")

    assert changed.status == 200
    assert changed.body["memory"] == {"use": True, "generate": False, "instructions": ""}
    view = service.get(f"/v1/sessions/{session}")
    assert view["memory"]["settings"] == {"use": True, "generate": False}
    assert view["memory"]["overrides"] == {}


def test_a_patch_leaves_what_it_does_not_name(service: Service) -> None:
    service.call("PATCH", "/v1/organization", {"agentMemoryModel": "m", "memory": {"use": False}}, caller="admin")

    after = service.call("PATCH", "/v1/organization", {"agentMemory": False}, caller="admin").body

    defaults = {"use": False, "generate": True, "instructions": ""}
    assert after == {"memory": defaults, "agentMemory": False, "agentMemoryModel": "m"}
    assert service.call("PATCH", "/v1/organization", {"agentMemoryModel": None}, caller="admin").body == after | {
        "agentMemoryModel": None
    }


@pytest.mark.parametrize("caller", ["person", "agent", "host"])
def test_only_an_administrator_changes_the_organization(service: Service, caller: str) -> None:
    reply = service.call("PATCH", "/v1/organization", {"agentMemory": False}, caller=caller)

    assert (reply.status, reply.body["_tag"]) == (403, "Forbidden")
    assert service.get("/v1/organization")["agentMemory"] is True


def test_the_same_idempotency_key_gives_the_first_answer_and_changes_nothing(service: Service) -> None:
    headers = {"idempotency-key": "k-1"}

    first = service.call("POST", "/v1/sessions", {"model": "test"}, headers=headers)
    again = service.call("POST", "/v1/sessions", {"model": "test"}, headers=headers)

    assert (again.status, again.body) == (first.status, first.body)
    other = service.call("POST", "/v1/sessions", {"model": "other"}, headers=headers)
    assert (other.status, other.body["_tag"]) == (422, "KeyReused")
    assert service.call("POST", "/v1/sessions", {"model": "test"}, headers=headers, caller="host").body != first.body


def test_a_command_sent_twice_with_its_key_is_no_conflict(service: Service) -> None:
    session = service.session()
    seen = service.get(f"/v1/sessions/{session}")["session"]
    command = {"_tag": "Remember", "key": "a", "content": "b", "kind": "fact"}
    body = {"expected": seen["head"], "revision": seen["revision"], "command": command}
    path, headers = f"/v1/sessions/{session}/memory", {"idempotency-key": "k"}

    first = service.call("POST", path, body, headers=headers)
    reordered = json.dumps(dict(reversed(body.items())), indent=1)
    again = service.call("POST", path, raw=reordered, headers=headers)

    assert first.status == again.status == 200
    assert first.body == again.body
    assert service.call("POST", path, body).status == 409


def test_only_successes_are_kept_for_a_key(service: Service) -> None:
    session = service.session()
    headers = {"idempotency-key": "k"}
    refused = service.change(session, {"_tag": "Forget", "key": "a"}, headers=headers)
    service.remember(session, "a")

    accepted = service.change(session, {"_tag": "Forget", "key": "a"}, headers=headers)

    assert (refused.status, accepted.status) == (409, 200)


def test_a_key_of_an_earlier_turn_is_not_taken_for_a_repeated_one(service: Service) -> None:
    session = service.session()
    path = f"/v1/sessions/{session}/turns"
    one, two = ({"turn": turn, "model": "test", "items": [MESSAGE]} for turn in ("t-1", "t-2"))
    service.call("POST", path, one, headers={"idempotency-key": "k-1"})
    service.call("POST", path, two, headers={"idempotency-key": "k-2"})

    assert service.call("POST", path, one, headers={"idempotency-key": "k-2"}).status == 422
    assert service.call("POST", path, one, headers={"idempotency-key": "k-1"}).status == 200


def test_a_session_of_an_unknown_agent_is_404_and_is_not_made(service: Service) -> None:
    """A mistyped agent must not cost an agent its learning."""
    service.post("/v1/agents", {"id": "a-1", "name": "Helper"})

    for agent in ("no-such-agent", "A-1"):
        reply = service.call("POST", "/v1/sessions", {"model": "test", "id": "s-1", "agent": agent})
        assert (reply.status, reply.body["_tag"]) == (404, "AgentNotFound")
    other = service.call("POST", "/v1/sessions", {"model": "test", "agent": "a-1"}, organization="globex")
    assert other.status == 404

    assert service.session(id="s-1", agent="a-1") == "s-1"
