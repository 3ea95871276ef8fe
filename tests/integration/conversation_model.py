"""A model that follows a script, and only as far as its prompt shows it what it needs (S7).

It stands where Bedrock's client stands, so it reads exactly what Bedrock would get: the system text and the blocks of
the user's message. It looks for days, names and keys, never for the service's own wording.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from openbot_memory.models.bedrock import Bedrock
from openbot_memory.models.port import Answer, Question

CONVERSATIONS = Path(__file__).with_name("conversations.toml")
MODEL = "anthropic.claude-3-5-haiku-20241022-v1:0"  # one that is told to cache, so its prompt has all parts
NAMES = {"ana": "Ana", "ben": "Ben", "cleo": "Cleo", "kenji": "健二"}
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

type Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """A fact that was learned before the conversation."""

    key: str
    content: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    day: date
    by: str
    text: str
    same_turn: bool = False
    status: str = "finished"
    needs: Sequence[str] = ()
    learns: Mapping[str, str] = field(default_factory=dict[str, str])
    naive: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    title: str
    sort: str
    language: str
    after: Mapping[str, str]
    says: Sequence[Message]
    known: Sequence[Learned]
    forgotten: Sequence[Learned]
    others: int


def conversations() -> list[Conversation]:
    with CONVERSATIONS.open("rb") as file:
        return [_conversation(each) for each in tomllib.load(file)["conversation"]]


def _conversation(given: Json) -> Conversation:
    return Conversation(
        title=given["title"],
        sort=given["class"],
        language=given["language"],
        after=given["after"],
        says=[Message(**message) for message in given["says"]],
        known=[Learned(**fact) for fact in given.get("known", [])],
        forgotten=[Learned(**fact) for fact in given.get("forgotten", [])],
        others=given.get("others", 0),
    )


@dataclass(frozen=True, slots=True)
class ScriptedBedrock:
    """A client of Bedrock for one conversation."""

    conversation: Conversation

    def answer(self, question: Question) -> Answer:
        return Bedrock(self).propose(MODEL, question)

    def converse(self, **request: Any) -> Json:  # noqa: ANN401
        lines = list(_lines(request))
        changes = [change for message in self.conversation.says for change in self._changes(message, lines)]
        call = {"toolUse": {"toolUseId": "1", "name": "update_memory", "input": {"changes": changes}}}
        return {"stopReason": "tool_use", "output": {"message": {"content": [call]}}}

    def _changes(self, message: Message, lines: Sequence[str]) -> Iterator[Json]:
        """What it proposes because of this message, if the prompt shows the message at all."""
        shown = next((line for line in lines if _as_json(message.text) in line), None)
        if shown is None:
            return
        told = all(self._shows(need, message, shown, lines) for need in message.needs)
        sources = [json.loads(shown)["id"]]
        for key, content in (message.learns if told else message.naive).items():
            change = {"action": "remember" if content else "forget", "key": key, "sources": sources}
            yield change | ({"content": content, "kind": "fact"} if content else {})

    def _shows(self, need: str, message: Message, shown: str, lines: Sequence[str]) -> bool:
        need, _, key = need.partition(":")
        match need:
            case "day":
                return message.day.isoformat() in shown
            case "weekday":
                return WEEKDAYS[message.day.weekday()] in shown
            case "person":
                return _as_json(NAMES[message.by]) in shown
            case "known":
                return _known(key, lines) is not None
            case "whose":
                return _as_json(NAMES[self._owner(key)]) in (_known(key, lines) or "")
            case "forgotten":
                return any(_as_json(key) in line and not line.startswith("{") for line in lines)
            case _:
                raise LookupError(need)

    def _owner(self, key: str) -> str:
        """Who said what is known under this key: before the conversation or in it."""
        owners = {key: message.by for message in self.conversation.says for key in message.learns}
        return (owners | {fact.key: fact.by for fact in self.conversation.known})[key]


def _lines(request: Json) -> Iterator[str]:
    """The whole prompt, line by line."""
    blocks = [*request["system"], *request["messages"][0]["content"]]
    for block in blocks:
        yield from block.get("text", "").split("\n")


def _as_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _known(key: str, lines: Sequence[str]) -> str | None:
    """The line of the known fact of this key."""
    pattern = re.compile(rf'^\{{.*"key": {re.escape(_as_json(key))}')
    return next((line for line in lines if pattern.search(line)), None)
