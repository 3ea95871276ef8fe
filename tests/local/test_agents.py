"""Agents on the deployed template: every route, learning after a finished turn, and many sessions at once (A1-A10)."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import httpx
import pytest
from local_stack import Api, Json, Session, Stack, changes, fact, routes_of_the_template, wait_for
from model_server import ModelServer
from test_routes import OF_AGENTS, Caller, caller, covered, happy_path

__all__ = ["caller"]  # a fixture

MODEL = "anthropic.claude-3-5-haiku-20241022-v1:0"
SESSIONS = 10
numbers = count()


@pytest.fixture(autouse=True)
def learning(stack: Stack, model: ModelServer) -> Iterator[None]:
    """The organization's agents learn while this module runs; what sessions learn is not asked."""
    assert model.requests == []
    with stack.api("admin") as admin:
        admin.patch("/v1/organization", json={"agentMemoryModel": MODEL}).raise_for_status()
        yield
        admin.patch("/v1/organization", json={"agentMemoryModel": None}).raise_for_status()


def agent(client: httpx.Client, **fields: object) -> str:
    identifier = f"agent-{next(numbers)}"
    answer = client.post("/v1/agents", json={"name": "Helper", "id": identifier} | fields)
    assert answer.status_code == 201, answer.text
    return f"/v1/agents/{identifier}"


def change(client: httpx.Client, path: str, **command: object) -> httpx.Response:
    version = client.get(path).json()["agent"]["version"]
    return client.post(f"{path}/memory", json={"expected": version, "command": command})


def remember(client: httpx.Client, path: str, key: str = "tests-first") -> Json:
    answer = change(client, path, _tag="Remember", key=key, content="Test before you report.", kind="procedure")
    assert answer.status_code == 200, answer.text
    return answer.json()


def working_for(client: httpx.Client, path: str) -> Session:
    body = {"model": "offline", "agent": path.rpartition("/")[2]}
    return Session(client, client.post("/v1/sessions", json=body).json()["session"]["id"])


def test_every_route_of_agents_has_a_happy_path_here() -> None:
    assert covered >= {route for route in routes_of_the_template() if OF_AGENTS.search(route)}


@happy_path("POST /v1/agents")
def test_an_agent_is_made(caller: Caller) -> None:
    answer = caller().post("/v1/agents", json={"name": "Helper", "shared": True})

    assert answer.status_code == 201
    assert answer.json()["agent"].items() >= {"name": "Helper", "shared": True, "version": 0}.items()


@happy_path("GET /v1/agents")
def test_the_agent_made_last_is_listed_first(caller: Caller) -> None:
    path = agent(caller())

    assert caller().get("/v1/agents?limit=1").json()["agents"] == [caller().get(path).json()["agent"]]


@happy_path("GET /v1/agents/{id}")
def test_an_agent_is_seen(caller: Caller) -> None:
    path = agent(caller())

    assert caller().get(path).json()["agent"]["id"] == path.rpartition("/")[2]


@happy_path("POST /v1/agents/{id}/memory")
def test_an_agents_memory_is_changed_by_hand(caller: Caller) -> None:
    """A8."""
    path = agent(caller())

    assert remember(caller(), path)["version"] == 1
    stale = caller().post(f"{path}/memory", json={"expected": 0, "command": {"_tag": "Forget", "key": "tests-first"}})

    assert (stale.status_code, stale.json()["_tag"]) == (409, "AgentMemoryConflict")


@happy_path("GET /v1/agents/{id}/memory")
def test_a_person_brings_an_entry_back(caller: Caller) -> None:
    """A4."""
    path = agent(caller())
    remember(caller(), path)
    assert change(caller(), path, _tag="Forget", key="tests-first").status_code == 200

    command = {"_tag": "Remember", "key": "tests-first", "content": "Test.", "kind": "procedure"}
    assert caller().get(f"{path}/memory").json()["entries"]["tests-first"]["status"] == "retracted"
    assert change(caller(), path, **command).status_code == 200


@happy_path("GET /v1/agents/{id}/memory/log")
def test_a_person_restores_a_version_as_a_new_one(caller: Caller) -> None:
    path = agent(caller())
    remember(caller(), path, "a")
    remember(caller(), path, "b")

    assert change(caller(), path, _tag="Restore", version=1).status_code == 200

    assert caller().get(f"{path}/memory").json()["entries"].keys() == {"a"}
    assert [row["version"] for row in caller().get(f"{path}/memory/log").json()["log"]] == [3, 2, 1]


def test_an_entry_is_erased(caller: Caller) -> None:
    path = agent(caller())
    remember(caller(), path)

    assert change(caller(), path, _tag="Erase", key="tests-first").status_code == 200

    assert caller().get(f"{path}/memory").json()["entries"]["tests-first"]["content"] == ""


@happy_path("POST /v1/sessions/{id}/promote")
def test_a_session_is_promoted(caller: Caller) -> None:
    """A10."""
    path, session = agent(caller()), caller.session()
    session.change("Remember", key="train", content="We take the train.", kind="decision")

    answer = caller().post(f"{session.path}/promote", json={"agent": path.rpartition("/")[2]})

    assert answer.json() == {"agent": path.rpartition("/")[2], "version": 1, "keys": ["train"]}


@happy_path("GET /v1/sessions/{id}/export")
def test_a_session_is_exported(caller: Caller) -> None:
    session = caller.session()

    exported = session.get("/export")

    assert exported["entries"] == session.entries
    assert exported["items"] == session.get("/items")["items"]
    assert exported["log"] == session.log


@happy_path("GET /v1/agents/{id}/export")
def test_an_agent_is_exported(caller: Caller) -> None:
    path = agent(caller())
    remember(caller(), path)

    exported = caller().get(f"{path}/export").json()

    assert exported["entries"] == caller().get(f"{path}/memory").json()["entries"]
    assert len(exported["log"]) == 1


def test_a_finished_turn_teaches_its_agent_and_the_change_teaches_nothing_more(api: Api, model: ModelServer) -> None:
    """A3: the event of the changed memory starts no further learning."""
    client = api("person")
    path = agent(client, shared=True)
    session = working_for(client, path)
    model.says(changes(fact("tests-first", "Test before you report.", "i-01", kind="procedure")))

    session.say("t-1", "Hello.", model="offline")
    entries = wait_for(lambda: client.get(f"{path}/memory").json()["entries"] or None)
    session.change("Remember", key="x", content="Something.", kind="decision")
    session.read()

    assert entries["tests-first"]["sources"] == [{"session": session.id, "item": "i-01"}]
    assert "Test before you report." in session.get("/instructions")["text"]
    assert session.get("/instructions")["text"].startswith("# Privacy")
    assert len(model.requests) == 1


def test_many_sessions_of_one_agent_learn_at_once(api: Api, model: ModelServer) -> None:
    """A9: all are stored, none overwrites another, and the log has no gap."""
    client = api("person")
    path = agent(client)
    sessions = [working_for(client, path) for _ in range(SESSIONS)]
    model.says(*(changes(fact(f"key-{number}", "Test first.", "i-01", kind="procedure")) for number in range(SESSIONS)))

    def hello(session: Session) -> Json:
        return session.say("t-1", "Hello.", model="offline")

    with ThreadPoolExecutor(SESSIONS) as pool:
        list(pool.map(hello, sessions))
    wait_for(lambda: client.get(path).json()["agent"]["version"] == SESSIONS or None)

    assert client.get(f"{path}/memory").json()["entries"].keys() == {f"key-{number}" for number in range(SESSIONS)}
    log = client.get(f"{path}/memory/log").json()["log"]
    assert [row["version"] for row in log] == list(range(SESSIONS, 0, -1))
    assert len(model.requests) == SESSIONS
