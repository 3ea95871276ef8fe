"""S7: texts that hold a credential are found, and texts that only mention one are not."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secrets_corpus import NEAR_MISSES, SECRETS, SHAPES
from secrets_fresh import FOUND, MISSED
from secrets_fresh import NEAR_MISSES as FRESH_NEAR_MISSES

from openbot_memory.domain.rules import reveals
from openbot_memory.secrets import holds_secret

ENV = {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
WORDS = """
    anna tea tuesday meeting project summer garden office report prefers likes works from home with short answers und
    der die das Projekt Bericht Sommer Garten Büro arbeitet gern dienstags kurze Antworten 12 2026 v2 10:30
"""
prose = st.lists(st.sampled_from(WORDS.split()), max_size=30).map(" ".join)


def test_every_credential_is_found() -> None:
    assert [text for text in [*SECRETS, *FOUND] if not holds_secret(text)] == []


def test_a_text_that_only_mentions_a_credential_passes() -> None:
    assert [text for text in [*NEAR_MISSES, *FRESH_NEAR_MISSES] if holds_secret(text)] == []


def test_every_text_listed_as_missed_is_still_missed() -> None:
    """Move a text to `FOUND` once it is found."""
    assert [text for text in MISSED if holds_secret(text)] == []


@given(st.sampled_from(SECRETS), prose, prose)
def test_a_credential_is_found_within_other_text(secret: str, before: str, after: str) -> None:
    assert holds_secret(f"{before}\n{secret}\n{after}")


@given(st.sampled_from(list(SHAPES.values())), prose, prose)
def test_a_key_of_a_known_shape_is_found_within_a_sentence(secret: str, before: str, after: str) -> None:
    assert holds_secret(f"{before} {secret} {after}")


@given(prose)
def test_ordinary_words_are_no_credential(text: str) -> None:
    assert not holds_secret(text)


@given(st.text())
def test_any_text_is_accepted(text: str) -> None:
    assert holds_secret(text) in {True, False}


@pytest.mark.parametrize(
    ("key", "content"),
    [("password", "hunter2"), ("wlan/passwort", "Sonnenblume"), ("PIN", "4711"), ("api-key", "9f8e7d6c5b4a")],
)
def test_key_and_content_are_a_credential_together(key: str, content: str) -> None:
    assert not holds_secret(key)
    assert not holds_secret(content)
    assert reveals(key, content, holds_secret)


@pytest.mark.parametrize(
    ("key", "content"),
    [("password", "not needed"), ("password-policy", "at least 12 characters"), ("token-budget", "4000 a day")],
)
def test_key_and_content_may_mention_a_credential_together(key: str, content: str) -> None:
    assert not reveals(key, content, holds_secret)


@pytest.mark.parametrize(
    "part",
    [
        "a",
        "A1",
        "-",
        " ",
        "\n",
        "-eyJ",
        "-----BEGIN ",
        "123456-",
        "a@b.c:",
        "login a ",
        "redis-cli ",
        "mit 4711 ",
        "pw is ",
        "://a:",
        "? token=",
        "/reset/",
        "x is my ",
        "1-",
        "(",
        "\u200b",
    ],
)
def test_a_long_text_made_to_be_slow_takes_linear_work(part: str) -> None:
    """Work that grew with the square of the length would take most of a minute, and not 0.1 s."""
    assert not holds_secret(part * (100_000 // len(part)))


def test_nothing_but_the_standard_library_is_loaded() -> None:
    code = "import sys, openbot_memory.secrets; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env=ENV)  # noqa: S603
    assert set(loaded.stdout.split()) <= sys.stdlib_module_names | {"__main__", "openbot_memory"}
