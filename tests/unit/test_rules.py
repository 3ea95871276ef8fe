"""S6, S7, A2, A4: the rules that every change of memory goes through."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from examples import fact, item
from hypothesis import given
from hypothesis import strategies as st

from openbot_memory.domain.facts import DURABLE, AgentSource, Fact, Kind, Person, Status
from openbot_memory.domain.items import FROM_APPS, Item, ItemType
from openbot_memory.domain.rules import (
    MAX_CHANGES_BYTES,
    MAX_WRITES,
    Decision,
    Dropped,
    Evidence,
    Malformed,
    MemoryRules,
    Newest,
    Proposal,
    Reason,
    Snapshot,
    decide,
    proposed_keys,
    size_of,
)

ANNA, BEN = Person("p-1", "Anna"), Person("p-2", "Ben")
USER, ASSISTANT, RESULT, ACTION, APPROVAL, BY_HAND, READ, READ_USER, TRACE = (f"i-0{n}" for n in range(1, 10))
UNREAD_ITEMS = [
    item(1),
    item(2, role="assistant"),
    item(3, ItemType.TOOL_RESULT),
    item(4, ItemType.ACTION),
    item(5, ItemType.APPROVAL),
    item(6, ItemType.MEMORY),
]
READ_ITEMS = [item(7, role="assistant"), item(8)]
STEP, AT = 10, 5_000


def by_id(items: list[Item]) -> dict[str, Item]:
    return {each.id: each for each in items}


def names_hunter2(text: str) -> bool:
    return "hunter2" in text or text.startswith("password: swordfish")


def evidence(*, durable_only: bool = False, unread: list[Item] = UNREAD_ITEMS) -> Evidence:
    return Evidence(unread=by_id(unread), read=by_id(READ_ITEMS), durable_only=durable_only)


def propose(
    key: str = "tea", content: str | None = "green", sources: tuple[str, ...] = (USER,), kind: Kind = Kind.FACT
) -> Proposal:
    return Proposal(key=key, content=content, sources=sources, kind=kind)


def decided(
    *proposals: Proposal | Malformed,
    facts: Mapping[str, Fact] | None = None,
    seen: Snapshot | None = None,
    generation: str = "g",
    keys: int | None = None,
    by: Evidence | None = None,
    **limits: object,
) -> Decision:
    facts = facts or {}
    newest = Newest(facts=facts, keys=len(facts) if keys is None else keys, generation=generation, step=STEP, at=AT)
    shown = {key: each.step for key, each in facts.items()}
    seen = seen or Snapshot(step=STEP - 1, generation="g", shown=shown)
    return decide(proposals, by or evidence(), seen, newest, replace(MemoryRules(), **limits), names_hunter2)


def reasons(decision: Decision) -> list[Reason]:
    return [dropped.reason for dropped in decision.dropped]


# ---- What is accepted ----


def test_an_accepted_change_becomes_a_fact_of_this_step() -> None:
    assert decided(propose(kind=Kind.PREFERENCE)) == Decision(
        (fact("tea", "green", kind=Kind.PREFERENCE, sources=(USER,), updated_at=AT, step=STEP),), ()
    )


def test_a_known_fact_is_replaced() -> None:
    changes = decided(propose(content="black"), facts={"tea": fact()}).changes
    assert [each.content for each in changes] == ["black"]


def test_a_forgotten_fact_keeps_content_and_kind_for_people_to_see() -> None:
    before = fact(kind=Kind.DECISION, person=ANNA)
    (change,) = decided(propose(content=None), facts={"tea": before}).changes
    assert (change.status, change.content, change.kind, change.person) == (
        Status.RETRACTED,
        "green",
        Kind.DECISION,
        ANNA,
    )


def test_an_invalid_change_is_dropped_alone() -> None:
    decision = decided(propose("a"), propose("b", sources=()), propose("c"))
    assert [each.key for each in decision.changes] == ["a", "c"]
    assert decision.dropped == (Dropped("b", Reason.NO_UNREAD_SOURCE),)


def test_the_facts_of_one_change_are_in_order_of_their_keys() -> None:
    changes = decided(propose("b"), propose("c"), propose("a")).changes
    assert [(each.key, each.order) for each in changes] == [("a", 0), ("b", 1), ("c", 2)]


def test_a_key_is_normalized() -> None:
    assert [each.key for each in decided(propose("Tu\u0308r")).changes] == ["Tür"]


# ---- Sources (S6) ----


def test_sources_outside_the_history_are_removed() -> None:
    (change,) = decided(propose(sources=("i-99", USER, "nonsense", READ, USER))).changes
    assert change.sources == (USER, READ)


@pytest.mark.parametrize(
    "sources", [(), ("i-99",), (READ,), (BY_HAND,), ("",)], ids=["none", "unknown", "read before", "by hand", "empty"]
)
def test_a_change_without_an_unread_source_is_dropped(sources: tuple[str, ...]) -> None:
    assert reasons(decided(propose(sources=sources))) == [Reason.NO_UNREAD_SOURCE]


def test_a_change_made_by_hand_is_never_a_source() -> None:
    """S11."""
    (change,) = decided(propose(sources=(BY_HAND, USER))).changes
    assert change.sources == (USER,)


def test_an_agents_sources_name_session_and_item() -> None:
    """A4."""
    by = Evidence(unread=by_id(UNREAD_ITEMS), read={}, source=lambda each: AgentSource("s-1", each.id))
    assert decided(propose(), by=by).changes[0].sources == (AgentSource("s-1", USER),)


# ---- One change per key ----


def test_the_first_change_of_a_key_wins() -> None:
    decision = decided(propose(content="green"), propose(content="black"))
    assert [each.content for each in decision.changes] == ["green"]
    assert reasons(decision) == [Reason.SECOND_CHANGE]


def test_a_key_in_composed_and_decomposed_unicode_is_one() -> None:
    assert reasons(decided(propose("Tür"), propose("Tu\u0308r"))) == [Reason.SECOND_CHANGE]


def test_a_dropped_change_does_not_count_as_the_first() -> None:
    decision = decided(propose(content="green", sources=()), propose(content="black"))
    assert [each.content for each in decision.changes] == ["black"]


def test_keys_are_case_sensitive() -> None:
    assert len(decided(propose("tea"), propose("Tea")).changes) == 2


# ---- Retracted, unknown, changed meanwhile ----


@pytest.mark.parametrize("content", ["green", None])
def test_a_retracted_fact_stays_retracted(content: str | None) -> None:
    facts = {"tea": fact(status=Status.RETRACTED)}
    assert reasons(decided(propose(content=content), facts=facts)) == [Reason.RETRACTED]


def test_an_unknown_key_cannot_be_forgotten() -> None:
    assert reasons(decided(propose(content=None))) == [Reason.UNKNOWN_KEY]


@pytest.mark.parametrize("content", ["black", None])
def test_a_key_that_changed_while_the_model_worked_is_not_changed(content: str | None) -> None:
    """S5."""
    seen = Snapshot(step=3, generation="g", shown={"tea": 2})
    facts = {"tea": fact(step=4)}
    assert reasons(decided(propose(content=content), facts=facts, seen=seen)) == [Reason.CHANGED_MEANWHILE]


def test_a_key_that_was_added_while_the_model_worked_is_not_changed() -> None:
    seen = Snapshot(step=3, generation="g")
    assert reasons(decided(propose(), facts={"tea": fact(step=4)}, seen=seen)) == [Reason.CHANGED_MEANWHILE]


def test_a_key_that_disappeared_while_the_model_worked_is_not_changed() -> None:
    """S12: for example after a rewind to an earlier version."""
    seen = Snapshot(step=3, generation="g", shown={"tea": 2})
    assert reasons(decided(propose(), seen=seen, generation="h")) == [Reason.CHANGED_MEANWHILE]


def test_after_a_rewind_a_fact_that_the_model_saw_may_change() -> None:
    seen = Snapshot(step=3, generation="g", shown={"tea": 2})
    assert decided(propose(), facts={"tea": fact(step=2)}, seen=seen, generation="h").changes


def test_after_a_rewind_a_fact_that_the_model_did_not_see_may_not() -> None:
    seen = Snapshot(step=3, generation="g", shown={"tea": 3})
    facts = {"tea": fact(step=2)}
    assert reasons(decided(propose(), facts=facts, seen=seen, generation="h")) == [Reason.CHANGED_MEANWHILE]


def test_another_key_may_change_meanwhile() -> None:
    seen = Snapshot(step=3, generation="g")
    assert decided(propose("tea"), facts={"other": fact("other", step=4)}, seen=seen).changes


# ---- Shape, secrets and kinds ----


@pytest.mark.parametrize(
    "proposal",
    [
        Malformed("tea"),
        propose(""),
        propose("x" * 129),
        propose("te\na"),
        propose("tea\ud83c"),
        propose(content=" "),
        propose(content="\ud83c"),
    ],
    ids=["malformed", "no key", "long key", "line end", "surrogate in key", "blank", "surrogate"],
)
def test_a_change_of_the_wrong_shape_is_invalid(proposal: Proposal | Malformed) -> None:
    assert reasons(decided(proposal)) == [Reason.INVALID]


def test_content_over_the_limit_is_dropped_never_cut() -> None:
    """S4."""
    assert reasons(decided(propose(content="x" * 11), max_content=10)) == [Reason.TOO_LONG]
    assert decided(propose(content="x" * 10), max_content=10).changes


@pytest.mark.parametrize(
    ("key", "content"), [("tea", "it is hunter2"), ("hunter2", "tea"), ("password", "swordfish"), ("hunter2", None)]
)
def test_a_secret_in_key_content_or_both_together_is_dropped(key: str, content: str | None) -> None:
    """S7."""
    assert reasons(decided(propose(key, content))) == [Reason.SECRET]


@pytest.mark.parametrize(
    "proposal",
    [
        propose("hunter2"),
        Malformed("hunter2"),
        propose("hunter2", " "),
        propose("hunter2", "x" * 2001),
        propose("hunter2\n"),
    ],
    ids=["secret", "malformed", "blank", "too long", "no key"],
)
def test_the_log_never_shows_a_secret_key_whatever_the_reason(proposal: Proposal | Malformed) -> None:
    """S7."""
    assert [dropped.key for dropped in decided(proposal).dropped] == [""]


def test_the_log_shows_the_key_of_a_secret_content() -> None:
    assert decided(propose("tea", "hunter2")).dropped == (Dropped("tea", Reason.SECRET),)


def test_the_log_shows_no_more_than_a_keys_length_and_no_surrogate() -> None:
    decision = decided(propose("x" * 5000), propose("tea\ud83c"))
    assert [dropped.key for dropped in decision.dropped] == ["x" * 128, "tea?"]


@pytest.mark.parametrize("sources", [(ASSISTANT,), (RESULT, APPROVAL), (ASSISTANT, READ)])
def test_a_preference_needs_a_users_message(sources: tuple[str, ...]) -> None:
    """S7."""
    preference = propose(kind=Kind.PREFERENCE, sources=sources)
    assert reasons(decided(preference)) == [Reason.PREFERENCE_WITHOUT_USER]


def test_a_users_message_that_was_read_before_may_support_a_preference() -> None:
    assert decided(propose(kind=Kind.PREFERENCE, sources=(ASSISTANT, READ_USER))).changes


def test_forgetting_a_preference_needs_no_users_message() -> None:
    forgotten = propose(content=None, kind=Kind.PREFERENCE, sources=(ASSISTANT,))
    assert decided(forgotten, facts={"tea": fact()}).changes


# ---- An agent's memory (A2, A4) ----


@pytest.mark.parametrize("kind", Kind)
def test_only_durable_kinds_become_an_agents_memory(kind: Kind) -> None:
    """A2."""
    decision = decided(propose(kind=kind), by=evidence(durable_only=True))
    assert reasons(decision) == ([] if kind in DURABLE else [Reason.KIND_NOT_DURABLE])


@pytest.mark.parametrize("sources", [(RESULT,), (ACTION,), (RESULT, ACTION), (RESULT, READ), (RESULT, READ_USER)])
@pytest.mark.parametrize("content", ["green", None])
def test_a_proposal_supported_only_by_apps_is_dropped(sources: tuple[str, ...], content: str | None) -> None:
    """A4: at least one source is an unread item of another origin."""
    procedure = propose(content=content, kind=Kind.PROCEDURE, sources=sources)
    facts = {} if content else {"tea": fact()}
    assert reasons(decided(procedure, facts=facts, by=evidence(durable_only=True))) == [Reason.ONLY_APP_RESULTS]


@pytest.mark.parametrize("source", [USER, ASSISTANT, APPROVAL])
def test_an_apps_result_may_be_one_of_several_sources(source: str) -> None:
    procedure = propose(kind=Kind.PROCEDURE, sources=(RESULT, source))
    assert decided(procedure, by=evidence(durable_only=True)).changes[0].sources == (RESULT, source)


@pytest.mark.parametrize(("source", "accepted"), [(USER, True), (APPROVAL, True), (ASSISTANT, False)])
def test_an_assistants_message_supports_only_if_the_rules_allow_it(source: str, accepted: bool) -> None:  # noqa: FBT001 - a table
    procedure = propose(kind=Kind.PROCEDURE, sources=(RESULT, source))
    decision = decided(procedure, by=evidence(durable_only=True), assistant_supports=False)
    assert bool(decision.changes) is accepted


def test_in_a_session_an_apps_result_may_be_the_only_source() -> None:
    assert decided(propose(sources=(RESULT,))).changes


@pytest.mark.parametrize(
    ("persons", "person"),
    [([ANNA, None], None), ([ANNA, ANNA], ANNA), ([ANNA, BEN], None), ([None, None], None)],
    ids=["one and none", "the same", "two", "none"],
)
def test_an_entry_records_its_person_if_there_is_only_one(persons: list[Person | None], person: Person | None) -> None:
    unread = [item(number, person=each) for number, each in enumerate(persons, 1)]
    procedure = propose(kind=Kind.PROCEDURE, sources=("i-01", "i-02"))
    (change,) = decided(procedure, by=evidence(durable_only=True, unread=unread)).changes
    assert change.person == person


# ---- Limits of one change ----


def test_a_full_memory_takes_no_new_key() -> None:
    decision = decided(propose("new"), propose("tea"), facts={"tea": fact()}, keys=3, max_keys=3)
    assert [each.key for each in decision.changes] == ["tea"]
    assert decision.dropped == (Dropped("new", Reason.MEMORY_FULL),)


def test_the_new_keys_of_one_change_count_together() -> None:
    decision = decided(propose("a"), propose("b"), propose("c"), keys=1, max_keys=3)
    assert ([each.key for each in decision.changes], reasons(decision)) == (["a", "b"], [Reason.MEMORY_FULL])


def test_changes_beyond_one_write_are_dropped() -> None:
    decision = decided(*(propose(f"tea {n}") for n in range(1000)))
    assert len(decision.changes) == MAX_WRITES
    assert reasons(decision) == [Reason.TOO_MANY] * (1000 - MAX_WRITES)


def test_the_changes_content_fits_one_row() -> None:
    content = "🍵" * 2000  # 8000 bytes
    decision = decided(*(propose(f"tea {n}", content) for n in range(40)))
    assert len(decision.changes) == MAX_CHANGES_BYTES // size_of(decision.changes[0])
    assert set(reasons(decision)) == {Reason.TOO_MANY}
    assert decided(*(propose(f"tea {n}", content) for n in range(40)), propose("small")).changes[0].key == "small"


def test_every_reason_has_its_own_text() -> None:
    assert len({str(reason) for reason in Reason}) == len(Reason)


def test_the_proposed_keys_are_the_valid_ones_each_once() -> None:
    proposals = [propose("tea"), propose(""), Malformed(), propose("Tu\u0308r"), propose("Tür"), propose("tea")]
    assert proposed_keys(proposals) == ["tea", "Tür"]


# ---- Whatever is proposed ----

some_keys = st.sampled_from(
    ["tea", "Tea", "Tür", "Tu\u0308r", "password", "hunter2", "kept", "gone", "late", "", "x" * 200]
)
some_texts = (
    st.none()
    | st.sampled_from(["green", "hunter2", "swordfish", " ", "\ud83c", "x" * 50, "x" * 51])
    | st.text(max_size=60)
)
some_sources = st.lists(st.sampled_from([*by_id(UNREAD_ITEMS), *by_id(READ_ITEMS), "i-99", ""]), max_size=4).map(tuple)
proposals = st.lists(
    st.builds(propose, some_keys, some_texts, some_sources, kind=st.sampled_from(Kind))
    | st.builds(Malformed, some_keys),
    max_size=60,
)
BEFORE = {
    "kept": fact("kept", step=2),
    "gone": fact("gone", status=Status.RETRACTED),
    "late": fact("late", step=9),
}
SEEN = Snapshot(step=5, generation="g", shown={"kept": 2, "gone": 2, "late": 2})


@given(proposals, st.booleans(), st.booleans())
def test_whatever_is_proposed_the_accepted_changes_obey_all_rules(
    given_proposals: list[Proposal | Malformed],
    durable_only: bool,  # noqa: FBT001 - drawn
    assistant_supports: bool,  # noqa: FBT001 - drawn
) -> None:
    by = evidence(durable_only=durable_only)
    decision = decided(
        *given_proposals,
        facts=BEFORE,
        seen=SEEN,
        by=by,
        max_content=50,
        max_keys=5,
        assistant_supports=assistant_supports,
    )
    changes = decision.changes
    assert len(changes) + len(decision.dropped) == len(given_proposals)
    assert len({each.key for each in changes}) == len(changes) <= MAX_WRITES
    assert len({each.key for each in changes} | BEFORE.keys()) <= 5
    for each in changes:
        items = [by.unread.get(str(name)) or by.read[str(name)] for name in each.sources]
        unread = [by.unread[str(name)] for name in each.sources if name in by.unread]
        assert unread
        assert not any(source.type is ItemType.MEMORY for source in items)
        assert each.key not in {"gone", "late"}
        assert each.active or each.key == "kept"
        assert 0 < len(each.content) <= 50
        assert not names_hunter2(f"{each.key}: {each.content}")
        assert each.kind is not Kind.PREFERENCE or not each.active or any(source.from_user for source in items)
        assert not durable_only or not each.active or each.kind in DURABLE
        assert not durable_only or any(source.type not in FROM_APPS for source in unread)
        supports = [source for source in unread if source.from_user or source.type is ItemType.APPROVAL]
        assert not durable_only or assistant_supports or supports


@given(proposals)
def test_the_same_proposals_are_decided_the_same_way(given_proposals: list[Proposal | Malformed]) -> None:
    assert decided(*given_proposals, facts=BEFORE, seen=SEEN) == decided(*given_proposals, facts=BEFORE, seen=SEEN)
