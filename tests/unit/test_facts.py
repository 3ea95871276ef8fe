"""Keys and contents: which are kept unchanged, and which are refused."""

import unicodedata
from collections.abc import Callable

import pytest
from examples import keys, texts
from hypothesis import given

from openbot_memory.domain.errors import InvalidRequest
from openbot_memory.domain.facts import clean_content, clean_key

DISTINCT = (
    *("tea", "Tea", "TEA", "tea/green", "tea.green", "tea green", " tea", "tea ", "#tea", "..", "/", "%2F", "'"),
    *("tée", "tee", "Tür", "Tur", "ß", "ss", "ﬁ", "fi", "１", "1", "🍵", "👩‍👩‍👧", "茶", "чай", "\u200b", "\u202e"),
)


def refusal(check: Callable[..., str], *arguments: object) -> dict[str, object]:
    with pytest.raises(InvalidRequest) as caught:
        check(*arguments)
    return caught.value.fields


@pytest.mark.parametrize("key", DISTINCT, ids=ascii)
def test_a_key_is_kept_unchanged(key: str) -> None:
    assert clean_key(key) == key


def test_similar_keys_stay_distinct() -> None:
    assert len({clean_key(key) for key in DISTINCT}) == len(DISTINCT)


def test_a_key_in_composed_and_decomposed_unicode_is_one() -> None:
    assert clean_key("Tu\u0308r") == clean_key("Tür") == "Tür"


@pytest.mark.parametrize("key", ["", "x" * 129, "🍵" * 129], ids=["empty", "129 letters", "129 emoji"])
def test_an_empty_key_and_one_of_over_128_characters_are_refused(key: str) -> None:
    fields = refusal(clean_key, key, "command.key")
    assert (fields["limit"], fields["length"]) == (128, len(key))
    assert fields["issues"] == [{"path": "command.key", "message": "A key has 1 to 128 characters."}]


def test_a_key_may_have_128_characters() -> None:
    assert clean_key("🍵" * 128) == "🍵" * 128


def test_a_keys_length_counts_after_normalization() -> None:
    assert len(clean_key("u\u0308" * 128)) == 128


@pytest.mark.parametrize("character", ["\0", "\n", "\t", "\x1b", "\x7f", "\x85", "\u2028", "\u2029"], ids=ascii)
def test_a_control_character_in_a_key_is_refused(character: str) -> None:
    refusal(clean_key, f"te{character}a")


@pytest.mark.parametrize("surrogate", ["\ud83c", "a\udf75"], ids=ascii)
def test_a_lone_surrogate_is_refused(surrogate: str) -> None:
    refusal(clean_key, f"tea{surrogate}")
    refusal(clean_content, f"tea{surrogate}", 2000)


@pytest.mark.parametrize("content", ["", " ", "\n\t", "\u3000\u2028"], ids=ascii)
def test_blank_content_is_refused(content: str) -> None:
    assert refusal(clean_content, content, 2000)["issues"]


def test_content_that_is_too_long_is_refused_with_limit_and_length() -> None:
    """S4: never cut."""
    fields = refusal(clean_content, "🍵" * 2001, 2000, "command.content")
    assert (fields["limit"], fields["length"]) == (2000, 2001)


def test_content_may_be_as_long_as_the_limit() -> None:
    assert clean_content("🍵" * 2000, 2000) == "🍵" * 2000


@pytest.mark.parametrize("content", [" tea \n", "a\0b", "u\u0308", "\u202eaet", "# Tea\n\n- green"], ids=ascii)
def test_content_is_kept_unchanged(content: str) -> None:
    assert clean_content(content, 2000) == content


@given(keys)
def test_a_clean_key_is_normalized_and_stays_so(key: str) -> None:
    assert clean_key(key) == clean_key(clean_key(key)) == unicodedata.normalize("NFC", key)


@given(texts)
def test_content_is_returned_unchanged_or_refused(content: str) -> None:
    try:
        assert clean_content(content, 200) == content
    except InvalidRequest:
        assert len(content) > 200 or not content.strip()
