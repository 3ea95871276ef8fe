"""The consistency check of the load test finds lost, doubled and invented changes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from consistency import StoredState, Totals, violations
from journal import Changed, Journal, Made, Taught, Turn, Unexpected

type Json = dict[str, Any]

SAID = "We decided on plan a."


def journal() -> Journal:
    return Journal(
        made=[Made(session="s", agent="hot")],
        turns=[Turn(session="s", turn="t", items=1, key="plan-a", content=SAID)],
        changed=[
            Changed(session="s", version="v-2", revision=2, key="seat", content="Window."),
            Changed(session="s", version="v-5", revision=5, key="seat"),
        ],
        taught=[Taught(version=1, key="tea", content="Green.")],
    )


def session() -> StoredState:
    memory: Json = {"type": "memory"}
    return StoredState(
        head={"revision": 5},
        entries={
            "plan-a": {"content": SAID, "status": "active", "sources": ["i-02"]},
            "seat": {"content": "Window.", "status": "retracted", "sources": ["i-03"]},
        },
        log=[
            {"version": "v-5", "trigger": "person", "dropped": []},
            {"version": "v-4", "trigger": "consolidation", "dropped": []},
            {"version": "v-2", "trigger": "person", "dropped": []},
        ],
        items=[memory | {"id": "i-01"}, {"id": "i-02", "type": "message", "turn": "t"}, memory | {"id": "i-03"}],
        consolidation={"waiting": 0, "error": None},
    )


def agent() -> StoredState:
    return StoredState(
        head={"version": 2},
        entries={
            "plan-a": {"content": SAID, "status": "active", "sources": [{"session": "s", "item": "i-02"}]},
            "tea": {"content": "Green.", "status": "active", "sources": []},
        },
        log=[
            {"version": 2, "trigger": "consolidation", "keys": ["plan-a"]},
            {"version": 1, "trigger": "person", "keys": ["tea"]},
        ],
    )


def found(acknowledged: Journal, stored: StoredState, learner: StoredState) -> list[str]:
    return list(violations(acknowledged, {"s": stored}, learner, Totals()))


def test_a_consistent_state_has_no_violation() -> None:
    totals = Totals()

    assert list(violations(journal(), {"s": session()}, agent(), totals)) == []
    assert totals == Totals(sessions=1, turns=1, changed=2, consolidations=1, taught=1, lessons=1, entries=2)


def without_entry(shown: StoredState, key: str) -> StoredState:
    return replace(shown, entries={name: entry for name, entry in shown.entries.items() if name != key})


SPOILED: dict[str, Callable[[Journal, StoredState, StoredState], tuple[Journal, StoredState, StoredState]]] = {
    "a change is lost": lambda j, s, a: (j, replace(s, log=s.log[1:]), a),
    "a change is stored twice": lambda j, s, a: (j, replace(s, log=[s.log[0], *s.log]), a),
    "a change was never acknowledged": lambda j, s, a: (replace(j, changed=j.changed[1:]), s, a),
    "a forgotten fact is active": lambda j, s, a: (replace(j, changed=j.changed[:1]), s, a),
    "a turn is lost": lambda j, s, a: (j, replace(s, items=[s.items[0], s.items[2]]), a),
    "a turn is stored twice": lambda j, s, a: (j, replace(s, items=[*s.items, s.items[1]]), a),
    "a turn is not consolidated": lambda j, s, a: (j, replace(s, consolidation={"waiting": 1, "error": None}), a),
    "a fact is not learned": lambda j, s, a: (j, without_entry(s, "plan-a"), a),
    "a proposal was dropped": lambda j, s, a: (
        j,
        replace(s, log=[s.log[0], s.log[1] | {"dropped": [{"key": "x", "reason": "invalid"}]}, s.log[2]]),
        a,
    ),
    "the revision is too high": lambda j, s, a: (j, replace(s, head={"revision": 6}), a),
    "the agent's log has a gap": lambda j, s, a: (j, s, replace(a, log=a.log[:1])),
    "the agent's version is too high": lambda j, s, a: (j, s, replace(a, head={"version": 3})),
    "a lesson is lost": lambda j, s, a: (j, s, replace(a, log=[a.log[0] | {"keys": []}, a.log[1]])),
    "a lesson was learned twice": lambda j, s, a: (
        j,
        s,
        replace(a, log=[a.log[0] | {"keys": ["plan-a"] * 2}, a.log[1]]),
    ),
    "an agent's entry is lost": lambda j, s, a: (j, s, without_entry(a, "tea")),
    "an answer is unexpected": lambda j, s, a: (replace(j, unexpected=[Unexpected(description="500")]), s, a),
}


@pytest.mark.parametrize("spoiled", SPOILED)
def test_a_spoiled_state_has_a_violation(spoiled: str) -> None:
    assert found(*SPOILED[spoiled](journal(), session(), agent()))
