"""Folds texts that look the same to a reader into one, so that a forgotten fact is known in any dress (S6)."""

import hashlib
import re
import unicodedata
from collections.abc import Callable
from functools import cache

from openbot_memory.domain.confusables import PAIRS
from openbot_memory.domain.facts import Fact, Person

_NOBODY, _ANYBODY = "", "*"  # instead of a person's id: it is unknown; whoever it is

_ACCENTS = re.compile("[\u0300-\u036f]")
_IGNORABLE = re.compile(  # Unicode's Default_Ignorable_Code_Point, but for format characters, and Arabic's stretching
    "[\u034f\u0640\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
_POWER = re.compile("(?<=[0-9])(?=[²³¹⁰⁴-⁹])")  # 10² is not 102
_WORD, _LATIN = re.compile(r"\w+"), re.compile("[A-Za-z]")
_KANA_DASH = re.compile("(?<=[ァ-ヺ])[—―─]")  # for ー, which makes a vowel long

# Punctuation that means something is written as a sign that is kept: a sign before a number, what parts two numbers,
# and a mark behind one or two characters (A-, O+). 10 – 12 is 10-12, and neither is 1012.
_BEFORE_NUMBER = re.compile(r"(?:^|(?<=[\s($€£¥=<>+]))[-.~](?=\.?[0-9])")
_BETWEEN_NUMBERS = re.compile(r"(?<=[0-9])(?: [-/:] |[^\w\s])(?=[0-9])")
_BEHIND = re.compile(r"(?<=\w)(?<!\w\w\w)[-*](?![^\s.,;:!?)])")
_KEPT = dict(zip(".,:/-*~^", "․‚∶∕−∗∼⌃", strict=True))
_MEANS_SOMETHING = frozenset("#%&@‰") | frozenset(_KEPT.values())  # C, C++ and C# are three languages
_SIGNS = {"Sc", "Sm", "So"}  # currencies, mathematics, and others such as emoji
_WITHOUT_MEANING = frozenset("|~")


_MOST_REMEMBERED = 20_000  # characters, far more than texts of one service hold, and no more than 2 MB


class _Characters(dict[int, str]):
    """What becomes of each character, for `str.translate`; found out when a character is first met."""

    def __init__(self, find: Callable[[str], str]) -> None:
        self._find = find

    def __missing__(self, code: int) -> str:
        found = self._find(chr(code))
        if len(self) < _MOST_REMEMBERED:
            self[code] = found
        return found


@cache
def _look_alikes() -> dict[str, str]:
    return (
        {pair[0]: pair[1:] for pair in PAIRS.split()}
        | {kept: plain for plain, kept in _KEPT.items()}
        | {"⁄": "/", "٫": ".", "٬": ","}
    )


def _visible(char: str) -> str:
    return "" if unicodedata.category(char) == "Cf" or _IGNORABLE.match(char) else char


def _plain(char: str) -> str:
    """What it looks like; a digit of any script is its ASCII digit, and dashes are one."""
    if char.isascii():
        return char
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    return "-" if unicodedata.category(char) == "Pd" else _look_alikes().get(char, char)


def _part_of_word(char: str) -> str:
    """Letters with their marks, digits and what means something stay; all other characters part words."""
    category = unicodedata.category(char)
    stays = char in _MEANS_SOMETHING or category[0] in "LMN" or (category in _SIGNS and char not in _WITHOUT_MEANING)
    return char if stays else " "


_VISIBLE, _PLAIN, _PART_OF_WORD = map(_Characters, (_visible, _plain, _part_of_word))


def folded(text: str) -> str:
    """The text without case, width, punctuation and invisible characters, look-alikes as one, words by one blank.

    Two different facts stay different. Accents and vowel marks count: schon and schön are two words. So do signs,
    currencies, emoji, and what stands before, between and behind numbers: -5, 1.5, 1/2, A+. Only characters outside
    of ASCII are mapped to what they look like, and never letters to digits, so that l, I and 1 stay apart, and so do
    m and rn. A text without words is told apart by its punctuation, or by what is invisible.
    """
    seen = _KANA_DASH.sub("ー", _POWER.sub("^", text.translate(_VISIBLE)))
    seen = _WORD.sub(_as_latin, unicodedata.normalize("NFKC", seen)).casefold()
    seen = unicodedata.normalize("NFC", unicodedata.normalize("NFD", seen).translate(_PLAIN))
    words = _BEHIND.sub(_kept, _BETWEEN_NUMBERS.sub(_kept, _BEFORE_NUMBER.sub(_kept, seen)))
    return " ".join(words.translate(_PART_OF_WORD).split()) or seen.strip() or text


def _as_latin(word: re.Match[str]) -> str:
    """A word with a Latin letter has capitals that look like Latin ones; in no other word are they taken for them."""
    return word[0].translate(_PLAIN) if not word[0].isascii() and _LATIN.search(word[0]) else word[0]


def _kept(found: re.Match[str]) -> str:
    sign = found[0].strip()
    return _KEPT.get(sign, sign)


def folded_key(key: str) -> str:
    """As `folded`, without accents; `seat-preference`, `Seat Preference` and `seatPreference` are one key."""
    plain = _ACCENTS.sub("", unicodedata.normalize("NFD", folded(key)))
    return re.sub(r"(?<!\d) | (?!\d)", "", unicodedata.normalize("NFC", plain))


def marks(fact: Fact, salt: str) -> tuple[str, ...]:
    """The digests under which a forgotten fact is found again: of its key, and of its content with its person.

    `salt`: the organization, so that no digest equals another organization's.
    """
    return _digest("key", folded_key(fact.key), salt), *content_marks(fact, salt)


def content_marks(fact: Fact, salt: str) -> tuple[str, ...]:
    """Those of its content. An erased fact has kept them, for they do not tell the content."""
    if not fact.content:
        return fact.marks
    whose = (fact.person.id, _ANYBODY) if fact.person else (_NOBODY,)
    return tuple(_digest(f"content of {who}", folded(fact.content), salt) for who in whose)


def sought(key: str, content: str, person: Person | None, salt: str) -> tuple[str, frozenset[str]]:
    """The digests of a proposal that a forgotten fact of the same key or content has.

    Another person's same words are another fact; words of which nobody knows whose they are, may be anybody's.
    """
    whose = (person.id if person else _ANYBODY, _NOBODY)
    words = folded(content)
    return _digest("key", folded_key(key), salt), frozenset(_digest(f"content of {who}", words, salt) for who in whose)


def _digest(kind: str, text: str, salt: str) -> str:
    data = f"{kind}:{text}".encode(errors="surrogatepass")
    return hashlib.blake2b(data, key=salt.encode()[:64], digest_size=16).hexdigest()
