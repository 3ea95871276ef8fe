"""S6: a forgotten fact is recognized in other spellings, and different facts are kept apart."""

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from examples import fact
from hypothesis import given
from hypothesis import strategies as st

from openbot_memory.domain.facts import Person
from openbot_memory.domain.lookalike import content_marks, folded, folded_key, marks, sought

CORPUS = json.loads((Path(__file__).parent / "lookalikes.json").read_text())
ANA, BEN = Person("ana", "Ana"), Person("ben", "Ben")
anything = st.text(st.characters(), max_size=60)  # lone surrogates included
INVISIBLE = ["\u200b", "\u200d", "\u00ad", "\u2060", "\ufe0f", "\u202e", "\u034f", "\U000e0041"]


def unrecognized(fold: Callable[[str], str], examples: list[tuple[str, list[str]]]) -> list[tuple[str, str]]:
    """Each text with those of its spellings that fold to something else."""
    return [(text, spelling) for text, spellings in examples for spelling in spellings if fold(spelling) != fold(text)]


def test_a_key_is_recognized_in_any_spelling() -> None:
    assert unrecognized(folded_key, CORPUS["keys"]) == []


def test_a_content_is_recognized_in_any_spelling() -> None:
    assert unrecognized(folded, CORPUS["contents"]) == []


@pytest.mark.parametrize("group", CORPUS["different"], ids=lambda group: group[0])
def test_different_texts_are_kept_apart(group: list[str]) -> None:
    """The texts of a group share words but differ in meaning."""
    assert len({folded(text) for text in group}) == len(group)


def test_the_corpus_has_the_documented_size() -> None:
    spellings = sum(len(spellings) for _, spellings in [*CORPUS["keys"], *CORPUS["contents"]])
    pairs = sum(len(group) * (len(group) - 1) // 2 for group in CORPUS["different"])
    assert (spellings, pairs) == (CORPUS["spellings"], CORPUS["pairs"])
    assert spellings >= 120
    assert pairs >= 500


@given(anything)
def test_folding_is_idempotent(text: str) -> None:
    assert folded(folded(text)) == folded(text)


@given(anything)
def test_composition_does_not_matter(text: str) -> None:
    assert folded(unicodedata.normalize("NFD", text)) == folded(unicodedata.normalize("NFC", text))


@given(st.text(st.characters(categories=["Ll", "Lu", "Nd"]), min_size=1), st.sampled_from(INVISIBLE), st.integers(0, 9))
def test_invisible_characters_do_not_matter(text: str, invisible: str, at: int) -> None:
    assert folded(text[:at] + invisible + text[at:]) == folded(text)


@given(st.text("abc123 -_.,!", min_size=1), anything)
def test_a_text_never_folds_to_nothing(text: str, other: str) -> None:
    assert folded(text)
    assert folded(other) or not other


@pytest.mark.parametrize("text", ["?", "!", "…", "—", "😀", "\u200b"])
def test_texts_of_punctuation_only_are_kept_apart(text: str) -> None:
    assert [folded(each) for each in ["?", "!", "…", "—", "😀", "\u200b"]].count(folded(text)) == 1


@pytest.mark.parametrize(
    ("forgotten_of", "proposed_of", "known"),
    [(ANA, ANA, True), (ANA, BEN, False), (ANA, None, True), (None, ANA, True), (None, None, True)],
)
def test_another_persons_same_words_are_another_fact(
    forgotten_of: Person | None,
    proposed_of: Person | None,
    known: bool,  # noqa: FBT001
) -> None:
    forgotten = set(content_marks(fact(content="I prefer short answers.", person=forgotten_of), "acme"))
    _, contents = sought("other", "I prefer SHORT answers", proposed_of, "acme")

    assert (not contents.isdisjoint(forgotten)) == known


def test_marks_are_an_organizations_own() -> None:
    assert set(marks(fact(), "acme")).isdisjoint(marks(fact(), "globex"))


def test_the_key_is_found_whoever_says_it() -> None:
    key, _ = sought("TEA!", "something else", BEN, "acme")
    assert key in marks(fact("tea", person=ANA), "acme")
