"""Plays conversations through the API, and waits after each turn until it is read or its failure is stored."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
from conversations import Conversation, Forgotten, Turn

MODEL = "anthropic.claude-3-5-haiku-20241022-v1:0"  # any that Bedrock could have; the weak one answers for it
LONGEST = 180  # seconds that a turn may take: several batches of 40 seconds each

type Json = dict[str, Any]


@dataclass
class Played:
    """A session, what was done in it, and what it holds in the end."""

    session: str
    conversation: Conversation
    turns: int = 0
    failures: list[str] = field(default_factory=list[str])  # the stored messages
    hanging: list[str] = field(default_factory=list[str])  # turns that were neither read nor failed
    seconds: list[float] = field(default_factory=list[float])  # of each turn, until then
    view: Json = field(default_factory=dict[str, Any])
    memory: Json = field(default_factory=dict[str, Any])
    log: Sequence[Json] = ()
    items: Sequence[Json] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Player:
    client: httpx.Client

    def play(self, conversation: Conversation) -> Played:
        session = self._post("/v1/sessions", {"model": MODEL})["session"]["id"]
        played = Played(session, conversation)
        for step in conversation.steps:
            if isinstance(step, Turn):
                self._turn(played, step)
            else:
                self._forgotten(played, step)
        self._read_out(played)
        return played

    def _turn(self, played: Played, turn: Turn) -> None:
        path = f"/v1/sessions/{played.session}"
        before = self._get(path)["memory"]["consolidation"]["error"]
        played.turns += 1
        name, begun = f"t-{played.turns}", time.monotonic()
        self._post(f"{path}/turns", {"turn": name, "model": MODEL, "items": list(turn.items)})
        while time.monotonic() < begun + LONGEST:
            state = self._get(path)["memory"]["consolidation"]
            if state["error"] and state["error"] != before:
                played.failures.append(state["error"]["message"])
                break
            if state["waiting"] == 0:
                break
            time.sleep(0.25)
        else:
            played.hanging.append(name)
        played.seconds.append(time.monotonic() - begun)

    def _forgotten(self, played: Played, fact: Forgotten) -> None:
        remember = {"_tag": "Remember", "key": fact.key, "content": fact.content, "kind": "fact"}
        for command in (remember, {"_tag": "Forget", "key": fact.key}):
            seen = self._get(f"/v1/sessions/{played.session}")["session"]
            body = {"expected": seen["head"], "revision": seen["revision"], "command": command}
            self._post(f"/v1/sessions/{played.session}/memory", body)

    def _read_out(self, played: Played) -> None:
        path = f"/v1/sessions/{played.session}"
        played.view, played.memory = self._get(path), self._get(f"{path}/memory")
        played.log = self._get(f"{path}/memory/log?limit=500")["log"]
        played.items = self._get(f"{path}/items?limit=500")["items"]
        played.text = self._get(f"{path}/instructions")["text"]

    def _get(self, path: str) -> Json:
        answer = self.client.get(path)
        answer.raise_for_status()
        return answer.json()

    def _post(self, path: str, body: Json) -> Json:
        answer = self.client.post(path, json=body)
        answer.raise_for_status()
        return answer.json()
