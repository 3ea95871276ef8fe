"""Requests for every route of the template, on one session and one agent, for the tests of permissions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import httpx
from local_stack import Json, Session, routes_of_the_template

FACT: Json = {"_tag": "Remember", "key": "train", "content": "We take the train.", "kind": "decision"}


@dataclass(frozen=True, slots=True)
class Owned:
    """A session and an agent of one organization, each with content that must not leak or change."""

    session: Session
    agent: str

    @classmethod
    def made(cls, client: httpx.Client) -> "Owned":
        agent = client.post("/v1/agents", json={"name": "Helper"}).json()["agent"]["id"]
        body: Json = {"model": "offline", "agent": agent}
        session = Session(client, client.post("/v1/sessions", json=body).json()["session"]["id"])
        owned = cls(session, agent)
        session.remember("seat", "Ana sits at the window.")
        gone = FACT | {"key": "gone", "content": "An old rule."}
        for command in (FACT | {"key": "tests-first"}, gone, {"_tag": "Forget", "key": "gone"}):
            client.post(f"/v1/agents/{agent}/memory", json=owned.change_of_agent(command)).raise_for_status()
        return owned

    @property
    def version(self) -> int:
        return self.session.client.get(f"/v1/agents/{self.agent}").json()["agent"]["version"]

    def change_of_agent(self, command: Json) -> Json:
        return {"expected": self.version, "command": command}

    def everything(self) -> list[Json]:
        client = self.session.client
        return [self.session.get("/export"), client.get(f"/v1/agents/{self.agent}/export").json()]


def requests_by_route(owned: Owned) -> dict[str, Callable[[], Json]]:
    """Functions by route, each making a request that succeeds for a permitted caller. Deletion comes last."""
    session, agent = owned.session, owned.agent
    turn: Json = {"turn": "t-1", "model": None, "items": [{"type": "message", "role": "user", "text": "Hello."}]}
    requests: dict[str, Callable[[], Json]] = {
        "POST /v1/sessions": lambda: {"json": {"model": "offline"}},
        "POST /v1/sessions/{id}/turns": lambda: {"json": turn},
        "POST /v1/sessions/{id}/memory": lambda: {"json": session.seen | {"command": FACT}},
        "POST /v1/sessions/{id}/fork": lambda: {"json": {}},
        "POST /v1/sessions/{id}/rewind": lambda: {"json": session.seen | {"to": session.seen["expected"]}},
        "POST /v1/sessions/{id}/promote": lambda: {"json": {"agent": agent}},
        "POST /v1/sessions/{id}/memory, Erase": lambda: {
            "json": session.seen | {"command": {"_tag": "Erase", "key": "seat"}}
        },
        "POST /v1/agents": lambda: {"json": {"name": "Helper"}},
        "POST /v1/agents/{id}/memory": lambda: {"json": owned.change_of_agent(FACT)},
        "POST /v1/agents/{id}/memory, Remember of a retracted key": lambda: {
            "json": owned.change_of_agent(FACT | {"key": "gone"})
        },
        "POST /v1/agents/{id}/memory, Restore": lambda: {
            "json": owned.change_of_agent({"_tag": "Restore", "version": 1})
        },
        "POST /v1/agents/{id}/memory, Erase": lambda: {
            "json": owned.change_of_agent({"_tag": "Erase", "key": "tests-first"})
        },
        "PATCH /v1/organization": lambda: {"json": {"memory": {"use": True}}},
    }
    reads = {route: dict[str, object] for route in routes_of_the_template() if route.startswith("GET ")}
    return {**reads, **requests, "DELETE /v1/sessions/{id}": lambda: {"json": {}}}


class Ids(NamedTuple):
    """The ids in a path."""

    session: str
    agent: str


UNKNOWN = Ids("unknown", "unknown")


def send(client: httpx.Client, name: str, ids: Ids, request: Json) -> httpx.Response:
    method, path = name.partition(",")[0].split(" ")
    if path.startswith("/v1/agents"):
        path = path.format(id=ids.agent)
    return client.request(method, path.format(id=ids.session), **request)
