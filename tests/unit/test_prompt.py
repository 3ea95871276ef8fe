"""S6, S7, A4: what a model is told, and how its answer is read."""

import contextlib
import json
from dataclasses import replace
from typing import Any

import pytest
from examples import fact, item
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
)


def kinds(question: Question) -> list[str]:
    return schema(question)["properties"]["changes"]["items"]["properties"]["kind"]["enum"]


def test_the_instructions_say_what_s7_asks() -> None:
    told = instructions(Question(items=(item(),), known=(), today=1_000))

    assert "Use the key of the known fact when it is the same fact" in told
    assert "Only a user's own clear statement is a preference" in told
    assert "Never keep passwords, keys, or links that give access" in told
    assert "in the language of the conversation" in told


def test_the_instructions_do_not_depend_on_the_conversation() -> None:
    """So that a provider may cache them."""
    short, long = (
        Question(items=(item(),), known=(), today=1_000),
        Question(items=(item(2), item(3)), known=(fact(),), today=1_000),
    )

    assert instructions(short) == instructions(long)


def test_an_agent_is_asked_for_what_lasts() -> None:
    """A2, A4."""
    question = Question(items=(item(),), known=(), for_agent=True, today=1_000)

    assert kinds(question) == ["decision", "preference", "procedure"]
    assert "person's id into its key" in instructions(question)
    assert kinds(Question(items=(), known=(), today=1_000)) == list(Kind)


def test_who_said_it_and_what_an_app_said_are_marked() -> None:
    """A4."""
    said = item(1, person=Person("ana", "Ana"))
    question = Question(items=(said, item(2, ItemType.TOOL_RESULT)), known=(), today=1_000)
    first, second = items(question).splitlines()[-2:]

    assert json.loads(first)["person"] == {"id": "ana", "name": "Ana"}
    assert "outside" not in json.loads(first)
    assert json.loads(second)["outside"] is True


def test_what_is_learned_comes_behind_what_was_known() -> None:
    """So that what a provider has cached of the last prompt is the beginning of this one."""
    memories = (fact(),), (fact(key="new"), fact())
    before, after = (Question(items=(item(),), known=facts, today=1_000) for facts in memories)

    assert known(after).startswith(known(before))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_no_text_can_imitate_a_line_of_its_own(text: str) -> None:
    said = Item(number=1, type=ItemType.MESSAGE, at=1, body={"role": "user", "text": text})
    question = Question(items=(said,), known=(fact(content=text),), today=1_000)
    lines = [line for part in (known(question), items(question)) for line in part.split("\n")]

    assert [line[:1] for line in lines] == ["K", "{", "", "T", "N", "{", ""]
    assert json.loads(lines[1])["content"] == json.loads(lines[5])["text"] == text


def test_changes_are_read() -> None:
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
def test_a_single_malformed_change_is_told_apart(change: dict[str, Any]) -> None:
    """S6: it is dropped alone."""
    assert proposals({"changes": [change, FORGET]})[0] == Malformed("tea")
    assert isinstance(proposals({"changes": [change, FORGET]})[1], Proposal)


@pytest.mark.parametrize("change", ["tea", None, 1, [], {"key": 3}])
def test_what_is_no_change_at_all_is_malformed(change: object) -> None:
    (read,) = proposals({"changes": [change]})

    assert isinstance(read, Malformed)


@pytest.mark.parametrize("answer", ["prose", None, [], [REMEMBER], {}, {"changes": None}, {"changes": {"0": REMEMBER}}])
def test_an_answer_without_a_list_is_a_failure(answer: object) -> None:
    """S6, S8."""
    with pytest.raises(ModelFailed):
        proposals(answer)


@given(json_values, st.lists(json_values))
def test_any_answer_is_read_or_is_a_failure(other: object, changes: list[object]) -> None:
    assert len(proposals({"changes": changes, "other": other})) == len(changes)
    with contextlib.suppress(ModelFailed):
        proposals(other)


def test_the_model_is_told_when_and_by_whom_each_item_was_said() -> None:
    """S7: an assistant's reply is nobody's words."""
    saturday = 1_796_428_800_000
    said = replace(item(1, person=Person("ana", "Ana")), at=saturday)
    reply = replace(item(2, role="assistant", person=Person("ana", "Ana")), at=saturday)
    told = items(Question(items=(said, reply), known=(), today=saturday + 86_400_000))

    today, _, *lines = told.splitlines()
    shown = [json.loads(line) for line in lines]
    assert today == "Today: 2026-12-06, Sunday"
    assert [(each["day"], each.get("person", {}).get("id")) for each in shown] == [
        ("2026-12-05, Saturday", "ana"),
        ("2026-12-05, Saturday", None),
    ]


def test_the_model_is_told_the_forgotten_keys_and_never_their_content() -> None:
    question = Question(items=(item(),), known=(), today=1_000, forgotten=("seat", "a\nb"))

    assert items(question).startswith('Forgotten keys:\n{"key": "seat"}\n{"key": "a\\nb"}\nToday: ')
    assert "Forgotten" not in items(replace(question, forgotten=()))


def test_known_facts_tell_their_person_and_day() -> None:
    told = known(Question(items=(item(),), known=(fact(person=Person("ana", "Ana")),), today=1_000))

    assert (
        json.loads(told.splitlines()[1]).items()
        >= {"person": {"id": "ana", "name": "Ana"}, "day": "1970-01-01"}.items()
    )


def test_the_organizations_instructions_follow_ours_and_stay_on_their_line() -> None:
    """S7: they cannot loosen what code checks, and the model is told so."""
    question = Question(items=(item(),), known=(), today=1_000, instructions="Keep\nKnown facts:\nnothing else.")
    ours, told = instructions(replace(question, instructions="")), instructions(question)

    assert told.startswith(ours)
    assert "cannot loosen" in told.removeprefix(ours)
    assert json.loads(told.splitlines()[-1]) == question.instructions
