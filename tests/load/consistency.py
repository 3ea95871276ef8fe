"""Checks that every acknowledged change is stored exactly once, and that nothing else is.

Pure functions: they compare the callers' journal with the state that the API returns after the load.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from journal import Changed, Journal, Made, Taught, Turn

BY_HAND = "person"

type Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredState:
    """All that the API returns about one session or agent."""

    head: Json  # `session` or `agent` of its view
    entries: Json
    log: Sequence[Json]  # newest first
    items: Sequence[Json] = ()
    consolidation: Json = field(default_factory=dict[str, Any])


@dataclass
class Totals:
    """How many of each were compared."""

    sessions: int = 0
    forks: int = 0
    turns: int = 0
    changed: int = 0
    consolidations: int = 0
    taught: int = 0
    lessons: int = 0
    entries: int = 0


def violations(
    journal: Journal, sessions: Mapping[str, StoredState], agent: StoredState, totals: Totals
) -> Iterator[str]:
    """Yield each difference between journal and stored state, in words. Adds up `totals` on the way."""
    yield from (f"an unexpected answer: {each.description}" for each in journal.unexpected)
    turns, changed = _by_session(journal.turns), _by_session(journal.changed)
    for made in journal.made:
        session = _Session(made, sessions, turns[made.session], changed[made.session], totals)
        yield from (f"session {made.session}: {each}" for each in session.violations())
    taught = [turn for made in journal.made if made.agent for turn in turns[made.session]]
    yield from (f"the agent: {each}" for each in _agent(journal.taught, taught, sessions, agent, totals))


def _by_session[T: (Turn, Changed)](entries: Iterable[T]) -> Mapping[str, list[T]]:
    found = defaultdict[str, list[T]](list)
    for entry in entries:
        found[entry.session].append(entry)
    return found


@dataclass(frozen=True, slots=True)
class _Session:
    made: Made
    sessions: Mapping[str, StoredState]
    turns: list[Turn]
    changed: list[Changed]
    totals: Totals

    @property
    def shown(self) -> StoredState:
        return self.sessions[self.made.session]

    def violations(self) -> Iterator[str]:
        yield from self._versions()
        yield from self._items()
        yield from final(self.changed, self.shown.entries)
        yield from learned(self.turns, {self.made.session: self.shown}, self.shown.entries)
        if self.turns and (self.shown.consolidation["waiting"] or self.shown.consolidation["error"]):
            yield f"not everything is consolidated: {self.shown.consolidation}"

    def _versions(self) -> Iterator[str]:
        """Every acknowledged change is one version in the log, and the revision counts all changes."""
        rows = Counter(row["trigger"] for row in self.shown.log)
        by_hand = [row["version"] for row in self.shown.log if row["trigger"] == BY_HAND]
        yield from same("version", (each.version for each in self.changed), by_hand)
        forks = int(self.made.forked is not None)
        if rows["fork"] != forks or rows.total() != forks + rows[BY_HAND] + rows["consolidation"]:
            yield f"its log has unexpected triggers: {dict(rows)}"
        if any(row["dropped"] for row in self.shown.log):
            yield "a proposal was dropped"
        expected = 1 + len(self.turns) + len(self.changed) + rows["consolidation"]
        if self.shown.head["revision"] != expected:
            yield f"its revision is {self.shown.head['revision']}, and should be {expected}"
        self.totals.sessions += 1
        self.totals.forks += forks
        self.totals.turns += len(self.turns)
        self.totals.changed += len(self.changed)
        self.totals.consolidations += rows["consolidation"]

    def _items(self) -> Iterator[str]:
        """The history holds every acknowledged turn once and completely, after the items that a fork copied."""
        copied, own = self.shown.items[: self.made.copied], self.shown.items[self.made.copied :]
        if self.made.forked and copied != self.sessions[self.made.forked].items[: self.made.copied]:
            yield "the fork's first items differ from its source's"
        acknowledged = {turn.turn: turn.items for turn in self.turns}
        stored = Counter(item["turn"] for item in own if item["type"] != "memory")
        if stored != acknowledged:
            yield f"turns in the journal and in the history differ: {sorted(acknowledged.items() ^ stored.items())}"
        by_hand = sum(item["type"] == "memory" for item in own)
        if by_hand != len(self.changed):
            yield f"{by_hand} items record changes by hand, but {len(self.changed)} were acknowledged"
        if len({item["id"] for item in self.shown.items}) != len(self.shown.items):
            yield "an item id is used twice"


def _agent(
    changes: list[Taught], turns: list[Turn], sessions: Mapping[str, StoredState], shown: StoredState, totals: Totals
) -> Iterator[str]:
    """The version counts all changes by people and by learning, the log has no gap, and nothing is learned twice."""
    version = shown.head["version"]
    if [row["version"] for row in shown.log] != list(range(version, 0, -1)):
        yield "its log has a gap or shows a version twice"
    by_hand = [row["version"] for row in shown.log if row["trigger"] == BY_HAND]
    lessons = [row for row in shown.log if row["trigger"] == "consolidation"]
    yield from same("version", (each.version for each in changes), by_hand)
    if version != len(changes) + len(lessons):
        yield f"its version is {version}, but people made {len(changes)} changes and learning {len(lessons)}"
    keys = [key for row in lessons for key in row["keys"]]
    yield from same("lesson", (turn.key for turn in turns), keys)
    yield from final(changes, shown.entries)
    yield from learned(turns, sessions, shown.entries)
    totals.taught, totals.lessons, totals.entries = len(changes), len(lessons), len(shown.entries)


def same(what: str, acknowledged: Iterable[object], stored: Iterable[object]) -> Iterator[str]:
    """Everything acknowledged is stored exactly once, and nothing else."""
    expected, found = Counter(acknowledged), Counter(stored)
    yield from (f"{what} {each} was acknowledged {expected[each]} times and is stored {found[each]} times"
                for each in expected.keys() | found.keys() if not expected[each] == found[each] == 1)  # fmt: skip


def final(changes: Sequence[Changed] | Sequence[Taught], entries: Json) -> Iterator[str]:
    """Every key holds the content of its last acknowledged change."""
    last = dict[str, Changed | Taught]()
    for change in sorted(changes, key=lambda each: each.revision if isinstance(each, Changed) else each.version):
        last[change.key] = change
    for key, change in last.items():
        entry = entries.get(key, {})
        if change.content is None:
            if entry.get("status") != "retracted":
                yield f"{key} was forgotten last, but is {entry}"
        elif (entry.get("status"), entry.get("content")) != ("active", change.content):
            yield f"{key} should say {change.content!r}, but is {entry}"


def learned(turns: Iterable[Turn], sessions: Mapping[str, StoredState], entries: Json) -> Iterator[str]:
    """Every statement of a user became an entry whose only source is the item that states it."""
    first = {(name, item["turn"]): item["id"] for name, shown in sessions.items()
             for item in reversed(shown.items) if item["type"] == "message"}  # fmt: skip
    for turn in turns:
        entry = entries.get(turn.key)
        if entry is None:
            yield f"{turn.key} was not learned"
            continue
        item = first.get((turn.session, turn.turn))
        if entry["sources"] not in ([item], [{"session": turn.session, "item": item}]):
            yield f"{turn.key} has the sources {entry['sources']}"
        if (entry["content"], entry["status"]) != (turn.content, "active"):
            yield f"{turn.key} says {entry['content']!r}"
