"""S7: facts are found by other forms of their words, in any language."""

import random
from functools import cache

import pytest
from asked import corpus, saying
from hypothesis import given
from hypothesis import strategies as st

from openbot_memory.domain import ranking
from openbot_memory.domain.facts import Fact
from openbot_memory.domain.ranking import newest_and_nearest, ranked, search
from openbot_memory.domain.text import line, newest_first

CHATTER = [
    saying(f"other-{n}", content) for n, content in enumerate(["The lift is slow.", "Das Dach ist dicht.", "雨天"])
]
texts = st.text(max_size=60)
memories = st.lists(
    st.builds(saying, st.text(min_size=1, max_size=8), texts, st.integers(0, 5)), max_size=8, unique_by=lambda f: f.key
)


@pytest.mark.parametrize(
    ("query", "content"),
    [
        pytest.param("cancelled", "One may cancel within a week.", id="an inflected word"),
        pytest.param("Reise", "Die Reisekosten trägt Jonas.", id="a part of a compound"),
        pytest.param("cafe ECOLE", "Le café près de l'école.", id="accents and case"),
        pytest.param("ＡＢＣ１２", "The code is abc12.", id="width"),
        pytest.param("Straße", "In der STRASSE 4.", id="sharp s"),
        pytest.param("inc2041", "INC-2041 was a full disk.", id="an identifier without its hyphen"),
        pytest.param("2041", "INC-2041 was a full disk.", id="a part of an identifier"),
        pytest.param("1500", "At most 1,500 EUR.", id="a number without its comma"),
        pytest.param("予算", "札幌への出張の予算は一人五万円です。", id="Japanese"),
        pytest.param("高铁", "王芳出差喜欢坐高铁。", id="Chinese"),
        pytest.param("รถไฟ", "มาลีชอบนั่งรถไฟ", id="Thai"),
        pytest.param("회의", "주간 회의를 한다.", id="Korean"),
        pytest.param("पासवर्ड", "पासवर्डों को बदलें।", id="Hindi"),
        pytest.param("قطار", "تفضل ليلى القطارات.", id="Arabic"),
        pytest.param("ISPARTA", "Isparta'da kaldı.", id="Turkish"),
    ],
)
def test_the_near_form_is_found_first(query: str, content: str) -> None:
    right = saying("right", content)
    assert ranked(query, [*CHATTER, right])[0] == right


def test_the_key_is_searched_too() -> None:
    assert [fact.key for fact in ranked("budget", [saying("trip-budget", "1500 EUR"), saying("tea", "Oolong")])] == [
        "trip-budget"
    ]


def test_a_rare_word_weighs_more_than_frequent_ones() -> None:
    facts = [saying(f"{n}", f"what is the thing of the {name}") for n, name in enumerate(["box", "cup", "hat", "jar"])]
    rare = saying("rare", "saxophone")
    assert ranked("what is the saxophone", [*facts, rare])[0] == rare


def test_a_fact_that_shares_nothing_with_the_query_is_not_found() -> None:
    assert ranked("zebra", CHATTER) == []
    assert ranked("?! …", CHATTER) == []
    assert ranked("zebra", []) == []


@pytest.mark.parametrize(
    ("query", "content"),
    [("train", "A trip."), ("budget", "The bus is blue."), ("茶室", "会議室で会う")],
)
def test_a_search_does_not_find_what_shares_one_part_of_a_word_by_chance(query: str, content: str) -> None:
    chance = saying("chance", content)
    assert ranked(query, [chance]) == [chance]
    assert search(query, [chance]) == []


def test_a_search_leaves_out_what_is_far_behind_the_best() -> None:
    best = saying("best", "The saxophone is in the cellar behind the boiler.")
    assert search("saxophone in the cellar", [best, saying("far", "The tea is in a tin."), *CHATTER]) == [best]


@given(texts.filter(str.isalnum), memories)
def test_a_search_finds_some_of_what_is_ranked_in_the_same_order(query: str, facts: list[Fact]) -> None:
    found, order = search(query, facts), ranked(query, facts)
    assert found == [fact for fact in order if fact in found]


def test_at_equal_rank_the_newest_comes_first() -> None:
    facts = [saying("b", "tea", 1), saying("a", "tea", 2), saying("c", "tea", 3)]
    assert [fact.key for fact in ranked("tea", facts)] == ["c", "a", "b"]


@given(texts, memories, st.randoms(use_true_random=False))
def test_the_order_of_the_facts_does_not_matter(query: str, facts: list[Fact], shuffling: random.Random) -> None:
    assert ranked(query, shuffling.sample(facts, len(facts))) == ranked(query, facts)


@given(texts.filter(str.isalnum), memories)
def test_a_fact_that_repeats_the_query_is_found(query: str, facts: list[Fact]) -> None:
    says = saying("it", query)
    assert says in ranked(query, [*facts, says])


@pytest.fixture
def terms_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Computes the terms of each word once, not once for each question: most of the time would go there."""
    monkeypatch.setattr(ranking, "_terms", cache(vars(ranking)["_terms"]))


@pytest.mark.usefixtures("terms_once")
@pytest.mark.parametrize("held_out", [False, True])
def test_nearly_every_question_finds_its_fact(*, held_out: bool) -> None:
    """At least nine of ten questions rank their fact first, and nearly all among the first five; see docs/search.md."""
    facts, questions = corpus()
    asked = [question for question in questions if question.held_out is held_out]
    ranks = [
        next(rank for rank, fact in enumerate(ranked(question.text, facts)) if fact.key in question.answers)
        for question in asked
    ]
    assert len(asked) >= 150
    assert sum(rank < 1 for rank in ranks) >= 0.9 * len(asked)
    assert sum(rank < 5 for rank in ranks) >= 0.97 * len(asked)


def test_a_match_with_one_sentence_outweighs_weak_matches_with_many() -> None:
    """So a fact is shown to the model whatever else is in the batch."""
    chatter = [
        f"What a fine {word} we had on the way, thank you so much for it!" for word in "day trip meal talk".split()
    ]
    right = saying("piano", "Rowan's piano is in Leeds.")
    wide = saying("wide", "What a fine day, trip, meal and talk on the way, thank you.", 1)
    query = " ".join([*chatter[:2], "By the way, Rowan has moved the piano from Leeds to Ghent.", *chatter[2:]])
    others = [saying(f"{n}", f"thank you so much for the fine {n}") for n in range(20)]
    assert ranked(query, [wide, *others, right])[0] == right


# ---- The newest and the nearest (S4, S7) ----


@given(texts, memories, st.integers(0, 600))
def test_the_newest_and_the_nearest_fit_and_differ(query: str, facts: list[Fact], room: int) -> None:
    given_ = sorted(facts, key=newest_first)
    newest, nearest = newest_and_nearest(given_, query, room)

    chosen = [*newest, *nearest]
    assert sum(len(line(fact)) for fact in chosen) <= room
    assert len({fact.key for fact in chosen}) == len(chosen)
    assert newest == given_[: len(newest)]
    assert not nearest or sum(len(line(fact)) for fact in newest) <= room // 2


@given(texts, memories)
def test_a_memory_that_fits_is_chosen_whole(query: str, facts: list[Fact]) -> None:
    newest = sorted(facts, key=newest_first)
    assert newest_and_nearest(newest, query, sum(len(line(fact)) for fact in facts)) == (newest, [])


def test_what_nothing_near_takes_goes_to_the_next_newest() -> None:
    facts = [saying(f"{number:02d}", "x" * 50, at=-number) for number in range(20)]
    newest, rest = newest_and_nearest(facts, "saxophone", 8 * len(line(facts[0])))
    assert [*newest, *rest] == facts[:8]
