"""Near forms of a word are found in any language, without a list of words (A4)."""

import pytest
from examples import texts
from hypothesis import given

from openbot_memory.domain.hard_tokens import plain
from openbot_memory.domain.wording import marks, sought, weight, words


def near(one: str, two: str) -> bool:
    first, second = words(plain(one)), words(plain(two))
    return not {mark for word in first for mark in marks(word)}.isdisjoint(
        mark for word in second for mark in sought(word)
    )


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("payment", "payments"),
        ("verschieben", "verschiebt"),
        ("Bericht", "Wochenbericht"),
        ("Überschrift", "Überschriften"),
        ("factura", "facturas"),
        ("отчёт", "отчёта"),
        ("تقرير", "التقرير"),
        ("보고서를", "보고서는"),
        ("周报", "每周周报"),
        ("ロジスティクス", "遠山ロジスティクス"),
        ("รายงาน", "ส่งรายงานทุกสัปดาห์"),
        ("s e c r e t l y", "secretly"),
    ],
)
def test_near_forms_of_a_word_are_matched(one: str, two: str) -> None:
    """A4."""
    assert near(one, two)
    assert near(two, one)


@pytest.mark.parametrize(
    ("one", "two"), [("contract", "contact"), ("information", "automation"), ("周报", "周末"), ("pay", "payroll")]
)
def test_other_words_are_not_matched(one: str, two: str) -> None:
    """A4."""
    assert not near(one, two)


def test_long_words_weigh_more_than_short_ones_and_particles_nothing() -> None:
    """A4."""
    assert weight("compliance") > weight("with") > weight("the") > weight("to") == weight("には") == 0


@given(texts)
def test_every_word_matches_itself(text: str) -> None:
    """A4."""
    assert all(not set(marks(word)).isdisjoint(sought(word)) for word in words(plain(text)))
