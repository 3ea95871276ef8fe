"""The step of a session from one version to the next (S11, S12)."""

from dataclasses import replace

import pytest
from examples import fact
from hypothesis import given
from hypothesis import strategies as st

from openbot_memory.domain.facts import Fact, Status
from openbot_memory.domain.ranges import Ranges
from openbot_memory.domain.session import (
    Session,
    Tally,
    Timeline,
    Tokens,
    Trigger,
    Version,
    advance,
    fold,
    version_id,
    version_step,
)
from openbot_memory.domain.settings import Configure, Organization, effective
from openbot_memory.domain.text import line

FIRST = Session(
    id="s-1", agent=None, model="m", head="v-000000001", generation="g", created_at=1_000, updated_at=1_000,
    timeline=Timeline(steps=Ranges.span(1, 1)),
)  # fmt: skip

statuses = st.sampled_from(Status)
facts = st.builds(fact, st.sampled_from("abcd"), st.text(max_size=9), status=statuses, updated_at=st.integers(0, 9))
histories = st.lists(st.lists(facts, max_size=4, unique_by=lambda each: each.key), max_size=6)


def version(step: int, *changes: Fact) -> Version:
    return Version(
        id=version_id(step, "00000000"), step=step, at=1_000, trigger=Trigger.TURN, timeline=Timeline(), changes=changes
    )


def counted(memory: dict[str, Fact]) -> Tally:
    active = [each for each in memory.values() if each.active]
    return Tally(keys=len(memory), active=len(active), characters=sum(len(line(each)) for each in active))


def test_a_new_version_increments_step_and_revision() -> None:
    after = advance(FIRST, head="v-2", at=2_000, timeline=FIRST.timeline)
    assert (after.step, after.revision, after.head, after.updated_at) == (2, 2, "v-2", 2_000)
    assert after.timeline.steps == Ranges.span(1, 2)


def test_configuring_increments_the_revision_but_not_the_step() -> None:
    """S10: revision and step differ, and both only grow."""
    configured = replace(FIRST, revision=7)
    after = advance(configured, head="v-2", at=2_000, timeline=configured.timeline)
    assert (after.revision, after.step) == (8, 2)


def test_new_items_move_the_next_item_number() -> None:
    after = advance(FIRST, head="v-2", at=2_000, timeline=Timeline(items=Ranges.span(1, 3)))
    assert after.next_item == 4


def test_a_rewind_never_reuses_an_item_number() -> None:
    """S12."""
    longer = replace(FIRST, next_item=9, timeline=Timeline(items=Ranges.span(1, 8)))
    after = advance(longer, head="v-2", at=2_000, timeline=Timeline(items=Ranges.span(1, 3)))
    assert after.next_item == 9


def test_the_unread_items_are_those_not_processed() -> None:
    assert Timeline(items=Ranges.parse("1-9"), processed=Ranges.parse("1-3,5")).unread == Ranges.parse("4,6-9")


def test_time_never_goes_backwards_within_a_session() -> None:
    """S4: facts are ordered by time."""
    assert FIRST.later(500) == 1_000
    assert FIRST.later(1_500) == 1_500


def test_a_changed_fact_is_counted_once() -> None:
    before = {"tea": fact()}
    changed = fact(content="black")
    assert counted(before).after([changed], before) == counted({"tea": changed})


def test_a_retracted_fact_is_a_key_but_not_active() -> None:
    before = {"tea": fact()}
    assert counted(before).after([fact(status=Status.RETRACTED)], before) == Tally(keys=1, active=0, characters=0)


@given(histories)
def test_the_tally_equals_a_count_of_all_facts(history: list[list[Fact]]) -> None:
    memory, tally = dict[str, Fact](), Tally()
    for changes in history:
        tally = tally.after(changes, memory)
        memory |= {each.key: each for each in changes}
    assert tally == counted(memory)


@given(histories)
def test_folding_versions_gives_the_last_fact_of_each_key(history: list[list[Fact]]) -> None:
    """S12."""
    memory = dict[str, Fact]()
    for changes in history:
        memory |= {each.key: each for each in changes}
    assert fold((version(step, *changes) for step, changes in enumerate(history, 1)), {}) == memory


def test_an_erased_fact_stays_erased_in_every_older_version() -> None:
    """S12: a rewind brings back no erased content."""
    stub = fact(content="", status=Status.RETRACTED, step=5)
    assert fold([version(2, fact(step=2))], {"tea": stub}) == {"tea": stub}


def test_a_fact_remembered_after_an_erasure_is_kept() -> None:
    later = fact(step=6)
    assert fold([version(6, later)], {"tea": fact(content="", status=Status.RETRACTED, step=5)}) == {"tea": later}


@given(histories)
def test_the_tally_of_an_advancing_session_matches_its_folded_versions(history: list[list[Fact]]) -> None:
    session, memory = FIRST, dict[str, Fact]()
    for changes in history:
        session = advance(session, head="v", at=2_000, timeline=session.timeline, changes=changes, before=memory)
        memory |= {each.key: each for each in changes}
    assert session.tally == counted(memory)
    assert session.step == len(history) + 1 == len(session.timeline.steps)


@given(st.integers(0, 2**48 - 1), st.text("0123456789abcdef", min_size=8, max_size=8))
def test_a_version_id_contains_its_step(step: int, random: str) -> None:
    assert version_step(version_id(step, random)) == step


def test_a_version_id_has_the_documented_form() -> None:
    assert version_id(33, "7d21abcd") == "v-7d21abcd21"


@pytest.mark.parametrize(
    "text",
    ["", "v-", "v-7d21abcd", "v-7d21abcdXY", "v-7d21abcd-1", "v-7d21abcd" + "1" * 13, "v-7d21abcd²", "v-7d21abcd 1"],
)
def test_an_id_without_a_step_is_rejected(text: str) -> None:
    assert version_step(text) is None


def test_tokens_add_up() -> None:
    assert Tokens(1, 2).plus(Tokens(10, 20)) == Tokens(11, 22)


@pytest.mark.parametrize(
    ("overrides", "use", "generate"),
    [({}, True, False), ({"use": False}, False, False), ({"generate": True}, True, True)],
)
def test_a_sessions_overrides_win_over_the_organizations_settings(
    overrides: dict[str, bool], *, use: bool, generate: bool
) -> None:
    """S3."""
    assert effective(Organization(generate=False), overrides) == {"use": use, "generate": generate}


def test_configure_sets_and_removes_overrides_and_keeps_the_others() -> None:
    """S10."""
    assert Configure({"use": None, "generate": True}).apply({"use": False}) == {"generate": True}
    assert Configure().apply({"use": False}) == {"use": False}
