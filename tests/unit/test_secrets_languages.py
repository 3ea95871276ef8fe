"""S7: a credential is found in whatever language it is stated.

The texts stand in `secrets_*.txt` beside this file, one a line (`language | kind | text`); a speaker may add to them.
"""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from openbot_memory.secrets import holds_secret


class Line(NamedTuple):
    language: str
    kind: str
    text: str


def lines(name: str) -> list[Line]:
    text = (Path(__file__).parent / f"secrets_{name}.txt").read_text("utf-8")
    return [Line(*line.split(" | ", 2)) for line in text.split("\n") if line and not line.startswith("#")]


# Known to be missed; what is found one day is taken off the list.
MISSED = {
    'I changed the admin password to "sunflower" yesterday',
    "\u200fhunter22 هي كلمة المرور لقاعدة البيانات",
    "Kata sandi: mataharikuning",
    "hunter22 veritabanının şifresi",
}
FEWEST_FOUND = {"stated_held_out": 66, "stated_fresh": 32}  # as first measured: these only ever get better
MOST_FALSE_ALARMS = {"harmless_held_out": 0, "harmless_fresh": 1}


def test_credentials_are_found_in_every_language() -> None:
    """S7. All but those in `MISSED`, and none of these, so that the list stays true."""
    stated = lines("stated")
    missed = [line for line in stated if not holds_secret(line.text)]

    assert [line for line in missed if line.text not in MISSED] == []
    assert {line.text for line in missed} == MISSED


def test_harmless_texts_pass_in_every_language() -> None:
    assert [line for line in lines("harmless") if holds_secret(line.text)] == []


@pytest.mark.parametrize("name", [*FEWEST_FOUND, *MOST_FALSE_ALARMS])
def test_texts_that_nothing_is_tuned_for_fare_no_worse(name: str) -> None:
    """S7. The figures by kind are printed (`pytest -s`)."""
    tried = Counter(line.kind for line in lines(name))
    found = Counter(line.kind for line in lines(name) if holds_secret(line.text))
    print(name, *(f"{kind}: {found[kind]} of {tried[kind]}" for kind in tried), sep="\n  ")  # noqa: T201
    assert FEWEST_FOUND.get(name, 0) <= found.total() <= MOST_FALSE_ALARMS.get(name, tried.total())


def test_the_corpora_are_as_broad_as_they_say() -> None:
    tuned, held_out = ({line.language for line in lines(name)} for name in ("stated", "stated_held_out"))
    assert len(tuned - {"--", "en", "de"}) >= 25
    assert len(held_out) >= 6
    assert not tuned & held_out
    assert len(lines("stated")) >= 250
    assert len(lines("harmless")) >= 250


@pytest.mark.parametrize(
    "part", ["密码", "密码x", "пароль ", "pin ", "비밀번호는 ", "संकेत", "a\u0301", "docker ", "-p", "clave de "]
)
def test_a_long_text_in_any_script_is_judged(part: str) -> None:
    """S7. Work that grew with the square of the length would take most of a minute, and not 0.1 s."""
    assert not holds_secret(part * (100_000 // len(part.encode())))
