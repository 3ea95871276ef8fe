"""Items and their ids."""

import pytest
from examples import item
from hypothesis import given
from hypothesis import strategies as st

from openbot_memory.domain.items import Item, ItemType, item_id, item_number


@pytest.mark.parametrize(("number", "identifier"), [(1, "i-01"), (42, "i-42"), (100, "i-100"), (123_456, "i-123456")])
def test_an_id_has_two_digits_or_more(number: int, identifier: str) -> None:
    assert item_id(number) == identifier
    assert item(number).id == identifier


@given(st.integers(1, 10**17))
def test_an_id_is_parsed_to_its_number(number: int) -> None:
    assert item_number(item_id(number)) == number


NO_IDS = (
    *(
        "",
        "i-",
        "i-1",
        "i-001",
        "i-+1",
        "i--1",
        "i- 1",
        "i-1_0",
        "i-०१",
        "i-²²",
        "I-01",
        "j-01",
        "01",
        "i-01 ",
        "i-01\n",
    ),
    *("i-i-01", "i-" + "9" * 19, "i-" + "9" * 5000),
)


@pytest.mark.parametrize("text", NO_IDS, ids=lambda text: ascii(text[:12]))
def test_ids_that_the_service_never_writes_are_rejected(text: str) -> None:
    assert item_number(text) is None


@given(st.text(st.sampled_from("i-0123456789 _+²"), max_size=8))
def test_one_item_has_one_id(text: str) -> None:
    number = item_number(text)
    assert number is None or item_id(number) == text


def test_only_a_message_with_the_users_role_is_from_the_user() -> None:
    """S7."""
    assert item(role="user").from_user
    assert not item(role="assistant").from_user
    assert not item(item_type=ItemType.TOOL_RESULT).from_user


def test_an_item_without_a_text_has_an_empty_text() -> None:
    assert Item(number=1, type=ItemType.ACTION, at=0, body={"app": "mail"}).text == ""


def test_an_items_size_counts_all_that_is_shown_of_it() -> None:
    assert item().size == len("user") + len("I like green tea.")
