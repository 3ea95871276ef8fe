"""The `offline` model: it extracts some forms of plain statements, in English and German, from users' messages."""

from dataclasses import replace

import pytest
from examples import fact, item
from hypothesis import given
from hypothesis import strategies as st

from openbot_memory.domain.facts import Fact, Kind, Person
from openbot_memory.domain.items import Item, ItemType
from openbot_memory.domain.rules import Malformed, Proposal
from openbot_memory.domain.session import Tokens
from openbot_memory.models.offline import Offline
from openbot_memory.models.port import Question

ANA, BEN = Person("ana", "Ana"), Person("ben", "Ben")


def said(text: str, number: int = 1, role: str = "user", person: Person | None = None) -> Item:
    return Item(number=number, type=ItemType.MESSAGE, at=1, body={"role": role, "text": text}, person=person)


def learned(*items: Item, known: str | None = None, for_agent: bool = False) -> tuple[Proposal | Malformed, ...]:
    facts = (fact(key=known),) if known else ()
    return proposed(Question(items=items, known=facts, today=0, for_agent=for_agent))


def proposed(question: Question) -> tuple[Proposal | Malformed, ...]:
    answer = Offline().propose("offline", question)
    assert answer.tokens == Tokens()
    return answer.proposals


def stated(*items: Item, known: tuple[Fact, ...] = (), forgotten: tuple[str, ...] = ()) -> dict[str, str | None]:
    """Key and content of what is proposed; None as content forgets."""
    question = Question(items=items, known=known, forgotten=forgotten, today=0)
    return {each.key: each.content for each in proposed(question) if isinstance(each, Proposal)}


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
def test_other_texts_are_ignored(text: str) -> None:
    assert learned(said(text)) == ()


def test_only_users_are_read() -> None:
    """S7: an assistant's words are not the user's."""
    assert learned(said("I prefer tea.", role="assistant"), item(2, ItemType.TOOL_RESULT)) == ()


def test_each_sentence_is_read_and_a_number_does_not_end_one() -> None:
    first, second = learned(said("My budget is 1.500 EUR! I prefer tea.\nBye."))

    assert isinstance(first, Proposal)
    assert isinstance(second, Proposal)
    assert (first.content, second.content) == ("My budget is 1.500 EUR!", "I prefer tea.")


def test_the_same_fact_keeps_its_key() -> None:
    """S7."""
    (again,) = learned(said("The budget is 900 EUR."), known="trip-budget")

    assert again.key == "trip-budget"


def test_the_last_statement_of_a_batch_wins() -> None:
    (only,) = learned(said("My budget is 900 EUR."), said("My budget is 800 EUR.", 2))

    assert only == Proposal(key="budget", sources=("i-02",), content="My budget is 800 EUR.", kind=Kind.FACT)


@pytest.mark.parametrize("text", ["Forget my budget.", "Bitte vergiss mein Budget."])
def test_a_known_fact_is_forgotten_on_demand(text: str) -> None:
    assert learned(said(text), known="budget") == (Proposal(key="budget", sources=("i-01",)),)
    assert learned(said(text)) == ()


def test_an_agents_preferences_are_kept_by_person() -> None:
    """A4, A7: preferences of two people are kept side by side."""
    ana, ben = said("I prefer tea.", 1, person=ANA), said("I like tea.", 2, person=BEN)

    assert [each.key for each in learned(ana, ben, for_agent=True)] == ["ana-tea", "ben-tea"]
    assert [each.key for each in learned(ana, for_agent=True)] == ["ana-tea"]


def test_statements_of_several_persons_are_kept_apart() -> None:
    """S7: the person in key and content."""
    ana, ben = said("My budget is 100 EUR.", 1, person=ANA), said("My budget is 900 EUR.", 2, person=BEN)

    assert stated(ana, ben) == {
        "ana-budget": "Ana: My budget is 100 EUR.",
        "ben-budget": "Ben: My budget is 900 EUR.",
    }


def test_statements_of_a_single_person_carry_no_name() -> None:
    assert stated(said("My budget is 100 EUR.", person=ANA)) == {"budget": "My budget is 100 EUR."}


@pytest.mark.parametrize("key", ["budget", "trip-budget", "ana-budget"])
def test_a_known_fact_of_another_person_is_never_replaced(key: str) -> None:
    """S7."""
    known = (fact(key=key, person=ANA), fact(key="cleo-budget", person=Person("cleo", "Cleo")))

    assert stated(said("My budget is 900 EUR.", person=BEN), known=known) == {
        "ben-budget": "Ben: My budget is 900 EUR.",
    }


def test_each_person_replaces_their_own_known_fact() -> None:
    """S7: the same key for the same fact."""
    known = (fact(key="budget", person=ANA), fact(key="ben-budget", person=BEN))
    ana, ben = said("My budget is 120 EUR.", 1, person=ANA), said("My budget is 800 EUR.", 2, person=BEN)

    both = {"budget": "Ana: My budget is 120 EUR.", "ben-budget": "Ben: My budget is 800 EUR."}
    assert stated(ana, ben, known=known) == both
    assert stated(ana, known=known) | stated(ben, known=known) == both


def test_nobody_can_forget_the_fact_of_another_person() -> None:
    known = (fact(key="budget", person=ANA),)

    assert stated(said("Forget my budget.", person=BEN), known=known) == {}
    assert stated(said("Forget my budget.", person=ANA), known=known) == {"budget": None}


def test_a_person_without_a_name_is_called_by_id() -> None:
    ana, other = said("I live in Rome.", 1, person=ANA), said("I live in Bonn.", 2, person=Person("p-7", ""))

    assert stated(ana, other)["p-7-live"] == "p-7: I live in Bonn."


@pytest.mark.parametrize("identifier", ["x" * 128, "a b", "-", "ana-budget"])
def test_any_persons_id_becomes_part_of_a_valid_key(identifier: str) -> None:
    ana, other = (
        said("My budget is 1 EUR.", 1, person=ANA),
        said("My budget is 2 EUR.", 2, person=Person(identifier, "")),
    )

    keys = list(stated(ana, other))
    assert keys[0] == "ana-budget"
    assert keys[1].endswith("-budget")
    assert len(keys[1]) <= 128


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("The deadline is tomorrow.", "The deadline is on 2026-12-06."),
        ("We decided to meet in two weeks.", "We decided to meet on 2026-12-19."),
        ("Merk dir, dass Ben übermorgen kommt.", "Merk dir, dass Ben am 2026-12-07 kommt."),
        ("Always answer in two days.", "Always answer in two days."),
    ],
)
def test_relative_times_become_dates_except_in_procedures(text: str, content: str) -> None:
    """S7: counted from the day of the item, not from today."""
    saturday = replace(said(text), at=1_796_428_800_000)

    assert list(stated(saturday).values()) == [content]


def test_a_relative_time_is_not_part_of_a_key() -> None:
    assert list(stated(said("Remember that tomorrow Ana moves."))) == ["ana-moves"]


@pytest.mark.parametrize("forgotten", ["budget", "Trip_Budget", "BUDGET", "trip budget"])
def test_a_forgotten_fact_is_not_proposed_again(forgotten: str) -> None:
    """S6, S7: neither under its key nor under a look-alike key."""
    assert stated(said("The budget is 900 EUR. I prefer tea."), forgotten=(forgotten,)) == {"tea": "I prefer tea."}


def test_a_near_older_fact_keeps_its_key() -> None:
    """S7."""
    question = Question(items=(said("The budget is 900 EUR."),), known=(), near=(fact(key="trip-budget"),), today=0)

    assert [each.key for each in proposed(question)] == ["trip-budget"]


@given(st.lists(st.sampled_from("I my is prefer . , ! ? \n budget we decided always before forget ä 1.5".split(" "))))
def test_any_text_gives_valid_proposals(words: list[str]) -> None:
    for each in learned(said(" ".join(words))):
        assert isinstance(each, Proposal)
        assert each.sources == ("i-01",)
        assert 1 <= len(each.key) <= 128


def test_a_long_text_takes_linear_work() -> None:
    """With quadratic work, 250 KB would take many minutes."""
    for part in ("a.", "I like ", "My a ", "! ", "we have decided that "):
        assert learned(said(part * (250_000 // len(part)))) is not None


def test_the_number_of_statements_is_bounded() -> None:
    """Because each is compared with those before it."""
    assert len(learned(said(" ".join(f"I like x{number}y." for number in range(20_000))))) == 400
