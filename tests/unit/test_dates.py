"""S7: relative times become dates, counted from the day on which a sentence was said."""

import tomllib
from datetime import date
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from openbot_memory.models.dates import day_of, resolved, with_weekday

SATURDAY = date(2026, 12, 5)
CORPUS: dict[str, list[list[str]]] = tomllib.loads(Path(__file__).with_name("relative_dates.toml").read_text())
UNTOUCHED: list[str] = tomllib.loads(Path(__file__).with_name("relative_dates.toml").read_text())["untouched"]
EVERY = [example[0] for example in CORPUS["tuned"] + CORPUS["held_out"]]
sentences = st.lists(st.sampled_from(EVERY)).map(" ".join) | st.text()


def test_a_relative_time_becomes_a_date() -> None:
    found = [
        (said, resolved(said, date.fromisoformat(day[0]) if day else SATURDAY), content)
        for said, content, *day in CORPUS["tuned"] + CORPUS["held_out"]
    ]

    assert [example for example in found if example[1] != example[2]] == []


def test_any_other_sentence_is_left_unchanged() -> None:
    assert [resolved(sentence, SATURDAY) for sentence in UNTOUCHED] == UNTOUCHED


@given(sentences, st.dates())
def test_a_resolved_sentence_is_not_changed_again(sentence: str, day: date) -> None:
    once = resolved(sentence, day)

    assert resolved(once, SATURDAY) == once


def test_days_and_weekdays_are_in_utc() -> None:
    """S7."""
    assert with_weekday(day_of(1_796_515_199_999)) == "2026-12-05, Saturday"
    assert with_weekday(day_of(1_796_515_200_000)) == "2026-12-06, Sunday"
