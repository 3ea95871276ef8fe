"""S6, S7, A4: the prompt for a model, and the parsing of its answer."""

import contextlib
import json
from dataclasses import replace
from typing import Any

import pytest
from examples import fact, item, texts
from hypothesis import given
from hypothesis import strategies as st

from openbot_memory.domain.errors import ModelFailed
from openbot_memory.domain.facts import Kind, Person
from openbot_memory.domain.items import Item, ItemType
from openbot_memory.domain.rules import Malformed, Proposal
from openbot_memory.models.port import Question
from openbot_memory.models.prompt import instructions, items, known, proposals, schema

REMEMBER = {"action": "remember", "key": "tea", "content": "Green.", "kind": "fact", "sources": ["i-01"]}
FORGET = {"action": "forget", "key": "tea", "sources": ["i-01"]}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*REMEMBER, "other"]), inner),
    max_leaves=10,
)


SATURDAY = 1_796_428_800_000  # 2026-12-05, its first moment in UTC


def kinds(asked: Question) -> list[str]:
    return schema(asked)["properties"]["changes"]["items"]["properties"]["kind"]["enum"]


def question(**given: Any) -> Question:  # noqa: ANN401
    return replace(Question(items=(item(),), known=(), today=SATURDAY), **given)


def whole(asked: Question) -> str:
    """The prompt in the order in which a provider reads it."""
    return "\n".join([instructions(asked), known(asked), items(asked)])


@pytest.mark.parametrize("for_agent", [False, True])
@pytest.mark.parametrize(
    "rule",
    [
        "Use the key of the known fact when it is the same fact",
        "Only a user's own clear statement is a preference",
        "Never keep passwords, keys, or links that give access",
        "in the language of the conversation",
        "write dates in place of relative times",
        "put the person's id into the key and the person's name into the content",
        "Never propose such a fact again, under its own key or under any other name",
    ],
)
def test_the_instructions_say_what_s7_asks(rule: str, *, for_agent: bool) -> None:
    assert rule in instructions(question(for_agent=for_agent))


def test_the_instructions_do_not_depend_on_the_conversation() -> None:
    """So that a provider may cache them."""
    short = question(instructions="Be brief.")
    long = question(
        instructions="Be brief.", items=(item(2), item(3)), known=(fact(),), near=(fact(),), forgotten=("tea",), today=1
    )

    assert instructions(short) == instructions(long)


def test_only_durable_kinds_are_asked_for_an_agent() -> None:
    """A2, A4."""
    asked = question(for_agent=True)

    assert kinds(asked) == ["decision", "preference", "procedure"]
    assert "person's id into its key" in instructions(asked)
    assert kinds(question()) == list(Kind)


def test_the_organizations_own_instructions_follow_ours_and_are_marked_as_its_own() -> None:
    """S7."""
    ours, told = instructions(question()), instructions(question(instructions="Keep\nprices."))

    assert told.startswith(ours)
    assert told.endswith('Instructions of the organization:\n"Keep\\nprices."\n')
    assert "They cannot loosen the rules above" in told.removeprefix(ours)


def test_without_instructions_of_the_organization_none_are_mentioned() -> None:
    assert "organization" not in instructions(question())


def test_an_item_shows_its_day_its_person_and_whether_an_app_wrote_it() -> None:
    """S7, A4."""
    said = replace(item(1, person=Person("ana", "Ana")), at=SATURDAY)
    *_, first, second = items(question(items=(said, item(2, ItemType.TOOL_RESULT)))).splitlines()

    assert json.loads(first)["day"] == "2026-12-05, Saturday"
    assert json.loads(first)["person"] == {"id": "ana", "name": "Ana"}
    assert "outside" not in json.loads(first)
    assert json.loads(second)["day"] == "1970-01-01, Thursday"
    assert json.loads(second)["outside"] is True


def test_today_is_stated_with_its_weekday() -> None:
    """S7."""
    assert items(question()).startswith('Today:\n"2026-12-05, Saturday"\n')


@pytest.mark.parametrize("day", [0, 1_796_515_199_999, 1_796_515_200_000])
def test_a_day_ends_at_midnight_in_utc(day: int) -> None:
    """S7."""
    told = {
        0: "1970-01-01, Thursday",
        1_796_515_199_999: "2026-12-05, Saturday",
        1_796_515_200_000: "2026-12-06, Sunday",
    }

    assert f'"{told[day]}"' in items(question(today=day))


def test_a_known_fact_shows_its_person_and_its_day() -> None:
    """S7."""
    _, of_ana, of_nobody = known(
        question(known=(fact(), fact(person=Person("ana", "Ana"), updated_at=SATURDAY)))
    ).splitlines()

    assert json.loads(of_ana) == {
        "key": "tea",
        "kind": "fact",
        "day": "2026-12-05, Saturday",
        "person": {"id": "ana", "name": "Ana"},
        "content": "green",
    }
    assert "person" not in json.loads(of_nobody)


def test_older_facts_near_to_the_items_are_shown_with_the_items() -> None:
    """S7: they depend on the items, so they must not be part of the cached beginning."""
    asked = question(known=(fact(),), near=(fact(key="seat"),))

    assert '"key": "seat"' in items(asked)
    assert known(asked) == known(question(known=(fact(),)))


def test_forgotten_keys_are_listed_without_their_content() -> None:
    """S7."""
    assert known(question(forgotten=("seat", "tea"))).startswith('Forgotten keys:\n"tea"\n"seat"\nKnown facts:\n')
    assert "Forgotten keys:" not in known(question())


def test_new_facts_follow_those_known_before() -> None:
    """So that the beginning that a provider cached from the last prompt stays the same."""
    before = question(known=(fact(),), forgotten=("seat",))
    after = replace(before, known=(fact(key="new"), fact()), today=SATURDAY + 86_400_000, items=(item(2),))

    assert whole(after).startswith(instructions(before) + "\n" + known(before))


def test_newly_forgotten_keys_follow_those_forgotten_before() -> None:
    before, after = question(forgotten=("seat",)), question(forgotten=("tea", "seat"))

    assert known(after).startswith(known(before).removesuffix("Known facts:\n"))


def everywhere(text: str) -> list[str]:
    """The lines of a prompt with the text in all places for text from outside."""
    said = Item(number=1, type=ItemType.MESSAGE, at=1, body={"role": "user", "text": text}, person=Person(text, text))
    facts = (fact(key=text, content=text, person=Person(text, text)),)
    return whole(question(items=(said,), known=facts, near=facts, forgotten=(text,), instructions=text)).splitlines()


@given(texts)
def test_no_text_can_imitate_another_line_of_the_prompt(text: str) -> None:
    """S7."""
    plain, lines = everywhere("tulip"), everywhere(text)
    theirs = [at for at, line in enumerate(plain) if "tulip" in line]

    assert len(theirs) == len(["instructions", "forgotten", "known", "near", "item"])
    assert len(lines) == len(plain)
    for at, line in enumerate(lines):
        if at in theirs:
            assert repr(json.loads(line)) == repr(json.loads(plain[at])).replace("'tulip'", repr(text))
        else:
            assert line == plain[at]


def test_well_formed_changes_become_proposals() -> None:
    assert proposals({"changes": [REMEMBER, FORGET]}) == (
        Proposal(key="tea", sources=("i-01",), content="Green.", kind=Kind.FACT),
        Proposal(key="tea", sources=("i-01",)),
    )


@pytest.mark.parametrize(
    "change",
    [
        REMEMBER | {"kind": "rumour"},
        REMEMBER | {"content": None},
        REMEMBER | {"sources": "i-01"},
        REMEMBER | {"sources": [1]},
        REMEMBER | {"action": "replace"},
        {name: REMEMBER[name] for name in ("action", "key")},
    ],
)
def test_a_malformed_change_does_not_affect_the_others(change: dict[str, Any]) -> None:
    """S6: it is dropped alone."""
    assert proposals({"changes": [change, FORGET]})[0] == Malformed("tea")
    assert isinstance(proposals({"changes": [change, FORGET]})[1], Proposal)


@pytest.mark.parametrize("change", ["tea", None, 1, [], {"key": 3}])
def test_a_change_of_any_other_type_is_malformed(change: object) -> None:
    (read,) = proposals({"changes": [change]})

    assert isinstance(read, Malformed)


@pytest.mark.parametrize("answer", ["prose", None, [], [REMEMBER], {}, {"changes": None}, {"changes": {"0": REMEMBER}}])
def test_an_answer_without_a_list_is_a_failure(answer: object) -> None:
    """S6, S8."""
    with pytest.raises(ModelFailed):
        proposals(answer)


@given(json_values, st.lists(json_values))
def test_any_answer_is_parsed_or_is_a_failure(other: object, changes: list[object]) -> None:
    assert len(proposals({"changes": changes, "other": other})) == len(changes)
    with contextlib.suppress(ModelFailed):
        proposals(other)
