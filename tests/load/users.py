"""The simulated users: writers of sessions of their own, sharers of one session, and teachers of one agent."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from caller import Caller, Json, NoAnswer, UnexpectedAnswer
from journal import Changed, Entry, Made, Taught, Turn, Unexpected

SHARED = "shared"  # the session of several persons
AGENT = "hot"
TURNS = 20  # of one session
KEYS = 12  # that people write in one memory
CONFLICTS = ("SessionConflict", "UnknownKey", "AgentMemoryConflict")
SMALL_TALK = (
    "Noted. Shall I look for a train as well?",
    "Gut, ich kümmere mich darum.",
    "The calendar shows nothing on that day, so that is possible.",
)

SESSION = "/v1/sessions/{}"


@dataclass
class User:
    """A simulated user: sends one request at a time and writes what was acknowledged to the journal."""

    name: str
    caller: Caller
    write: Callable[[Entry], None]
    number: int = 0

    @property
    def chance(self) -> random.Random:
        return self.caller.chance

    def step(self) -> None:
        try:
            self.act()
        except (NoAnswer, UnexpectedAnswer) as error:
            self.write(Unexpected(description=f"{type(error).__name__}: {error}"))

    def act(self) -> None:
        raise NotImplementedError

    def next(self) -> int:
        self.number += 1
        return self.number

    def say(self, session: str) -> None:
        """Append a turn with one clear decision, a reply and, in one of three, a tool call."""
        token = f"{self.name}t{self.next()}"
        content = f"We decided on plan {token}."
        items: list[Json] = [
            {"type": "message", "role": "user", "text": f"{content} What do you think?"},
            {"type": "message", "role": "assistant", "text": self.chance.choice(SMALL_TALK)},
        ]
        if self.chance.random() < 1 / 3:
            items.append({"type": "tool-call", "app": "calendar", "name": "list", "arguments": {"day": "2026-12-01"}})
            items.append({"type": "tool-result", "app": "calendar", "text": "no events"})
        body = {"turn": token, "model": "offline", "items": items}
        if self.caller.post(f"{SESSION}/turns", session, body=body):
            self.write(Turn(session=session, turn=token, items=len(items), key=f"plan-{token}", content=content))

    def change(self, session: str) -> None:
        """Remember or Forget, based on the session's state just read."""
        seen = self.caller.get(SESSION, session)["session"]
        key, content = self._choice()
        command = self._command(key, content)
        body = {"expected": seen["head"], "revision": seen["revision"], "command": command}
        if answer := self.caller.post(f"{SESSION}/memory", session, body=body, refusals=CONFLICTS):
            now = answer["session"]
            change = Changed(session=session, version=now["head"], revision=now["revision"], key=key, content=content)
            self.write(change)

    def look(self, session: str) -> None:
        what = self.chance.choice(["", "/instructions", "/memory", "/memory/log", "/items"])
        pages = {"limit": 50} if what in {"/memory", "/memory/log", "/items"} else {}
        self.caller.get(SESSION + what, session, **pages)

    def _choice(self) -> tuple[str, str | None]:
        key = f"hand-{self.chance.randrange(KEYS)}"
        return key, None if self.chance.random() < 1 / 4 else f"{self.name} wrote this as number {self.next()}."

    @staticmethod
    def _command(key: str, content: str | None) -> Json:
        if content is None:
            return {"_tag": "Forget", "key": key}
        return {"_tag": "Remember", "key": key, "content": content, "kind": "procedure"}


@dataclass
class Writer(User):
    """Writes a session of its own, sometimes continues in a fork of it, and begins another after some turns."""

    agent: str | None = None
    session: str = ""
    said: int = field(default=TURNS)

    def act(self) -> None:
        if self.said >= TURNS:
            self._begin()
        match self.chance.choices(["say", "look", "change", "fork"], [30, 45, 23, 2])[0]:
            case "say":
                self.say(self.session)
                self.said += 1
            case "look":
                self.look(self.session)
            case "change":
                self.change(self.session)
            case _:
                self._fork()

    def _begin(self) -> None:
        session = f"{self.name}-{self.next()}"
        self.caller.post("/v1/sessions", body={"model": "offline", "agent": self.agent, "id": session})
        self.write(Made(session=session, agent=self.agent))
        self.session, self.said = session, 0

    def _fork(self) -> None:
        head = self.caller.get(SESSION, self.session)["session"]["head"]
        copied = len(self.caller.get(f"{SESSION}/items", self.session, limit=500)["items"])
        fork = f"{self.name}-{self.next()}"
        self.caller.post(f"{SESSION}/fork", self.session, body={"at": head, "id": fork})
        self.write(Made(session=fork, agent=self.agent, forked=self.session, copied=copied))
        self.session = fork


@dataclass
class Sharer(User):
    """One of several persons in one session, whose changes may conflict."""

    def act(self) -> None:
        match self.chance.choices(["say", "look", "change"], [10, 40, 50])[0]:
            case "say":
                self.say(SHARED)
            case "look":
                self.look(SHARED)
            case _:
                self.change(SHARED)


@dataclass
class Teacher(User):
    """One of several persons who change the memory of one agent, while it learns from its sessions, too."""

    def act(self) -> None:
        match self.chance.choices(["teach", "memory", "log"], [60, 25, 15])[0]:
            case "teach":
                self._teach()
            case "memory":
                self.caller.get("/v1/agents/{}/memory", AGENT, limit=50)
            case _:
                self.caller.get("/v1/agents/{}/memory/log", AGENT, limit=50)

    def _teach(self) -> None:
        version = self.caller.get("/v1/agents/{}", AGENT)["agent"]["version"]
        key, content = self._choice()
        body = {"expected": version, "command": self._command(key, content)}
        if answer := self.caller.post("/v1/agents/{}/memory", AGENT, body=body, refusals=CONFLICTS):
            self.write(Taught(version=answer["version"], key=key, content=content))
