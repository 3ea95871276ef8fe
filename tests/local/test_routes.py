"""The happy path of every route of the template, over HTTP."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps

import httpx
import pytest
from local_stack import Api, Json, Session, route_of, routes_of_the_template

from openbot_memory.http.openapi import WRITTEN

OF_AGENTS = re.compile(r" /v1/agents|/promote$|/export$")  # their happy paths are in test_agents.py

covered = set[str]()


@dataclass(frozen=True, slots=True)
class Caller:
    """Makes clients by the names of tokens, and records the routes that answered with success."""

    api: Api
    succeeded: set[str] = field(default_factory=set[str])

    def __call__(self, name: str = "person") -> httpx.Client:
        client = self.api(name)
        client.event_hooks["response"].append(self._note)
        return client

    def session(self) -> Session:
        """A session with one fact, `seat`, and one unread item."""
        session = Session.begin(self(), model="offline")
        session.remember("seat", "Ana sits at the window.")
        item = {"type": "message", "role": "user", "text": "Hello."}
        turn: Json = {"turn": "t-1", "model": None, "items": [item]}
        assert session.client.post(f"{session.path}/turns", json=turn).status_code == 200
        return session

    def _note(self, answer: httpx.Response) -> None:
        if answer.is_success:
            self.succeeded.add(route_of(answer.request) or "")


@pytest.fixture
def caller(api: Api) -> Caller:
    return Caller(api)


type Test = Callable[[Caller], None]


def happy_path(route: str) -> Callable[[Test], Test]:
    """Mark a test as the happy path of a route; it fails unless the route answered with success."""
    covered.add(route)

    def mark(test: Test) -> Test:
        @wraps(test)
        def checked(caller: Caller) -> None:
            test(caller)
            assert route in caller.succeeded

        return checked

    return mark


def test_every_route_of_the_template_has_a_happy_path_here() -> None:
    assert covered >= {route for route in routes_of_the_template() if not OF_AGENTS.search(route)}


@happy_path("POST /v1/sessions")
def test_a_session_is_created(caller: Caller) -> None:
    answer = caller().post("/v1/sessions", json={"model": "offline"})

    assert answer.status_code == 201
    view = answer.json()
    assert view["session"]["model"] == "offline"
    assert view["memory"]["settings"] == {"use": True, "generate": True}


@happy_path("GET /v1/sessions")
def test_the_session_created_last_is_listed_first(caller: Caller) -> None:
    session = caller.session()

    assert caller().get("/v1/sessions?limit=1").json()["sessions"] == [session.get()["session"]]


@happy_path("GET /v1/sessions/{id}")
def test_a_session_is_read(caller: Caller) -> None:
    session = caller.session()

    assert session.get()["session"]["id"] == session.id
    assert session.consolidation["waiting"] == 1


@happy_path("POST /v1/sessions/{id}/turns")
def test_a_turn_is_appended(caller: Caller) -> None:
    session = Session.begin(caller("host"), model="offline")
    before = session.get()["session"]

    after = session.say("t-1", "Hello.", model="offline")["session"]

    assert after["revision"] > before["revision"]
    assert after["head"] != before["head"]


@happy_path("GET /v1/sessions/{id}/items")
def test_the_items_come_oldest_first(caller: Caller) -> None:
    session = caller.session()

    assert [(item["id"], item["type"]) for item in session.get("/items")["items"]] == [
        ("i-01", "memory"),
        ("i-02", "message"),
    ]


@happy_path("GET /v1/sessions/{id}/memory")
def test_the_memory_is_read(caller: Caller) -> None:
    """S1."""
    memory = caller.session().get("/memory")

    assert memory["entries"]["seat"].items() >= {"status": "active", "sources": ["i-01"]}.items()
    assert memory["processed"] == ["i-01"]


@happy_path("POST /v1/sessions/{id}/memory")
def test_a_command_is_carried_out_and_answered_with_the_new_view(caller: Caller) -> None:
    """S9."""
    session = caller.session()

    answer = session.change("Configure", use=False)

    assert answer.status_code == 200
    assert answer.json() == session.get()
    assert answer.json()["memory"]["overrides"] == {"use": False}


@happy_path("GET /v1/sessions/{id}/memory/log")
def test_the_log_shows_a_change(caller: Caller) -> None:
    (row,) = caller.session().log

    assert (row["trigger"], row["keys"], row["by"]) == ("person", ["seat"], {"type": "person", "id": "ana"})


@happy_path("GET /v1/sessions/{id}/instructions")
def test_the_instructions_hold_the_fact(caller: Caller) -> None:
    """S4."""
    instructions = caller.session().get("/instructions")

    assert re.search(r"«seat» \(from Ana, \d{4}-\d\d-\d\d\): Ana sits at the window.", instructions["text"])
    assert instructions["session"] == {"shown": 1, "omitted": 0}


@happy_path("POST /v1/sessions/{id}/fork")
def test_a_fork_has_the_memory_of_its_version_and_goes_its_own_way(caller: Caller) -> None:
    """S12."""
    session = caller.session()

    answer = session.client.post(f"{session.path}/fork", json={})
    assert answer.status_code == 201
    fork = Session(session.client, answer.json()["session"]["id"])
    fork.remember("seat", "Ana sits at the aisle.")

    assert fork.entries["seat"]["content"] == "Ana sits at the aisle."
    assert session.entries["seat"]["content"] == "Ana sits at the window."
    assert fork.get()["session"]["forkedFrom"]["session"] == session.id


@happy_path("POST /v1/sessions/{id}/rewind")
def test_a_rewind_restores_the_memory_of_that_version(caller: Caller) -> None:
    """S12."""
    session = caller.session()
    before, version = session.get("/memory"), session.seen["expected"]
    session.forget("seat")

    answer = session.client.post(f"{session.path}/rewind", json=session.seen | {"to": version})

    assert answer.status_code == 200
    assert answer.json()["session"]["head"] == version
    assert session.get("/memory") == before


@pytest.mark.parametrize("key", ["Sitzplatz für Ana", "a?b#c+d", "a/b", ".."])
def test_a_key_of_any_characters_is_erased(api: Api, key: str) -> None:
    """Erase leaves no content."""
    session = Session.begin(api("person"), model="offline")
    session.remember(key, "Ana sits at the window.")
    erase = {"_tag": "Erase", "key": key}

    answer = session.client.post(f"{session.path}/memory", json=session.seen | {"command": erase})

    assert answer.status_code == 200, answer.text
    assert session.entries[key].items() >= {"status": "retracted", "content": ""}.items()


@happy_path("DELETE /v1/sessions/{id}")
def test_a_session_is_deleted_by_an_administrator(caller: Caller) -> None:
    session = caller.session()

    assert caller("admin").delete(session.path).status_code == 200

    assert session.client.get(session.path).status_code == 404
    assert session.client.get(f"{session.path}/memory").status_code == 404


@happy_path("GET /v1/organization")
def test_the_organizations_settings_are_read(caller: Caller) -> None:
    settings = caller().get("/v1/organization").json()

    assert settings.keys() == {"memory", "agentMemory", "agentMemoryModel"}


@happy_path("PATCH /v1/organization")
def test_an_administrator_changes_the_organizations_settings(caller: Caller) -> None:
    change: Json = {"memory": {"use": True}}

    assert caller("admin").patch("/v1/organization", json=change).json()["memory"]["use"] is True


@happy_path("GET /v1/openapi.json")
def test_the_openapi_document_is_served_unchanged(caller: Caller) -> None:
    answer = caller().get("/v1/openapi.json")

    assert answer.json() == json.loads(WRITTEN.read_text())
