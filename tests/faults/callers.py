"""Simulated callers that send each request again until it is answered, as a careful host does."""

from collections.abc import Callable, Generator
from random import Random
from typing import NamedTuple

from kinds import Json
from records import AckedEntry, Records, SessionRecord
from service import Reply
from setting import Setting, check

AGENT = "shared"
MOST_ATTEMPTS = 60  # of one request
BUSY = 503
OFTEN = "turn turn turn turn remember remember remember forget agent_remember agent_remember refresh read".split()
SELDOM = "create erase configure rewind fork promote agent_forget agent_erase long_turn delete".split()
MOST_SESSIONS = 8  # of one caller at a time

type Steps[T] = Generator[None, None, T]


class Seen(NamedTuple):
    head: str
    revision: int

    @property
    def body(self) -> Json:
        return {"expected": self.head, "revision": self.revision}


class Caller:
    """One simulated caller. Its operations are generators: at each `yield`, another caller may take a step."""

    def __init__(self, number: int, setting: Setting, records: Records, random: Random) -> None:
        self.number, self.setting, self.records, self.random = number, setting, records, random
        self.busy = False  # in a step that others now interrupt
        self.idle = True  # between two operations
        self.done = 0

    def step(self) -> None:
        """Run until the next `yield`."""
        self.busy = True
        try:
            next(self._steps)
        finally:
            self.busy = False

    def begin(self) -> None:
        self._steps = self._work()

    def _work(self) -> Steps[None]:
        while True:
            if self.setting.waiting and self.random.random() < 0.45:
                self.setting.deliver(self.random)
                yield
                continue
            name = self.random.choice(OFTEN * 3 + SELDOM)
            if not self._mine() and not name.startswith("agent"):
                name = "create"
            self.idle = False
            yield from getattr(self, name)()
            self.setting.count(f"operation: {name}")
            self.done += 1
            self.idle = True
            yield

    # Requests, sent until answered

    def ask(self, method: str, path: str, body: Json | None = None, *, caller: str = "person", key: bool = True) -> Steps[Reply]:  # fmt: skip # noqa: E501
        """Send a request until it is answered with anything but 503."""
        name = f"k-{self.records.number()}" if key and method == "POST" else None
        for _ in range(MOST_ATTEMPTS):
            reply = self.setting.call(method, path, body or {}, caller, name)
            if reply and reply.status != BUSY:
                check(
                    reply.status < 500 or reply.body["_tag"] == "ModelFailed",
                    f"no server error: {method} {path}: {reply}",
                )
                return reply
            check(reply is None or reply.headers.get("retry-after"), "a 503 has Retry-After")
            self.setting.count("requests sent again after 503" if reply else "requests sent again after a kill")
            yield
        check(holds=False, expectation=f"{method} {path} is answered within {MOST_ATTEMPTS} attempts")
        raise AssertionError

    def get(self, path: str) -> Steps[Json]:
        reply = yield from self.ask("GET", path)
        check(reply.status == 200, f"GET {path} is answered with 200: {reply}")
        return reply.body

    def seen(self, session: SessionRecord) -> Steps[Seen]:
        view = yield from self.get(f"/v1/sessions/{session.id}")
        return Seen(view["session"]["head"], view["session"]["revision"])

    def carried_out(self, reply: Reply, seen: Seen | None) -> bool:
        """False for a conflict, whose answer must show another state than the caller had seen."""
        if reply.status < 300:
            return True
        check(reply.body["_tag"] == "SessionConflict" and seen, f"a valid request is accepted: {reply}")
        now = Seen(reply.body["head"], reply.body["revision"])
        check(now != seen, f"a conflict shows a state that the caller had not seen: {reply}")
        self.setting.count("conflicts of sessions")
        return False

    # Sessions

    def _mine(self) -> list[SessionRecord]:
        return self.records.of(self.number)

    def session(self) -> SessionRecord:
        return self.random.choice(self._mine())

    def create(self) -> Steps[None]:
        name, agent = f"s-{self.records.number()}", self.random.choice([AGENT, AGENT, None])
        if len(self._mine()) >= MOST_SESSIONS:
            return
        reply = yield from self.ask("POST", "/v1/sessions", {"id": name, "model": "test", "agent": agent})
        self.carried_out(reply, None)
        owners = (self.number, self.number - 1) if self.number % 2 and self.random.random() < 0.4 else (self.number,)
        session = SessionRecord(name, owners)
        session.saw(reply.body, "turn")
        self.records.sessions.append(session)

    def fork(self) -> Steps[None]:
        source, name = self.session(), f"s-{self.records.number()}"
        if len(self._mine()) >= MOST_SESSIONS:
            return
        at = self.random.choice([None, *source.heads[-8:]])
        reply = yield from self.ask("POST", f"/v1/sessions/{source.id}/fork", {"id": name} | ({"at": at} if at else {}))
        self.carried_out(reply, None)
        fork = SessionRecord(name, source.owners, parent=source)
        fork.saw(reply.body, "fork")
        self.records.sessions.append(fork)

    def rewind(self) -> Steps[None]:
        session = self.session()
        seen, to = (yield from self.seen(session)), self.random.choice(session.heads[-8:])
        reply = yield from self.ask("POST", f"/v1/sessions/{session.id}/rewind", {"to": to, **seen.body})
        if self.carried_out(reply, seen):
            session.saw(reply.body, "rewind")

    def delete(self) -> Steps[None]:
        session = self.session()
        if len(session.owners) > 1 or len(self._mine()) < MOST_SESSIONS // 2:
            return
        session.deleted = True  # so that no caller uses it any more
        reply = yield from self.ask("DELETE", f"/v1/sessions/{session.id}", caller="host")
        check(reply.status in {200, 404}, f"a session is deleted: {reply}")  # 404: by an earlier attempt

    # Turns

    def turn(self, least: int = 0, most: int = 4) -> Steps[None]:
        session = self.session()
        body = self._turn(session, self.random.randint(least, most))
        seen = (yield from self.seen(session)) if self.random.random() < 0.3 else None
        path = f"/v1/sessions/{session.id}/turns"
        reply = yield from self.ask("POST", path, body | (seen.body if seen else {}), key=self.random.random() < 0.6)
        if self.carried_out(reply, seen):
            session.saw(reply.body, "turn", texts=tuple(item["text"] for item in body["items"]))

    def long_turn(self) -> Steps[None]:
        """With more items than one transaction holds, so that they are written before it."""
        return self.turn(21, 70)

    def _turn(self, session: SessionRecord, items: int) -> Json:
        number = self.records.number()
        texts = [f"Sentence {number}-{at}." for at in range(items)]
        for at in range(min(items, 2)):
            if self.random.random() < 0.6:
                word = f"w{number}x{at}"
                self.records.taught.append(word)
                texts[at] += f" Learn {word}."
            if session.retracted and self.random.random() < 0.3:
                texts[at] += f" Bring back {self.random.choice(sorted(session.retracted))}."
        chance = self.random.random
        return {
            "turn": f"t-{number}",
            "model": None if chance() < 0.1 else "test",
            "status": self.random.choice(["cancelled", "failed"]) if chance() < 0.15 else "finished",
            "queueEmpty": chance() < 0.7,
            "items": [{"type": "message", "role": "user", "text": text} for text in texts],
        }

    # Memory of sessions

    def remember(self) -> Steps[None]:
        number = self.records.number()
        command = {"key": f"h-{number}", "content": f"Kept by hand {number}.", "kind": "decision"}
        yield from self.change("Remember", lambda _: command)

    def forget(self) -> Steps[None]:
        yield from self.change("Forget", self._active_key)

    def erase(self) -> Steps[None]:
        yield from self.change("Erase", self._active_key)

    def _active_key(self, entries: Json) -> Json | None:
        active = [key for key, entry in entries.items() if entry["status"] == "active"]
        return {"key": self.random.choice(active)} if active else None

    def change(self, tag: str, choose: Callable[[Json], Json | None]) -> Steps[None]:
        session, path = self.session(), "/v1/sessions/{}/memory"
        seen, path = (yield from self.seen(session)), path.format(session.id)
        entries: Json = {} if tag == "Remember" else (yield from self.get(path))["entries"]
        what = choose(entries)
        if what is None:
            return
        caller = self.random.choice(["person", "agent", "host"])
        command = {"_tag": tag, **what}
        reply = yield from self.ask("POST", path, {**seen.body, "command": command}, caller=caller)
        if self.carried_out(reply, seen):
            content = what.get("content") or entries[what["key"]]["content"]
            session.saw(reply.body, caller, key=what["key"], command=tag, content=content)
            if tag != "Remember":
                session.retracted.add(what["key"])

    def configure(self) -> Steps[None]:
        session, use = self.session(), self.random.choice([True, False, None])
        seen = yield from self.seen(session)
        body = {**seen.body, "command": {"_tag": "Configure", "use": use}}
        reply = yield from self.ask("POST", f"/v1/sessions/{session.id}/memory", body)
        if self.carried_out(reply, seen):
            session.overrides[reply.body["session"]["revision"]] = {} if use is None else {"use": use}

    def refresh(self) -> Steps[None]:
        session = self.session()
        seen = yield from self.seen(session)
        body = {**seen.body, "command": {"_tag": "Refresh"}}
        reply = yield from self.ask("POST", f"/v1/sessions/{session.id}/memory", body)
        if reply.body.get("_tag") == "ModelFailed":
            self.setting.count("refreshes answered with ModelFailed")
        else:
            self.carried_out(reply, seen)

    def promote(self) -> Steps[None]:
        caller = self.random.choice(["person", "agent"])
        reply = yield from self.ask(
            "POST", f"/v1/sessions/{self.session().id}/promote", {"agent": AGENT}, caller=caller
        )
        self.carried_out(reply, None)
        if reply.body["keys"]:
            entry = AckedEntry(reply.body["version"], "promotion", tuple(reply.body["keys"]), "Promote")
            self.records.agent.append(entry)

    def read(self) -> Steps[None]:
        path = f"/v1/sessions/{self.session().id}"
        for part in ("/instructions", "/memory/log", f"/items?limit={self.random.randint(1, 9)}"):
            yield from self.get(path + part)

    # Memory of the agent

    def agent_remember(self) -> Steps[None]:
        number = self.records.number()
        command = {"key": f"g-{number}", "content": f"Kept by hand {number}.", "kind": "procedure"}
        yield from self.change_agent("Remember", lambda _: command)

    def agent_forget(self) -> Steps[None]:
        yield from self.change_agent("Forget", self._active_key)

    def agent_erase(self) -> Steps[None]:
        yield from self.change_agent("Erase", self._active_key)

    def change_agent(self, tag: str, choose: Callable[[Json], Json | None]) -> Steps[None]:
        path = f"/v1/agents/{AGENT}"
        version = (yield from self.get(path))["agent"]["version"]
        entries: Json = {} if tag == "Remember" else (yield from self.get(f"{path}/memory"))["entries"]
        what = choose(entries)
        if what is None:
            return
        caller = self.random.choice(["person", "agent"])
        body = {"expected": version, "command": {"_tag": tag, **what}}
        reply = yield from self.ask("POST", f"{path}/memory", body, caller=caller)
        if reply.status == 409:
            check(reply.body["_tag"] == "AgentMemoryConflict", f"a valid request is accepted: {reply}")
            check(reply.body["version"] != version, f"a conflict shows a version that the caller had not seen: {reply}")
            self.setting.count("conflicts of the agent")
            return
        self.carried_out(reply, None)
        content = what.get("content") or entries[what["key"]]["content"]
        entry = AckedEntry(reply.body["version"], "person", (what["key"],), tag, content)
        self.records.agent.append(entry)
