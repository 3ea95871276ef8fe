"""Makes sessions of many sizes and pasts through the service's own routes, and checks what they hold."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import batched, count
from typing import Any, NamedTuple

from bench import Bench, check

from openbot_memory.domain.rules import MAX_WRITES, Proposal

type Json = dict[str, Any]
type Step = Callable[[int, int], None]  # reports progress: done, of how many

BATCH = 50  # items that a model reads at once
SAID = "What was said here is as long as most of what people and assistants say, about two lines of text, and holds "
FACT = "This is what was agreed on as point {}, told in one plain sentence of a usual length, as models write them."
numbers = count(1)  # make each turn and content unique


class Old(NamedTuple):
    """An early version, and the active facts of its memory."""

    version: str
    entries: dict[str, str]


@dataclass
class Subject:
    """A session, and what it is expected to hold."""

    bench: Bench
    name: str
    head: str = ""
    revision: int = 0
    entries: dict[str, str] = field(default_factory=dict[str, str])  # content by key, of active facts
    items: int = 0
    old: Old = Old("", {})
    cursors: dict[int, str] = field(default_factory=dict[int, str])  # of pages of items, by the number of items before

    @property
    def path(self) -> str:
        return f"/v1/sessions/{self.name}"

    def saw(self, view: Json) -> Json:
        self.head, self.revision = view["session"]["head"], view["session"]["revision"]
        return view

    def get(self, path: str = "") -> Json:
        return self.bench.service.get(self.path + path)

    def refresh(self) -> None:
        """Take over the head and revision of the service."""
        self.saw(self.get())

    def seen(self, **body: object) -> Json:
        return {"expected": self.head, "revision": self.revision, **body}

    def remember(self, key: str, **how: Any) -> None:  # noqa: ANN401
        content = FACT.format(next(numbers))
        command = {"_tag": "Remember", "key": key, "content": content, "kind": "fact"}
        self.saw(self.bench.service.post(f"{self.path}/memory", self.seen(command=command), **how))
        self.entries[key] = content
        self.items += 1

    def turn(self, items: int, model: str | None = "test") -> None:
        self.saw(self.bench.service.post(f"{self.path}/turns", turn_of(items, model)))
        self.items += items

    def rewind(self, to: str) -> None:
        self.saw(self.bench.service.post(f"{self.path}/rewind", self.seen(to=to)))

    def remembered(self) -> dict[str, str]:
        entries = self.get("/memory")["entries"]
        return {key: entry["content"] for key, entry in entries.items() if entry["status"] == "active"}

    def keep_old(self) -> None:
        self.old = Old(self.head, dict(self.entries))

    def on(self, bench: Bench) -> "Subject":
        """The same session on another bench, to which its rows were copied."""
        self.bench = bench
        return self


def said(count: int, length: int = 200) -> list[Json]:
    """Messages without a plain statement, so that `offline` finds nothing in them."""
    texts = (f"{SAID}number {next(numbers)}".ljust(length, ".") for _ in range(count))
    return [{"type": "message", "role": ("user", "assistant")[at % 2], "text": text} for at, text in enumerate(texts)]


def turn_of(items: int, model: str | None, length: int = 200) -> Json:
    return {"turn": f"t-{next(numbers)}", "model": model, "items": said(items, length)}


def begun(bench: Bench, name: str, agent: str | None = None) -> Subject:
    subject = Subject(bench, name)
    subject.saw(bench.service.post("/v1/sessions", {"id": name, "model": "offline", "agent": agent}))
    return subject


def with_facts(bench: Bench, name: str, facts: int, items: int, step: Step) -> Subject:
    """A session with facts that a model found, and its agent with as many entries."""
    subject = begun(bench, name, agent_with(bench, f"agent-{name}", facts))
    for some in batched(range(facts), MAX_WRITES, strict=False):
        learn(subject, [f"point-{number:05d}" for number in some])
        if not subject.old.version:
            subject.keep_old()
        step(len(subject.entries), facts)
    fill(subject, items, step)
    return subject


def learn(subject: Subject, keys: list[str]) -> None:
    """One turn of one item, in which the model finds these facts."""
    found = {key: FACT.format(next(numbers)) for key in keys}
    subject.bench.model.script.put(
        lambda question: [
            Proposal(key=key, sources=(question.items[0].id,), content=content) for key, content in found.items()
        ]
    )
    subject.turn(1)
    subject.bench.deliver()
    subject.refresh()
    subject.entries |= found


def agent_with(bench: Bench, name: str, entries: int) -> str:
    bench.service.post("/v1/agents", {"id": name, "name": name, "shared": True})
    for number in range(entries):
        content = FACT.format(next(numbers))
        command = {"_tag": "Remember", "key": f"point-{number:05d}", "content": content, "kind": "procedure"}
        bench.service.post(f"/v1/agents/{name}/memory", {"expected": number, "command": command})
    return name


def fill(subject: Subject, items: int, step: Step) -> None:
    """Append turns of up to 1,000 items, each read by the model in batches, until the history has that many."""
    while subject.items < items:
        calls = len(subject.bench.model.questions)
        some = min(1000, items - subject.items)
        subject.turn(some)
        subject.bench.deliver()
        calls = len(subject.bench.model.questions) - calls
        check(calls == -(-some // BATCH), f"{some} items are read in one call for each {BATCH}, not in {calls}")
        step(subject.items, items)
    subject.refresh()


def changed_often(bench: Bench, name: str, times: int, step: Step) -> Subject:
    """A session with one fact among others that was changed many times."""
    subject = begun(bench, name)
    for number in range(9):
        subject.remember(f"point-{number}")
    for at in range(times):
        subject.remember("budget")
        if not at:
            subject.keep_old()
        step(at + 1, times)
    return subject


def rewound_often(bench: Bench, name: str, times: int, step: Step) -> Subject:
    """A session with many rewinds: each takes back a Remember, and a turn follows."""
    subject = begun(bench, name)
    for number in range(10):
        subject.remember(f"point-{number}")
    for at in range(times):
        head, entries, items = subject.head, dict(subject.entries), subject.items
        subject.remember("idea")
        if not at:
            subject.keep_old()  # on a branch that was left
        subject.rewind(head)
        subject.entries, subject.items = entries, items
        bench.deliver()  # cleans up after the rewind
        learn(subject, [f"point-{at % 10}"])
        step(at + 1, times)
    return subject


def forked_often(bench: Bench, name: str, times: int, step: Step) -> Subject:
    """The last of many forks of forks, each with a turn and a fact of its own."""
    subject = begun(bench, name)
    for at in range(times):
        subject.turn(1, model=None)
        subject.remember(f"point-{at:03d}")
        if not at:
            subject.keep_old()
        view = bench.service.post(f"{subject.path}/fork", {"id": f"{name}-{at + 1}"})
        subject.name = view["session"]["id"]
        subject.saw(view)
        step(at + 1, times)
    return subject


def scattered(bench: Bench, name: str, times: int, step: Step) -> Subject:
    """A session with `generate` off and a change by hand after each turn, so that read and unread items alternate."""
    subject = begun(bench, name)
    command = {"_tag": "Configure", "generate": False}
    subject.saw(bench.service.post(f"{subject.path}/memory", subject.seen(command=command)))
    for at in range(times):
        subject.turn(1)
        subject.remember(f"point-{at % 10}")
        if not at:
            subject.keep_old()
        step(at + 1, times)
    bench.service.events.clear()
    return subject


def walk(subject: Subject, seen: int = 0) -> Iterator[Json]:
    """Yield the items after the first `seen`, in pages, and keep the cursors."""
    cursor = f"&cursor={subject.cursors[seen]}" if seen else ""
    while True:
        page = subject.get(f"/items?limit=500{cursor}")
        yield from page["items"]
        seen += len(page["items"])
        if page["cursor"] is None:
            return
        subject.cursors[seen] = page["cursor"]
        cursor = f"&cursor={page['cursor']}"


def check_whole(subject: Subject) -> None:
    """Check that a session has all its items, each once and in order, and all its facts."""
    ids = [int(item["id"].removeprefix("i-")) for item in walk(subject)]
    check(len(ids) == subject.items, f"{subject.name} has {len(ids)} items, not {subject.items}")
    check(ids == sorted(set(ids)), f"the items of {subject.name} come in order, each once")
    check(subject.remembered() == subject.entries, f"the facts of {subject.name} are those that were remembered")
