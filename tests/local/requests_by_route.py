"""What callers may try on a session and an agent: a request for every route of the template, and more."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import httpx
from local_stack import Json, Session, routes_of_the_template

FACT: Json = {"_tag": "Remember", "key": "train", "content": "We take the train.", "kind": "decision"}


@dataclass(frozen=True, slots=True)
class Home:
    """A session and an agent of one organization, each with something to lose."""

    session: Session
    agent: str

    @classmethod
    def made(cls, client: httpx.Client) -> "Home":
        agent = client.post("/v1/agents", json={"name": "Helper"}).json()["agent"]["id"]
        body: Json = {"model": "offline", "agent": agent}
        session = Session(client, client.post("/v1/sessions", json=body).json()["session"]["id"])
        home = cls(session, agent)
        session.remember("seat", "Ana sits at the window.")
        for command in (FACT | {"key": "tests-first"}, FACT | {"key": "gone"}, {"_tag": "Forget", "key": "gone"}):
            client.post(f"/v1/agents/{agent}/memory", json=home.change_of_agent(command)).raise_for_status()
        return home

    @property
    def version(self) -> int:
        return self.session.client.get(f"/v1/agents/{self.agent}").json()["agent"]["version"]

    def change_of_agent(self, command: Json) -> Json:
        return {"expected": self.version, "command": command}

    def everything(self) -> list[Json]:
        client = self.session.client
        return [self.session.get("/export"), client.get(f"/v1/agents/{self.agent}/export").json()]


def deeds(home: Home) -> dict[str, Callable[[], Json]]:
    """What a request of each deed carries, so that it succeeds for who may do it. Deleting comes last."""
    session, agent = home.session, home.agent
    turn: Json = {"turn": "t-1", "model": None, "items": [{"type": "message", "role": "user", "text": "Hello."}]}
    carried: dict[str, Callable[[], Json]] = {
        "POST /v1/sessions": lambda: {"json": {"model": "offline"}},
        "POST /v1/sessions/{id}/turns": lambda: {"json": turn},
        "POST /v1/sessions/{id}/memory": lambda: {"json": session.seen | {"command": FACT}},
        "POST /v1/sessions/{id}/fork": lambda: {"json": {}},
        "POST /v1/sessions/{id}/rewind": lambda: {"json": session.seen | {"to": session.seen["expected"]}},
        "POST /v1/sessions/{id}/promote": lambda: {"json": {"agent": agent}},
        "DELETE /v1/sessions/{id}/memory/{key}": lambda: {"params": session.seen},
        "POST /v1/agents": lambda: {"json": {"name": "Helper"}},
        "POST /v1/agents/{id}/memory": lambda: {"json": home.change_of_agent(FACT)},
        "POST /v1/agents/{id}/memory, Remember of a retracted key": lambda: {
            "json": home.change_of_agent(FACT | {"key": "gone"})
        },
        "POST /v1/agents/{id}/memory, Restore": lambda: {
            "json": home.change_of_agent({"_tag": "Restore", "version": 1})
        },
        "DELETE /v1/agents/{id}/memory/{key}": lambda: {"params": {"expected": home.version}},
        "PATCH /v1/organization": lambda: {"json": {"memory": {"use": True}}},
    }
    reads = {route: dict[str, object] for route in routes_of_the_template() if route.startswith("GET ")}
    return {**reads, **carried, "DELETE /v1/sessions/{id}": lambda: {"json": {}}}


class Place(NamedTuple):
    """The ids that a path names."""

    session: str
    agent: str


NOWHERE = Place("unknown", "unknown")


def ask(client: httpx.Client, deed: str, place: Place, carried: Json) -> httpx.Response:
    method, path = deed.partition(",")[0].split(" ")
    if path.startswith("/v1/agents"):
        path = path.format(id=place.agent, key="tests-first")
    return client.request(method, path.format(id=place.session, key="seat"), **carried)
