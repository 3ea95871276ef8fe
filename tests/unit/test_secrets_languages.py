"""S7: credentials are found in many languages.

The texts are in `secrets_*.txt`, one in each line (`language | kind | text`); speakers are welcome to add some.
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


# Known to be missed; remove a text once it is found.
MISSED = {
    'I changed the admin password to "sunflower" yesterday',
    "\u200fhunter22 هي كلمة المرور لقاعدة البيانات",
    "Kata sandi: mataharikuning",
    "hunter22 veritabanının şifresi",
}
FEWEST_FOUND = {"stated_held_out": 66, "stated_fresh": 32}  # as first measured; these figures may only improve
MOST_FALSE_ALARMS = {"harmless_held_out": 0, "harmless_fresh": 1}


def test_credentials_are_found_in_every_language() -> None:
    """S7: all but those in `MISSED`, which are still missed."""
    stated = lines("stated")
    missed = [line for line in stated if not holds_secret(line.text)]

    assert [line for line in missed if line.text not in MISSED] == []
    assert {line.text for line in missed} == MISSED


def test_harmless_texts_pass_in_every_language() -> None:
    assert [line for line in lines("harmless") if holds_secret(line.text)] == []


@pytest.mark.parametrize("name", [*FEWEST_FOUND, *MOST_FALSE_ALARMS])
def test_figures_for_texts_held_out_of_the_tuning_get_no_worse(name: str) -> None:
    """S7: `pytest -s` prints the figures by kind."""
    tried = Counter(line.kind for line in lines(name))
    found = Counter(line.kind for line in lines(name) if holds_secret(line.text))
    print(name, *(f"{kind}: {found[kind]} of {tried[kind]}" for kind in tried), sep="\n  ")  # noqa: T201
    assert FEWEST_FOUND.get(name, 0) <= found.total() <= MOST_FALSE_ALARMS.get(name, tried.total())


def test_the_corpora_cover_as_many_languages_as_stated() -> None:
    tuned, held_out = ({line.language for line in lines(name)} for name in ("stated", "stated_held_out"))
    assert len(tuned - {"--", "en", "de"}) >= 25
    assert len(held_out) >= 6
    assert not tuned & held_out
    assert len(lines("stated")) >= 250
    assert len(lines("harmless")) >= 250


@pytest.mark.parametrize(
    "part", ["密码", "密码x", "пароль ", "pin ", "비밀번호는 ", "संकेत", "a\u0301", "docker ", "-p", "clave de "]
)
def test_a_long_text_in_any_script_takes_linear_work(part: str) -> None:
    """S7: work that grew with the square of the length would take most of a minute, and not 0.1 s."""
    assert not holds_secret(part * (100_000 // len(part.encode())))
