"""Sends conversations to the API and waits after each turn until it is consolidated or its failure is stored."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
from conversations import Conversation, Forgotten, Turn

MODEL = "anthropic.claude-3-5-haiku-20241022-v1:0"  # any name of a Bedrock model; the weak one answers
LONGEST = 180  # seconds that a turn may take: several batches of 40 seconds each

type Json = dict[str, Any]


@dataclass
class Outcome:
    """A session, what happened in it, and its final state."""

    session: str
    conversation: Conversation
    turns: int = 0
    failures: list[str] = field(default_factory=list[str])  # the stored messages
    hanging: list[str] = field(default_factory=list[str])  # turns that were neither read nor failed
    seconds: list[float] = field(default_factory=list[float])  # of each turn until read or failed
    view: Json = field(default_factory=dict[str, Any])
    memory: Json = field(default_factory=dict[str, Any])
    log: Sequence[Json] = ()
    items: Sequence[Json] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class ConversationRunner:
    client: httpx.Client

    def run(self, conversation: Conversation) -> Outcome:
        session = self._post("/v1/sessions", {"model": MODEL})["session"]["id"]
        outcome = Outcome(session, conversation)
        for step in conversation.steps:
            if isinstance(step, Turn):
                self._append_turn(outcome, step)
            else:
                self._remember_and_forget(outcome, step)
        self._read_final_state(outcome)
        return outcome

    def _append_turn(self, outcome: Outcome, turn: Turn) -> None:
        path = f"/v1/sessions/{outcome.session}"
        before = self._get(path)["memory"]["consolidation"]["error"]
        outcome.turns += 1
        name, begun = f"t-{outcome.turns}", time.monotonic()
        self._post(f"{path}/turns", {"turn": name, "model": MODEL, "items": list(turn.items)})
        while time.monotonic() < begun + LONGEST:
            state = self._get(path)["memory"]["consolidation"]
            if state["error"] and state["error"] != before:
                outcome.failures.append(state["error"]["message"])
                break
            if state["waiting"] == 0:
                break
            time.sleep(0.25)
        else:
            outcome.hanging.append(name)
        outcome.seconds.append(time.monotonic() - begun)

    def _remember_and_forget(self, outcome: Outcome, fact: Forgotten) -> None:
        remember = {"_tag": "Remember", "key": fact.key, "content": fact.content, "kind": "fact"}
        for command in (remember, {"_tag": "Forget", "key": fact.key}):
            seen = self._get(f"/v1/sessions/{outcome.session}")["session"]
            body = {"expected": seen["head"], "revision": seen["revision"], "command": command}
            self._post(f"/v1/sessions/{outcome.session}/memory", body)

    def _read_final_state(self, outcome: Outcome) -> None:
        path = f"/v1/sessions/{outcome.session}"
        outcome.view, outcome.memory = self._get(path), self._get(f"{path}/memory")
        outcome.log = self._get(f"{path}/memory/log?limit=500")["log"]
        outcome.items = self._get(f"{path}/items?limit=500")["items"]
        outcome.text = self._get(f"{path}/instructions")["text"]

    def _get(self, path: str) -> Json:
        answer = self.client.get(path)
        answer.raise_for_status()
        return answer.json()

    def _post(self, path: str, body: Json) -> Json:
        answer = self.client.post(path, json=body)
        answer.raise_for_status()
        return answer.json()
