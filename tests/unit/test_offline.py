"""The deterministic extractor: a few forms of plain statements, English and German, from users' words only."""

import pytest
from examples import fact, item
from hypothesis import given
from hypothesis import strategies as st

from openbot_memory.domain.facts import Kind, Person
from openbot_memory.domain.items import Item, ItemType
from openbot_memory.domain.rules import Malformed, Proposal
from openbot_memory.domain.session import Tokens
from openbot_memory.models.offline import Offline
from openbot_memory.models.port import Question


def said(text: str, number: int = 1, role: str = "user", person: Person | None = None) -> Item:
    return Item(number=number, type=ItemType.MESSAGE, at=1, body={"role": role, "text": text}, person=person)


def learned(*items: Item, known: str | None = None, for_agent: bool = False) -> tuple[Proposal | Malformed, ...]:
    facts = (fact(key=known),) if known else ()
    answer = Offline().propose("offline", Question(items=items, known=facts, today=1_000, for_agent=for_agent))
    assert answer.tokens == Tokens()
    return answer.proposals


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        ("My trip budget is 1500 EUR.", Kind.FACT, "trip-budget"),
        ("The budget is now 1200 EUR.", Kind.FACT, "budget"),
        ("Mein Reisebudget beträgt 1.500 Euro.", Kind.FACT, "reisebudget"),
        ("I live in Berlin.", Kind.FACT, "live"),
        ("Ich wohne in Berlin.", Kind.FACT, "wohne"),
        ("Remember that Ana is allergic to nuts.", Kind.FACT, "ana-allergic-nuts"),
        ("Merk dir, dass Ben vegan isst.", Kind.FACT, "ben-vegan-isst"),
        ("I prefer short answers.", Kind.PREFERENCE, "short-answers"),
        ("I don't like long answers", Kind.PREFERENCE, "long-answers"),
        ("Ich mag kurze Antworten.", Kind.PREFERENCE, "kurze-antworten"),
        ("We decided to take the train.", Kind.DECISION, "take-train"),
        ("We'll go with Postgres.", Kind.DECISION, "postgres"),
        ("Wir haben entschieden, dass wir mit dem Zug fahren.", Kind.DECISION, "zug-fahren"),
        ("Wir haben uns für das Hotel am See entschieden.", Kind.DECISION, "hotel-see"),
        ("Always run the tests before you push.", Kind.PROCEDURE, "run-tests-before-you"),
        ("Before every release, run the tests.", Kind.PROCEDURE, "every-release"),
        ("Bitte immer vor dem Löschen fragen.", Kind.PROCEDURE, "vor-löschen-fragen"),
        ("Vor jedem Commit immer die Tests laufen lassen.", Kind.PROCEDURE, "jedem-commit"),
    ],
)
def test_a_plain_statement_is_learned_as_it_was_said(text: str, kind: Kind, key: str) -> None:
    assert learned(said(text)) == (Proposal(key=key, sources=("i-01",), content=text, kind=kind),)


@pytest.mark.parametrize(
    "text",
    [
        "Is my budget 1500 EUR?",
        "Hello.",
        "If my budget is 5 EUR, stop.",
        "",
        "budget",
        "Prefer short answers",
        "." * 99,
    ],
)
def test_all_else_is_passed_by(text: str) -> None:
    assert learned(said(text)) == ()


def test_only_users_are_read() -> None:
    """S7: an assistant's words are not the user's."""
    assert learned(said("I prefer tea.", role="assistant"), item(2, ItemType.TOOL_RESULT)) == ()


def test_each_sentence_is_read_and_a_number_is_no_end_of_one() -> None:
    first, second = learned(said("My budget is 1.500 EUR! I prefer tea.\nBye."))

    assert isinstance(first, Proposal)
    assert isinstance(second, Proposal)
    assert (first.content, second.content) == ("My budget is 1.500 EUR!", "I prefer tea.")


def test_the_same_fact_keeps_its_key() -> None:
    """S7."""
    (again,) = learned(said("The budget is 900 EUR."), known="trip-budget")

    assert again.key == "trip-budget"


def test_the_last_word_of_a_batch_counts() -> None:
    (only,) = learned(said("My budget is 900 EUR."), said("My budget is 800 EUR.", 2))

    assert only == Proposal(key="budget", sources=("i-02",), content="My budget is 800 EUR.", kind=Kind.FACT)


@pytest.mark.parametrize("text", ["Forget my budget.", "Bitte vergiss mein Budget."])
def test_a_known_fact_is_forgotten_on_demand(text: str) -> None:
    assert learned(said(text), known="budget") == (Proposal(key="budget", sources=("i-01",)),)
    assert learned(said(text)) == ()


def test_an_agents_preferences_are_kept_by_person() -> None:
    """A4, A7: what two people prefer stands side by side."""
    ana, ben = said("I prefer tea.", 1, person=Person("ana", "Ana")), said("I like tea.", 2, person=Person("ben", "B"))

    assert [each.key for each in learned(ana, ben, for_agent=True)] == ["ana-tea", "ben-tea"]


@given(st.lists(st.sampled_from("I my is prefer . , ! ? \n budget we decided always before forget ä 1.5".split(" "))))
def test_any_text_is_read(words: list[str]) -> None:
    for each in learned(said(" ".join(words))):
        assert isinstance(each, Proposal)
        assert each.sources == ("i-01",)
        assert 1 <= len(each.key) <= 128


def test_a_long_text_is_read_in_one_pass() -> None:
    """With work that grew as its square, 250 KB would take many minutes."""
    for part in ("a.", "I like ", "My a ", "! ", "we have decided that "):
        assert learned(said(part * (250_000 // len(part)))) is not None
