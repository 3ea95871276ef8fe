"""Hypothesis strategies for the stateful test: requests and model answers, mostly valid, with every kind of mistake."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from reference import LIMITS, SECRET, Json, Proposed

from openbot_memory.domain.facts import Kind
from openbot_memory.domain.rules import Malformed, Proposal

GOOD_KEYS = ["a", "b", "c", "d", "e", "a/b", "#", "预算", "ä", "a\u0308"]  # the last two are one
LONGEST = "x" * LIMITS["max_content"]
GOOD_CONTENTS = ["Short.", "Two\nlines.", "Ein Satz, der etwas länger ist. " * 4, LONGEST]
APP = {"app": "calendar"}


def mostly[T](right: Sequence[T], wrong: Sequence[T]) -> st.SearchStrategy[T]:
    """About six times in seven a right one."""
    return st.sampled_from([*right] * (6 * len(wrong) // len(right) + 1) + [*wrong])


good_keys = st.sampled_from(GOOD_KEYS)
keys = mostly(GOOD_KEYS, ["", "a\nb", SECRET])
contents = mostly(GOOD_CONTENTS, [LONGEST + "x", " \n", f"The key is {SECRET}."])
kinds = st.sampled_from([kind.value for kind in Kind])
remembered = st.fixed_dictionaries({"key": keys, "content": contents, "kind": kinds}).map(
    lambda fact: fact | {"content": of_key(fact["key"], fact["content"])}
)


def of_key(key: str, content: str) -> str:
    """No two keys say the same, or the one would be forgotten with the other (S6)."""
    return content[: LIMITS["max_content"] - len(key)] + key if content in GOOD_CONTENTS else content


models = st.sampled_from(["quick", "slow"])
callers = st.sampled_from(["person", "agent", "host"])


def switches(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries({}, optional={"use": values, "generate": values})


items = st.sampled_from(
    [
        {"type": "message", "role": "user", "text": "I like tea."},
        {"type": "message", "role": "user", "text": "I like tea.", "person": {"id": "ben", "name": "Ben"}},
        {"type": "message", "role": "assistant", "text": "Noted: tea."},
        {"type": "tool-call", **APP, "name": "list", "arguments": {"day": "2026-12-01"}},
        {"type": "tool-result", **APP, "text": "no events"},
        {"type": "approval", "text": "book the train", "approved": True},
        {"type": "action", **APP, "text": "event created"},
    ]
)
lengths = st.sampled_from([0, 1, 1, 1, 2, 2, 3, 4, 25, 60])  # 60 are more than a batch
turns = st.fixed_dictionaries(
    {
        "model": st.sampled_from(["quick", "quick", "slow", None]),
        "status": st.sampled_from(["finished", "finished", "finished", "cancelled", "failed"]),
        "person": st.sampled_from([None, {"id": "ana", "name": "Ana"}]),
        "items": lengths.flatmap(lambda length: st.lists(items, min_size=length, max_size=length)),
    }
)


def proposals(batch: list[str], others: list[str]) -> st.SearchStrategy[list[Proposed]]:
    """`batch`: the ids that the model was shown; `others`: read ones, hand-made ones, other sessions' ones."""
    names = st.lists(mostly(batch, [*others, "i-999", "i-1", "nonsense", ""]), min_size=1, max_size=3)
    remembering = st.builds(Proposed, keys, contents, kinds, names.map(tuple)).map(
        lambda change: change._replace(content=of_key(change.key, change.content or ""))
    )
    forgetting = st.builds(Proposed, keys, st.none(), kinds, names.map(tuple))
    malformed = st.builds(Proposed, keys, contents, kinds, st.none())
    return st.lists(mostly([remembering, remembering, forgetting], [malformed]).flatmap(lambda each: each), max_size=6)


def as_the_model_says(proposed: Proposed) -> Proposal | Malformed:
    if proposed.sources is None:
        return Malformed(proposed.key)
    return Proposal(key=proposed.key, content=proposed.content, kind=Kind(proposed.kind), sources=proposed.sources)
