"""A2, A4, A8, A10: what an agent's memory asks beyond the rules of all memory."""

from dataclasses import replace

import pytest
from examples import fact, item, keys, texts
from hypothesis import given
from hypothesis import strategies as st

from openbot_memory.domain import durable
from openbot_memory.domain.facts import DURABLE, AgentSource, Fact, Kind, Person, Status
from openbot_memory.domain.items import Item, ItemType
from openbot_memory.domain.rules import Decision, MemoryRules, Newest, Reason

ANA = Person("ana", "Ana")
SAID, RESULT, BY_HAND = item(1, person=ANA), item(2, ItemType.TOOL_RESULT), item(3, ItemType.MEMORY, person=ANA)
ASSISTANT = item(4, role="assistant")
ITEMS = {each.id: each for each in (SAID, RESULT, BY_HAND, ASSISTANT)}


def promoted(*facts: Fact, entries: tuple[Fact, ...] = (), rules: MemoryRules | None = None, room: int = 9) -> Decision:
    limits = rules or MemoryRules(max_keys=len(entries) + room)
    newest = Newest(facts={each.key: each for each in entries}, keys=len(entries), generation="g", step=7, at=9_000)
    return durable.promote("s-1", facts, ITEMS, newest, limits, lambda text: "hunter2" in text)


def rule(*sources: Item, **fields: object) -> Fact:
    made = replace(fact(), kind=Kind.PROCEDURE, sources=tuple(each.id for each in sources or (SAID,)))
    return replace(made, **fields)


def test_an_entry_names_session_item_and_person() -> None:
    (entry,) = promoted(rule()).changes

    assert entry.sources == (AgentSource("s-1", "i-01"),)
    assert (entry.person, entry.step, entry.updated_at) == (ANA, 7, 1_000)


@pytest.mark.parametrize("kind", Kind)
def test_only_durable_facts_are_promoted(kind: Kind) -> None:
    """A2."""
    assert bool(promoted(rule(kind=kind)).changes) is (kind in DURABLE)


def test_a_retracted_fact_is_not_promoted() -> None:
    assert promoted(rule(status=Status.RETRACTED)) == Decision((), ())


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (rule(RESULT), Reason.ONLY_APP_RESULTS),
        (rule(SAID, RESULT, supported=False), Reason.ONLY_APP_RESULTS),  # only the app's was unread then
        (rule(ASSISTANT, kind=Kind.PREFERENCE), Reason.PREFERENCE_WITHOUT_USER),
        (rule(content="hunter2"), Reason.SECRET),
        (rule(content="x" * 2_001), Reason.TOO_LONG),
        (rule(sources=()), Reason.ONLY_APP_RESULTS),
    ],
)
def test_promotion_obeys_the_rules(changed: Fact, reason: Reason) -> None:
    """A4, A10: a limit checked on one path only would be a bug."""
    decision = promoted(changed)

    assert not decision.changes
    assert [dropped.reason for dropped in decision.dropped] == [reason]


def test_a_fact_remembered_by_hand_is_promoted() -> None:
    assert promoted(rule(BY_HAND, kind=Kind.PREFERENCE)).changes


def test_an_assistants_message_supports_only_if_the_rules_allow_it() -> None:
    """A4: an organization may distrust an assistant that repeats an app's words."""
    assert promoted(rule(ASSISTANT)).changes
    assert not promoted(rule(ASSISTANT), rules=MemoryRules(assistant_supports=False)).changes


@pytest.mark.parametrize(("at", "wins"), [(999, True), (1_000, False), (1_001, False)])
def test_the_newer_of_two_active_facts_wins(at: int, wins: bool) -> None:  # noqa: FBT001 - a case of the test
    """A10: at equal times nothing changes, so a second promotion changes nothing."""
    assert bool(promoted(rule(), entries=(rule(content="Old.", updated_at=at),)).changes) is wins


def test_a_retracted_entry_stays_retracted() -> None:
    """A4."""
    decision = promoted(rule(updated_at=5_000), entries=(rule(status=Status.RETRACTED),))

    assert [dropped.reason for dropped in decision.dropped] == [Reason.RETRACTED]


def test_a_full_memory_takes_no_new_key() -> None:
    decision = promoted(rule(key="a"), rule(key="b"), room=1)

    assert [entry.key for entry in decision.changes] == ["a"]
    assert [dropped.reason for dropped in decision.dropped] == [Reason.MEMORY_FULL]


@given(st.dictionaries(keys, texts, max_size=8))
def test_a_second_promotion_changes_nothing(contents: dict[str, str]) -> None:
    """A10."""
    facts = [rule(key=key, content=content) for key, content in contents.items()]

    assert promoted(*facts, entries=promoted(*facts).changes).changes == ()


def test_a_restore_changes_only_what_differs() -> None:
    same, other = rule(key="a"), rule(key="b", content="Old.")
    now = {"a": rule(key="a", step=5), "b": rule(key="b", content="New.", step=6)}

    (change,) = durable.restored({"a": same, "b": other}, now, 8)

    assert (change.content, change.step) == ("Old.", 8)
