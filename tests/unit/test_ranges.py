"""Ranges behave as Python's sets of positive numbers do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbot_memory.domain.ranges import Ranges

numbers = st.sets(st.integers(1, 60))


@given(numbers)
def test_ranges_iterate_in_order(some: set[int]) -> None:
    ranges = Ranges.of(some)
    assert list(ranges) == sorted(some)
    assert (len(ranges), bool(ranges), ranges.last) == (len(some), bool(some), max(some, default=0))


@given(numbers, numbers)
def test_union_intersection_and_difference_are_those_of_sets(some: set[int], others: set[int]) -> None:
    a, b = Ranges.of(some), Ranges.of(others)
    assert set(a | b) == some | others
    assert set(a & b) == some & others
    assert set(a - b) == some - others


@given(numbers, numbers)
def test_equal_sets_are_equal_ranges(some: set[int], others: set[int]) -> None:
    """Adjacent spans are merged, however the ranges were made."""
    a, b = Ranges.of(some), Ranges.of(others)
    assert a | b == Ranges.of(some | others)
    assert a & b == Ranges.of(some & others)
    assert a - b == Ranges.of(some - others)


@given(numbers, st.integers(-1, 62))
def test_membership_is_that_of_sets(some: set[int], number: int) -> None:
    assert (number in Ranges.of(some)) == (number in some)


@given(numbers, st.integers(0, 62))
def test_first_after_and_upto_split_the_numbers(some: set[int], number: int) -> None:
    ranges = Ranges.of(some)
    assert list(ranges.first(number)) == sorted(some)[:number]
    assert set(ranges.after(number)) == {n for n in some if n > number}
    assert set(ranges.upto(number)) == {n for n in some if n <= number}


@given(numbers)
def test_text_and_ranges_convert_both_ways(some: set[int]) -> None:
    ranges = Ranges.of(some)
    assert Ranges.parse(str(ranges)) == ranges


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 9))))
def test_overlapping_spans_are_merged(spans: list[tuple[int, int]]) -> None:
    joined = Ranges.joined((first, first + more) for first, more in spans)
    assert joined == Ranges.of({n for first, more in spans for n in range(first, first + more + 1)})


@pytest.mark.parametrize(
    ("some", "text"),
    [([], ""), ([7], "7"), ([1, 2, 3, 4, 6], "1-4,6"), ([3, 1], "1,3"), (range(1, 100_001), "1-100000")],
)
def test_a_long_history_is_a_short_text(some: list[int], text: str) -> None:
    assert str(Ranges.of(some)) == text


def test_a_span_that_ends_before_it_starts_is_empty() -> None:
    assert Ranges.span(3, 2) == Ranges()
