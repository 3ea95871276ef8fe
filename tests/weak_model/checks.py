"""Checks the final state of a session against each rule that no answer of a model may violate."""

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
    *(message for message, _ in FAILURES.values()),
    NO_ANSWER,
    "The model's answer was cut off.",
    "The model did not answer as it was asked.",
    "The model's answer has not the asked-for shape.",
}


def violations(outcome: Outcome) -> Iterator[str]:
    """Yield each violation of a rule, in words."""
    items = {item["id"]: item for item in outcome.items}
    for key, fact in outcome.memory["entries"].items():
        yield from (f"{key!r} {violation}" for violation in _fact(key, fact, items))
    yield from _remember_and_forget(outcome)
    yield from _credentials(outcome)
    yield from _reading(outcome)
    if len(outcome.text) > RULES.max_length:
        yield "its memory text is too long (S4)"


def _fact(key: str, fact: Json, items: Json) -> Iterator[str]:
    sources, content = fact["sources"], fact["content"]
    if not sources or not set(sources) <= items.keys():
        yield f"has sources that are not items of the session: {sources} (S6)"
    from_user = any(items.get(each, {}).get("role") == "user" for each in sources)
    by_hand = any(items.get(each, {}).get("type") == "memory" for each in sources)
    if fact["kind"] == "preference" and not (from_user or by_hand):
        yield "is a preference without a user's message as its source (S7)"
    if any(map(holds_secret, (key, content, f"{key}: {content}"))):
        yield "holds a credential (S7)"
    if not (content.strip() and len(content) <= RULES.max_content and 1 <= len(key) <= MAX_KEY):
        yield "exceeds the limits (S4)"
    if fact["kind"] not in set(Kind):
        yield f"has an unknown kind: {fact['kind']} (S2)"


def _remember_and_forget(outcome: Outcome) -> Iterator[str]:
    """S6: a fact that a person forgot stays as it was."""
    for step in outcome.conversation.steps:
        if isinstance(step, Forgotten):
            fact = outcome.memory["entries"].get(step.key, {})
            if (fact.get("status"), fact.get("content")) != ("retracted", step.content):
                yield f"{step.key!r} was forgotten, and is {fact} (S6)"


def _credentials(outcome: Outcome) -> Iterator[str]:
    """S7: a credential is nowhere but in the item that states it."""
    views = {"memory": outcome.memory, "log": outcome.log, "memory text": outcome.text, "state": outcome.view}
    for view, shown in views.items():
        if any(secret in json.dumps(shown, ensure_ascii=False) for secret in outcome.conversation.secrets):
            yield f"its {view} holds a credential (S7)"


def _reading(outcome: Outcome) -> Iterator[str]:
    """S8: each turn ended; each item was read once, or waits with a stored error in the service's own words."""
    state, processed = outcome.view["memory"]["consolidation"], outcome.memory["processed"]
    yield from (f"turn {turn} was neither read nor failed (S8)" for turn in outcome.hanging)
    if not set(processed) <= {item["id"] for item in outcome.items} or len(set(processed)) != len(processed):
        yield "items were read that do not exist, or were read twice (S6)"
    if len(processed) + state["waiting"] != len(outcome.items):
        yield f"{len(outcome.items)} items, {len(processed)} read, {state['waiting']} waiting (S8)"
    if state["waiting"] and not state["error"]:
        yield "items wait without a stored error (S8)"
    if state["error"] and state["error"]["attempts"] > outcome.turns:
        yield f"{state['error']['attempts']} attempts in {outcome.turns} turns (S8)"
    if not set(outcome.failures) <= MESSAGES:
        yield f"a stored error is not one of the service's messages: {set(outcome.failures) - MESSAGES} (S8)"
    reasons = {dropped["reason"] for row in outcome.log for dropped in row["dropped"]}
    if not reasons <= set(Reason):
        yield f"unknown reasons: {reasons - set(Reason)} (S6)"
