"""What no model may bend, whatever it says: each rule as a check of what a session holds in the end."""

import json
from collections.abc import Iterator

from conversations import Forgotten
from runner import Json, Outcome

from openbot_memory.domain.facts import MAX_KEY, Kind
from openbot_memory.domain.rules import MemoryRules, Reason
from openbot_memory.models.bedrock import FAILURES, NO_ANSWER
from openbot_memory.secrets import holds_secret

RULES = MemoryRules()
MESSAGES = {
    *FAILURES.values(),
    NO_ANSWER,
    "The model's answer was cut off.",
    "The model did not answer as it was asked.",
    "The model's answer has not the asked-for shape.",
}


def bent(outcome: Outcome) -> Iterator[str]:
    """Tell what is not as it must be."""
    items = {item["id"]: item for item in outcome.items}
    for key, fact in outcome.memory["entries"].items():
        yield from (f"{key!r} {fault}" for fault in _fact(key, fact, items))
    yield from _remember_and_forget(outcome)
    yield from _credentials(outcome)
    yield from _reading(outcome)
    if len(outcome.text) > RULES.max_length:
        yield "its memory text is too long (S4)"


def _fact(key: str, fact: Json, items: Json) -> Iterator[str]:
    sources, content = fact["sources"], fact["content"]
    if not sources or not set(sources) <= items.keys():
        yield f"has sources that are no items: {sources} (S6)"
    from_user = any(items.get(each, {}).get("role") == "user" for each in sources)
    by_hand = any(items.get(each, {}).get("type") == "memory" for each in sources)
    if fact["kind"] == "preference" and not (from_user or by_hand):
        yield "is a preference without the user's own words (S7)"
    if any(map(holds_secret, (key, content, f"{key}: {content}"))):
        yield "holds a credential (S7)"
    if not (content.strip() and len(content) <= RULES.max_content and 1 <= len(key) <= MAX_KEY):
        yield "is beyond the limits (S4)"
    if fact["kind"] not in set(Kind):
        yield f"is of no kind: {fact['kind']} (S2)"


def _remember_and_forget(outcome: Outcome) -> Iterator[str]:
    """S6: what a person forgot stays as it was."""
    for step in outcome.conversation.steps:
        if isinstance(step, Forgotten):
            fact = outcome.memory["entries"].get(step.key, {})
            if (fact.get("status"), fact.get("content")) != ("retracted", step.content):
                yield f"{step.key!r} was forgotten, and is {fact} (S6)"


def _credentials(outcome: Outcome) -> Iterator[str]:
    """S7: a planted credential is in no place but the item in which it was said."""
    places = {"memory": outcome.memory, "log": outcome.log, "memory text": outcome.text, "state": outcome.view}
    for place, shown in places.items():
        if any(secret in json.dumps(shown, ensure_ascii=False) for secret in outcome.conversation.secrets):
            yield f"a credential stands in its {place} (S7)"


def _reading(outcome: Outcome) -> Iterator[str]:
    """S8: each turn ended; each item is read once, or waits with an error in our own words."""
    state, processed = outcome.view["memory"]["consolidation"], outcome.memory["processed"]
    yield from (f"turn {turn} hangs (S8)" for turn in outcome.hanging)
    if not set(processed) <= {item["id"] for item in outcome.items} or len(set(processed)) != len(processed):
        yield "items are read that are not there, or twice (S6)"
    if len(processed) + state["waiting"] != len(outcome.items):
        yield f"{len(outcome.items)} items, {len(processed)} read, {state['waiting']} waiting (S8)"
    if state["waiting"] and not state["error"]:
        yield "items wait without a stored error (S8)"
    if state["error"] and state["error"]["attempts"] > outcome.turns:
        yield f"{state['error']['attempts']} attempts in {outcome.turns} turns (S8)"
    if not set(outcome.failures) <= MESSAGES:
        yield f"a stored error is not in our words: {set(outcome.failures) - MESSAGES} (S8)"
    reasons = {dropped["reason"] for row in outcome.log for dropped in row["dropped"]}
    if not reasons <= set(Reason):
        yield f"unknown reasons: {reasons - set(Reason)} (S6)"
