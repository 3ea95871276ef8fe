"""Audits the final state: every acknowledged change is stored exactly once and in order, and nothing else is."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from callers import AGENT
from kinds import Json
from proposer import ZOMBIE, content
from records import Acked, Records, SessionRecord
from setting import Setting, check

from openbot_memory.domain.items import Item
from openbot_memory.domain.session import Session, Trigger, Version
from openbot_memory.store import keys, rows

ORGANIZATION = "acme"
AUTOMATIC = {Trigger.CONSOLIDATION}  # made by the service itself, not by a caller


@dataclass
class Partition:
    """All rows under one partition key, read directly from the table."""

    raw: list[Json]

    def of(self, *prefixes: str) -> list[Json]:
        return [row for row in self.raw if row["sk"].startswith(prefixes)]

    @property
    def versions(self) -> list[Version]:
        return sorted(map(self._version, self.of("T#", keys.VERSIONS)), key=lambda version: version.step)

    def _version(self, row: Json) -> Version:
        """A version with its changes; those of a large promotion are stored in parts."""
        version = rows.to_version(row)
        parts = self.of(f"{keys.PARTS}{row['more']}#") if "more" in row else []
        more = tuple(rows.to_fact(fact) for part in parts for fact in part["changes"])
        return replace(version, changes=more) if parts else version

    @property
    def items(self) -> dict[int, Item]:
        return {item.number: item for item in map(rows.to_item, self.of("I#"))}

    @property
    def head(self) -> Session:
        return rows.to_session(next(row for row in self.raw if row["sk"] == keys.HEAD))


def audit(setting: Setting, records: Records) -> None:
    """Raises Violation with the first expectation that is not met."""
    state = FinalState(setting, records)
    state.check_that_all_is_read()
    state.append_last_turns()
    for session in state.sessions:
        state.check_session(session)
    for session in records.sessions:
        if session.deleted:
            state.check_deleted(session)
    state.check_agent()
    state.check_model_calls()


class FinalState:
    """Compares what the service stores and shows with the records of the callers."""

    def __init__(self, setting: Setting, records: Records) -> None:
        self.setting, self.records, self.service = setting, records, setting.service
        self.sessions = [session for session in records.sessions if not session.deleted]

    def partition(self, pk: str) -> Partition:
        table = self.setting.table
        return Partition([row for page in table.query(pk) for row in page])

    def of(self, session: SessionRecord) -> Partition:
        return self.partition(keys.session(ORGANIZATION, session.id))

    # Unread items

    def check_that_all_is_read(self) -> None:
        """No event was lost: items up to the last finished turn are read without another one, unless the model failed.

        Unread items that a fork or rewind brings back wait for the next finished turn.
        """
        for session in self.sessions:
            found = self.of(session)
            head = found.head
            jumps = [v.timeline.readable for v in found.versions if v.trigger in {Trigger.REWIND, Trigger.FORK}]
            waits = bool(jumps) and head.timeline.readable == jumps[-1]
            left = head.timeline.unread.upto(head.timeline.readable)
            check(
                not left or head.error or waits, f"{session.id}: all items up to a finished turn are read, not {left}"
            )

    def append_last_turns(self) -> None:
        """With one more finished turn, the items of cancelled turns are read, too."""
        for session in self.sessions:
            turn = {"turn": "t-last", "model": "test", "items": [{"type": "message", "role": "user", "text": "Bye."}]}
            view = self.service.post(f"/v1/sessions/{session.id}/turns", turn)
            session.saw(view, "turn", texts=("Bye.",))
        self.setting.quiet()

    # Sessions

    def check_session(self, session: SessionRecord) -> None:
        found = self.of(session)
        self._check_history(session, found)
        self._check_views(session, found)
        self._check_memory(session)
        contents = {change.content for change in session.acked if change.command == "Erase"}
        erased = contents - {ZOMBIE}  # which the model proposes for many keys
        text = json.dumps(found.raw)
        for each in filter(None, erased):
            check(each not in text, f"{session.id}: no row holds {each!r}, which was erased")

    def _check_history(self, session: SessionRecord, found: Partition) -> None:
        """The versions, without those of consolidations, are the acknowledged changes, in the same order."""
        versions, items = found.versions, found.items
        first = self._first(session)
        steps = [version.step for version in versions]
        check(
            steps == list(range(first, first + len(steps))),
            f"{session.id}: the steps of its versions have no gap: {steps}",
        )
        by_hand = [version for version in versions if version.trigger not in AUTOMATIC]
        changes = self._matched(session, by_hand, items)
        known = {version.id: version for version in self._ancestry(session)}
        used = set[int]()
        for before, version in pairwise([None, *versions]):
            assert version
            if version.trigger in {Trigger.REWIND, Trigger.FORK}:
                check(
                    version.timeline == known[version.id].timeline,
                    f"{session.id}: {version.id} has the timeline of the version it goes back to",
                )
                continue
            known[version.id] = version
            old = before.timeline if before else None
            new = list(version.timeline.items - old.items) if old else list(version.timeline.items)
            check(not old or not old.items - version.timeline.items, f"{session.id}: no item is lost at {version.id}")
            check(
                not old or not old.processed - version.timeline.processed,
                f"{session.id}: no read item becomes unread at {version.id}",
            )
            check(used.isdisjoint(new), f"{session.id}: no item id is used twice: {new}")
            used |= {*new}
            if version.trigger in AUTOMATIC:
                check(not new, f"{session.id}: a consolidation adds no item")
            else:
                self._check_items(session, changes[version.step], [items[number] for number in new])

    def _check_items(self, session: SessionRecord, change: Acked, new: Sequence[Item]) -> None:
        """The new items of a change are those that were sent, each once."""
        if change.trigger == "turn":
            texts = tuple(item.text for item in new)
            check(texts == change.texts, f"{session.id}: the items of {change.head} are {change.texts}: {texts}")
        else:
            found = [(item.body["command"], item.body["key"]) for item in new]
            check(found == [(change.command, change.key)], f"{session.id}: one item records {change}: {found}")

    def _matched(self, session: SessionRecord, by_hand: list[Version], items: dict[int, Item]) -> dict[int, Acked]:
        """The acknowledged change of each step. The second of two Erases is answered without a new version."""
        erasing = {v.step for v in by_hand if v.changes and _erases(items[max(v.timeline.items)])}
        rows = [version for version in by_hand if version.step not in erasing]
        acked = sorted(change for change in session.acked if change.command != "Erase")
        self._check_same(session, [_of_row(version) for version in rows], [_of_change(change) for change in acked])
        erased = [change for change in session.acked if change.command == "Erase"]
        keys_erased = {change.key: change for change in erased}
        found = Counter(version.changes[0].key for version in by_hand if version.step in erasing)
        asked = Counter(change.key for change in erased)
        check(
            found.keys() == asked.keys() and found <= asked,
            f"{session.id}: the erased keys are those that callers erased: {found}, {asked}",
        )
        matched = {version.step: change for version, change in zip(rows, acked, strict=True)}
        return matched | {v.step: keys_erased[v.changes[0].key] for v in by_hand if v.step in erasing}

    def _check_same(self, session: SessionRecord, rows: list[Any], acked: list[Any]) -> None:
        counts = Counter(rows)
        counts.subtract(acked)
        wrong = {row: count for row, count in counts.items() if count}
        check(not wrong, f"{session.id}: each acknowledged change has one version (positive: too many): {wrong}")
        check(rows == acked, f"{session.id}: versions are in the order in which changes were acknowledged")

    def _first(self, session: SessionRecord) -> int:
        origin = self.of(session).head.forked_from
        return origin.steps if origin else 1

    def _ancestry(self, session: SessionRecord) -> list[Version]:
        versions = list[Version]()
        parent = session.parent
        while parent:
            versions += self.of(parent).versions
            parent = parent.parent
        return [version for version in versions if version.trigger not in {Trigger.REWIND, Trigger.FORK}]

    def _check_views(self, session: SessionRecord, found: Partition) -> None:
        """The API shows what the table holds."""
        path, head = f"/v1/sessions/{session.id}", found.head
        items = self._all(f"{path}/items", "items")
        numbers = [f"i-{number:02d}" for number in head.timeline.items]
        shown = [item["id"] for item in items]
        check(shown == numbers, f"{session.id}: the items of the timeline are shown, each once")
        log = self._all(f"{path}/memory/log", "log")
        expected = [version.id for version in found.versions if version.trigger is not Trigger.TURN]
        check([row["version"] for row in reversed(log)] == expected, f"{session.id}: the log shows each version once")
        view = self.service.get(path)
        check(view["session"]["revision"] > max(session.acked).revision - 1, f"{session.id}: the revision only grows")
        check(view["memory"]["consolidation"]["waiting"] == 0, f"{session.id}: no item is unread after the last turn")
        check(view["memory"]["consolidation"]["error"] is None, f"{session.id}: no error is stored after the last turn")
        if session.overrides:
            last = session.overrides[max(session.overrides)]
            check(
                view["memory"]["overrides"] == last,
                f"{session.id}: the overrides are those of the last Configure: {last}",
            )

    def _check_memory(self, session: SessionRecord) -> None:
        """The memory is the result of the timeline's items in their order."""
        path = f"/v1/sessions/{session.id}"
        items = self._all(f"{path}/items", "items")
        memory = self.service.get(f"{path}/memory")
        check(memory["processed"] == [item["id"] for item in items], f"{session.id}: every item is read")
        contents, erased = self._contents(session), self._erased(session)
        expected = dict[str, str | None]()  # None: retracted
        for item in items:
            if item["type"] == "memory":
                key = item["key"]
                expected[key] = contents[key] if item["command"] == "Remember" else None
        learned = {f"f-{word}": item["id"] for item in items for word in _words(item.get("text", ""))}
        entries = memory["entries"]
        rewound = any(change.trigger in {"rewind", "fork"} for change in session.acked)
        for key in expected.keys() | learned.keys():
            entry = entries.get(key)
            check(entry, f"{session.id}: {key}, which was remembered or taught, is in the memory")
            if expected.get(key, "") is None:
                check(entry["status"] == "retracted", f"{session.id}: {key} stays retracted")
            else:
                if key in erased and not entry["content"]:  # erased here or in an ancestor, which no rewind undoes
                    check(entry["status"] == "retracted", f"{session.id}: {key}, which was erased, is retracted")
                    continue
                right = {expected.get(key) or content(key.removeprefix("f-")), *([ZOMBIE] if rewound else [])}
                check(
                    entry["content"] in right,
                    f"{session.id}: the content of {key} is one of {right}: {entry['content']!r}",
                )
        # A key may be erased while it is unknown here: a fork takes over what its source has erased.
        strangers = {key for key, entry in entries.items() if entry["content"]} - expected.keys() - learned.keys()
        check(rewound or not strangers, f"{session.id}: the memory holds no other facts: {strangers}")
        ids = {item["id"] for item in items}
        for key, entry in entries.items():
            if entry["content"]:
                check(set(entry["sources"]) <= ids, f"{session.id}: the sources of {key} are items of the history")

    def _contents(self, session: SessionRecord) -> dict[str, str]:
        """What was remembered by hand, here and in its ancestors."""
        found = dict[str, str]()
        line: SessionRecord | None = session
        while line:
            found |= {c.key: c.content for c in line.acked if c.command == "Remember" and c.key and c.content}
            line = line.parent
        return found

    def _erased(self, session: SessionRecord) -> set[str]:
        found, line = set[str](), session
        while line:
            found |= {change.key for change in line.acked if change.command == "Erase" and change.key}
            line = line.parent
        return found

    def _all(self, path: str, name: str) -> list[Json]:
        page = self.service.get(f"{path}?limit=500")
        found = page[name]
        while page["cursor"]:
            page = self.service.get(f"{path}?limit=500&cursor={page['cursor']}")
            found += page[name]
        return found

    def check_deleted(self, session: SessionRecord) -> None:
        reply = self.service.call("GET", f"/v1/sessions/{session.id}")
        check(reply.status == 404, f"{session.id}, which was deleted, is not found")
        needed = any(each for each in self.sessions if self._descends(each, session))
        left = [row["sk"] for row in self.of(session).raw]
        check(needed or not left, f"no row is left of {session.id}, which was deleted with all its forks: {left}")

    def _descends(self, session: SessionRecord, ancestor: SessionRecord) -> bool:
        line = session.parent
        while line and line is not ancestor:
            line = line.parent
        return line is ancestor

    # The agent

    def check_agent(self) -> None:
        found = self.partition(keys.agent(ORGANIZATION, AGENT))
        versions, agent = found.versions, self.service.get(f"/v1/agents/{AGENT}")["agent"]
        steps = [version.step for version in versions]
        check(steps == list(range(1, agent["version"] + 1)), f"the agent's versions have no gap: {steps}")
        log = self._all(f"/v1/agents/{AGENT}/memory/log", "log")
        check([row["version"] for row in reversed(log)] == steps, "the agent's log shows every version once")
        by_hand = [v for v in versions if v.trigger not in AUTOMATIC]
        erased = {entry.keys for entry in self.records.agent if entry.command == "Erase"}
        rows = [(v.step, str(v.trigger), tuple(f.key for f in v.changes)) for v in by_hand]
        acked = [(e.version, e.trigger, e.keys) for e in sorted(self.records.agent) if e.command != "Erase"]
        rest = [row for row in rows if row not in set(acked)]
        lost, twice = [each for each in acked if each not in rows], Counter(acked) - Counter(rows)
        check(
            not lost and not twice,
            f"each acknowledged change of the agent has one version: none for {lost}, several for {twice}",
        )
        check({keys for _, _, keys in rest} <= erased, f"the agent has no other changes: {rest}")
        self._check_learned(found, versions)
        entries = self.service.get(f"/v1/agents/{AGENT}/memory")["entries"]
        for entry in self.records.agent:
            if entry.command in {"Forget", "Erase"}:
                check(entries[entry.keys[0]]["status"] == "retracted", f"the agent's {entry.keys[0]} stays retracted")
            if entry.command == "Erase":
                check(str(entry.content) not in json.dumps(found.raw), f"no row of the agent holds {entry.content!r}")

    def _check_learned(self, found: Partition, versions: list[Version]) -> None:
        """Everything taught is learned exactly once, whichever sessions still hold it."""
        counts = Counter(f.key for v in versions if v.trigger in AUTOMATIC for f in v.changes if f.content != ZOMBIE)
        twice = {key: count for key, count in counts.items() if count > 1}
        check(not twice, f"the agent learns nothing twice: {twice}")
        progress = {row["sk"]: rows.to_progress(row) for row in found.of("C#")}
        for session in self.sessions:
            head = self.of(session).head
            if not head.agent:
                continue
            left = progress[keys.progress(session.id)].unlearned(head)
            check(not left, f"the agent has learned from all of {session.id}: {left}")
            own = [item for number, item in self.of(session).items.items() if number in head.timeline.items]
            for word in (word for item in own for word in _words(item.text)):
                check(counts[f"a-{word}"] == 1, f"the agent has learned {word} from {session.id}")

    # The model

    def check_model_calls(self) -> None:
        """Each call belongs to a batch that was read, a failure, or a function that died or overlapped another."""
        model, setting = self.setting.model, self.setting
        learned = {row["sk"]: row["count"] for row in self.partition(keys.agent(ORGANIZATION, AGENT)).of("C#")}
        for session in self.sessions:
            versions = self.of(session).versions
            batches = sum(version.trigger in AUTOMATIC for version in versions)
            batches += learned.get(keys.progress(session.id), 0)
            allowed = batches + model.failures[session.id] + setting.wasted[session.id]
            calls = model.calls[session.id]
            check(calls <= allowed, f"{session.id}: at most {allowed} model calls: {calls}")
        setting.counts["model calls"] = sum(model.calls.values())
        setting.counts["model calls that failed"] = sum(model.failures.values())
        setting.counts["model calls whose answers may have been discarded"] = sum(setting.wasted.values())


def _of_row(version: Version) -> tuple[str, str, tuple[str, ...]]:
    return version.id, str(version.trigger), tuple(fact.key for fact in version.changes)


def _of_change(change: Acked) -> tuple[str, str, tuple[str, ...]]:
    return change.head, change.trigger, (change.key,) if change.key else ()


def _erases(item: Item) -> bool:
    return item.body.get("command") == "Erase"


def _words(text: str) -> list[str]:
    return re.findall(r"Learn (\w+)\.", text)
