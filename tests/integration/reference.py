"""Sessions as memory.md describes them, as plainly as it can be said, to compare the service with.

Each version holds the whole state, so nothing is folded, counted or shared. Ids of versions and times are the service's
choice: they come in as `Seen`, and the laws that they follow are asserted here.
"""

import time
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from openbot_memory.domain.batches import HALVED_AFTER, PASSED_OVER_AFTER
from openbot_memory.domain.batches import MAX_ITEMS as BATCH
from openbot_memory.domain.lookalike import folded_key
from openbot_memory.domain.text import SESSION_HEADING

LIMITS = {"max_length": 1000, "max_content": 200, "max_keys": 8}  # small enough to be met
NAMES = {"ana": "Ana"}  # of the persons that change memory by hand
SECRET = "AKIA" + "IOSFODNN7EXAMPLE"
TOKENS = {"input": 100, "output": 10}  # of each answer of the scripted model
NO_TOKENS = dict.fromkeys(TOKENS, 0)

type Json = dict[str, Any]
type Switches = dict[str, bool]
type Entries = Mapping[str, Fact]


class Seen(NamedTuple):
    """What the service chose, and its answer shows."""

    head: str
    revision: int
    at: int

    @classmethod
    def of(cls, view: Json) -> "Seen":
        return cls(*(view["session"][name] for name in ("head", "revision", "updatedAt")))


class Proposed(NamedTuple):
    """A model's change: without `content` it forgets, without `sources` it is malformed."""

    key: str
    content: str | None
    kind: str
    sources: tuple[str, ...] | None


@dataclass(frozen=True)
class OneOf:
    """Equal to each of its members: which of them the service shows, memory.md leaves open."""

    members: Collection[object]

    def __eq__(self, other: object) -> bool:
        return other in self.members

    def __hash__(self) -> int:
        return 0


@dataclass(frozen=True)
class Fact:
    key: str
    content: str
    kind: str
    sources: tuple[str, ...] = ()
    at: int = 0
    status: str = "active"
    made: int = 0  # counts the versions of all sessions
    person: Json | None = None
    only_apps: bool = False

    def shown(self) -> Json:
        fields = {"key": self.key, "content": self.content, "kind": self.kind, "status": self.status}
        person = {"person": self.person} if self.person else {}
        apps = {"onlyApps": True} if self.only_apps else {}
        return fields | {"sources": list(self.sources), "updatedAt": self.at} | person | apps

    def line(self) -> str:
        """S4: who and when, in UTC."""
        who = "said by an app, " if self.only_apps else f"from {self.person['name']}, " if self.person else ""
        day = time.strftime("%Y-%m-%d", time.gmtime(self.at // 1000))
        return f"- {self.kind} «{self.key}» ({who}{day}): {self.content.replace('\n', ' ')}\n"


def from_apps(items: Iterable[Json]) -> bool:
    """A4: only apps support it."""
    return all(item["type"] in {"tool-result", "action"} for item in items)


def speaker(items: Iterable[Json]) -> Json | None:
    """S2: the one person who has said all that persons say in these items."""
    said = [item.get("person") for item in items if item.get("role") == "user" or item["type"] == "approval"]
    return said[0] if said and all(each == said[0] for each in said) else None


@dataclass(frozen=True)
class State:
    """What a version restores (S12)."""

    items: tuple[Json, ...] = ()
    entries: Entries = field(default_factory=dict[str, Fact])
    processed: frozenset[str] = frozenset()
    freed: frozenset[str] = frozenset()  # items up to the last turn that finished with a model (S5)
    model: str | None = None  # of that turn

    @property
    def waiting(self) -> list[str]:
        return [item["id"] for item in self.items if item["id"] not in self.processed]

    @property
    def newest(self) -> list[Fact]:
        """The active facts in S4's order."""
        active = (fact for fact in self.entries.values() if fact.status == "active")
        return sorted(active, key=lambda fact: (-fact.at, -fact.made, fact.key))


@dataclass
class Session:
    id: str
    model: str
    head: str
    created: int
    used: list[str]  # the version ids of all sessions
    versions: dict[str, State]
    updated: int = 0
    revision: int = 1
    origin: Json | None = None
    items: int = 0  # ever made
    now: State = State()
    overrides: Switches = field(default_factory=dict[str, bool])
    erased: dict[str, Fact] = field(default_factory=dict[str, Fact])
    turns: dict[str, tuple[Json, Json]] = field(default_factory=dict[str, tuple[Json, Json]])  # with their answers
    log: list[Json] = field(default_factory=list[Json])  # the newest first
    tokens: Json = field(default_factory=lambda: NO_TOKENS)
    last_run: int | None = None
    error: Json | None = None
    failed: tuple[list[str], int] = ([], 0)  # the batch to try again, and how often it failed

    @classmethod
    def begun(cls, view: Json, used: list[str]) -> "Session":
        seen, given = Seen.of(view), view["session"]
        assert seen.head not in used
        used.append(seen.head)
        return cls(given["id"], given["model"], seen.head, seen.at, used, {seen.head: State()}, seen.at)

    # Changes by hand

    def refusals(self, command: Json) -> set[str]:
        """S7, S9, S10: why it is refused, unless it is stale."""
        tag, key, content = command["_tag"], nfc(command.get("key", "-")), command.get("content", "-")
        remember, new = tag == "Remember", key not in self.now.entries
        rules = {
            "InvalidRequest": bad(key) or not content.strip() or len(content) > LIMITS["max_content"],
            "SecretRefused": remember and (SECRET in key or SECRET in content),
            "UnknownKey": tag in {"Forget", "Erase"} and new,
            "MemoryFull": remember and new and len(self.now.entries) >= LIMITS["max_keys"],
        }
        return {name for name, broken in rules.items() if broken}

    def has_erased(self, key: str) -> bool:
        """Then it is erased again without a change, stale or not."""
        fact = self.now.entries.get(nfc(key))
        return fact is not None and not fact.content

    def change(self, seen: Seen, by: Json, command: Json) -> None:
        """S10, S11: the item that records the change is the fact's only source, and read at once."""
        tag, key, now = command["_tag"], nfc(command["key"]), self.now
        (name,) = self.new_items(1)
        person = {"id": by["id"], "name": NAMES[by["id"]]} if by["type"] == "person" else None
        remembered = Fact(key, command["content"], command["kind"], person=person) if tag == "Remember" else None
        fact = remembered or replace(now.entries[key], status="retracted")
        fact = replace(fact, sources=(name,), at=seen.at, made=len(self.used))
        if tag == "Erase":
            fact = self.erased[key] = replace(fact, content="", person=None)
        item = {"id": name, "type": "memory", "command": tag, "key": key, "by": by, "at": seen.at}
        after = replace(now, items=(*now.items, item), entries={**now.entries, key: fact})
        self.advance(seen, replace(after, processed=now.processed | {name}))
        self.write(seen, by["type"], [key], by=by)

    def configure(self, seen: Seen, switches: Mapping[str, bool | None]) -> None:
        """S10: true or false sets, null removes, absent leaves; the head stays."""
        merged = {**self.overrides, **switches}
        self.overrides = {name: value for name, value in merged.items() if value is not None}
        self.changed(seen, self.head)

    def turn(self, view: Json, turn: Json) -> None:
        """S5: a turn that finished with a model frees all items so far for reading."""
        seen, now, names = Seen.of(view), self.now, self.new_items(len(turn["items"]))
        about = {"turn": turn["turn"], "person": turn["person"], "at": OneOf(range(self.updated, seen.at + 1))}
        own = ({"person": item["person"]} if "person" in item else {} for item in turn["items"])
        new = ({"id": name, **item, **about, **who} for name, item, who in zip(names, turn["items"], own, strict=True))
        after = replace(now, items=(*now.items, *new))
        if turn["status"] == "finished" and turn["model"]:
            after = replace(after, freed=frozenset(item["id"] for item in after.items), model=turn["model"])
        self.advance(seen, after)
        self.turns[turn["turn"]] = turn, view

    # The timeline

    def fork(self, view: Json, at: str, by: Json) -> "Session":
        """S3, S12: history and memory as of the version, overrides as they are now."""
        name, seen = view["session"]["id"], Seen.of(view)
        fork = Session(name, self.model, at, seen.at, self.used, dict(self.versions), seen.at, items=self.items)
        fork.origin, fork.overrides, fork.erased = {"session": self.id, "version": at}, self.overrides, {**self.erased}
        fork.now = self.restored(at)
        fork.write(seen, "fork", [], by=by)
        return fork

    def rewind(self, seen: Seen, to: str, by: Json) -> None:
        """S12: entries and processed of that version; overrides stay. What failed, failed elsewhere."""
        self.now, self.error, self.failed = self.restored(to), None, ([], 0)
        self.changed(seen, to)
        self.write(seen, "rewind", [], by=by)

    def restored(self, version: str) -> State:
        """A fact that was erased after it was made stays so everywhere."""
        state = self.versions[version]
        made = {key: fact.made for key, fact in state.entries.items()}
        stubs = {key: stub for key, stub in self.erased.items() if made.get(key, 0) < stub.made}
        return replace(state, entries={**state.entries, **stubs})

    # Consolidation

    def settings(self, defaults: Switches) -> Switches:
        return {**defaults, **self.overrides}

    def unread(self, defaults: Switches, forced: bool, until: int | None) -> list[str]:  # noqa: FBT001
        """S5, S10: what may be read now; all for a Refresh (`forced`)."""
        if not forced and not self.settings(defaults)["generate"]:
            return []
        waiting = (name for name in self.now.waiting if until is None or int(name[2:]) <= until)
        return [name for name in waiting if forced or name in self.now.freed]

    def batch(self, defaults: Switches, forced: bool, until: int | None) -> list[str]:  # noqa: FBT001
        """S8: the batch that failed as it was, else the oldest items."""
        unread = self.unread(defaults, forced, until)
        return ([name for name in unread if name in self.failed[0]] or unread)[:BATCH]

    def learn(self, seen: Seen, read: list[str], snapshot: Entries, answer: Sequence[Proposed], model: str) -> None:
        """S6: each change is judged alone, and the items count as read."""
        accepted, dropped = dict[str, Fact](), list[Json]()
        for each in answer:
            key, named = nfc(each.key), self.named(each)
            if broken := self.broken(each, named, read, snapshot, accepted):
                shown = {""} if SECRET in key else {key, each.key}
                dropped.append({"key": OneOf(shown), "reason": OneOf(broken)})
                continue
            forgotten = replace(self.now.entries[key], status="retracted") if each.content is None else None
            fact = forgotten or Fact(
                key, each.content or "", each.kind, person=speaker(named), only_apps=from_apps(named)
            )
            sources = tuple(item["id"] for item in named)
            accepted[key] = replace(fact, sources=sources, at=seen.at, made=len(self.used))
        self.read(seen, read, accepted, dropped, model=model, tokens=TOKENS)

    def named(self, change: Proposed) -> list[Json]:
        """S6, S11: the items of this history that it names, each once; none that a hand has made."""
        items = {item["id"]: item for item in self.now.items if item["type"] != "memory"}
        return [items[name] for name in dict.fromkeys(change.sources or ()) if name in items]

    def broken(
        self, change: Proposed, named: list[Json], read: list[str], snapshot: Entries, accepted: Entries
    ) -> set[str]:
        """S5, S6, S7: all the rules that it breaks, by the names of their reasons."""
        key, content, entries = nfc(change.key), change.content, self.now.entries
        before = entries.get(key)
        forget, text = content is None, content or ""
        preference = change.kind == "preference" and not forget
        rules = {
            "invalid": change.sources is None or bad(key) or not (forget or text.strip()),
            "too-long": len(text) > LIMITS["max_content"],
            "secret": SECRET in key or SECRET in text,
            "no-unread-source": not any(item["id"] in read for item in named),
            "preference-without-user": preference and not any(item.get("role") == "user" for item in named),
            "second-change-of-key": key in accepted,
            "retracted": before.status == "retracted" if before else self.forgot(key),
            "changed-meanwhile": before != snapshot.get(key),
            "unknown-key": forget and before is None,
            "memory-full": before is None and len({*entries, *accepted}) >= LIMITS["max_keys"],
        }
        return {name for name, broken in rules.items() if broken}

    def forgot(self, key: str) -> bool:
        """S6: a new key that is a forgotten one in another dress."""
        forgotten = (each for each in self.now.entries.values() if each.status == "retracted")
        return any(folded_key(each.key) == folded_key(key) for each in forgotten)

    def fail(self, seen: Seen, read: list[str], message: str, model: str) -> bool:
        """S8: tried again as it was, then halved, and a single item passed over. Returns whether the error stands."""
        batch, failures = self.failed
        failures = failures + 1 if {*read} <= {*batch} else 1
        if len(read) == 1 and failures == PASSED_OVER_AFTER:
            self.read(seen, read, {}, [{"key": read[0], "reason": "unreadable"}], model=model, tokens=NO_TOKENS)
            return False
        halved = len(read) > 1 and failures == HALVED_AFTER
        self.failed = (read[: (len(read) + 1) // 2], 0) if halved else (read, failures)
        self.error = {"message": message, "at": seen.at, "attempts": (self.error or {"attempts": 0})["attempts"] + 1}
        self.changed(seen, self.head)
        return True

    def read(
        self, seen: Seen, read: list[str], accepted: Entries, dropped: list[Json], *, model: str, tokens: Json
    ) -> None:
        """S11: what has read something makes a new head."""
        entries, processed = {**self.now.entries, **accepted}, self.now.processed.union(read)
        self.advance(seen, replace(self.now, entries=entries, processed=processed))
        self.tokens = {name: self.tokens[name] + tokens[name] for name in tokens}
        self.last_run, self.error, self.failed = seen.at, None, ([], 0)
        self.write(seen, "consolidation", sorted(accepted), dropped=dropped, model=model, tokens=tokens)

    # What every change has in common

    def advance(self, seen: Seen, after: State) -> None:
        assert seen.head not in self.used
        self.used.append(seen.head)
        self.now = self.versions[seen.head] = after
        self.changed(seen, seen.head)

    def changed(self, seen: Seen, head: str) -> None:
        assert seen.head == head
        assert seen.revision > self.revision
        assert seen.at >= self.updated
        self.head, self.revision, self.updated = seen

    def new_items(self, count: int) -> list[str]:
        """S12: ids that no item of this history ever had."""
        self.items += count
        return [f"i-{number:02}" for number in range(self.items - count + 1, self.items + 1)]

    def write(self, seen: Seen, trigger: str, keys: list[str], **what: object) -> None:
        row = {"version": seen.head, "at": seen.at, "trigger": trigger, "keys": keys}
        self.log.insert(0, {**row, "dropped": [], "model": None, "tokens": None, **what})

    # What the API shows

    def view(self, defaults: Switches) -> Json:
        session = {"id": self.id, "head": self.head, "revision": self.revision, "agent": None, "model": self.model}
        session |= {"kind": "normal", "forkedFrom": self.origin, "createdAt": self.created, "updatedAt": self.updated}
        state = {"waiting": len(self.now.waiting), "lastRun": self.last_run, "error": self.error, "tokens": self.tokens}
        switches = {"settings": self.settings(defaults), "overrides": self.overrides}
        return {"session": session, "memory": {**switches, "consolidation": state}}

    def memory(self, defaults: Switches) -> Json:
        entries = {key: fact.shown() for key, fact in self.now.entries.items()}
        processed = [item["id"] for item in self.now.items if item["id"] in self.now.processed]
        view = {"entries": entries, "processed": processed, "settings": self.settings(defaults)}
        return view | {"overrides": self.overrides} | ({"error": self.error} if self.error else {})

    def instructions(self, defaults: Switches) -> Json:
        """S4: newest first, up to the first fact that does not fit."""
        text, facts, none = SESSION_HEADING, self.now.newest, {"shown": 0, "omitted": 0}
        shown = 0
        for fact in facts:
            line = fact.line()
            if len(text + line) > LIMITS["max_length"]:
                break
            text, shown = text + line, shown + 1
        if not shown or not self.settings(defaults)["use"]:
            return {"text": "", "session": none, "agent": none}
        return {"text": text, "session": {"shown": shown, "omitted": len(facts) - shown}, "agent": none}


def nfc(key: str) -> str:
    return unicodedata.normalize("NFC", key)


def bad(key: str) -> bool:
    return not 1 <= len(key) <= 128 or not key.isprintable()
