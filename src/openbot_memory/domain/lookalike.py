"""Folds texts that look the same to a reader into one, so that a forgotten fact is known in any dress (S6)."""

import hashlib
import re
import unicodedata
from functools import cache

from openbot_memory.domain.confusables import PAIRS
from openbot_memory.domain.facts import Fact, Person

_IGNORABLE = re.compile(  # Unicode's Default_Ignorable_Code_Point, but for format characters, which a category tells
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
_MEANS_SOMETHING = frozenset("#%&@+<>=±×÷≤≥≠․‚∶∕−")  # C, C++ and C# are three languages
_BETWEEN_DIGITS = re.compile(r"(?<=\d)(?=\W)([^\w\s]?)\W*(?=\d)")
_NOBODY, _ANYBODY = "", "*"  # instead of a person's id: it is unknown; whoever it is
_SIGN = re.compile(r"(?:(?<=\s)|^)-(?=\d)")
_ACCENTS = re.compile("[\u0300-\u036f]")
_WITH_LATIN = re.compile(r"\w*[A-Za-z]\w*")  # in no other word is a capital taken for a Latin one
_SEPARATORS = {".": "․", ",": "‚", ":": "∶", "/": "∕", "-": "−"}  # kept between digits, as signs that _words keeps


@cache
def _confusables() -> dict[int, str]:
    return {ord(pair[0]): pair[1:] for pair in PAIRS.split()}


def folded(text: str) -> str:
    """The text without case, width, punctuation and invisible characters, look-alikes as one, words by one blank.

    Accents count, and so does what means something: signs, currencies, and what separates two numbers, so that 1.5 is
    not 15. Only characters outside of ASCII are mapped to what they look like, so that l, I and 1 stay apart.
    """
    text = _IGNORABLE.sub("", unicodedata.normalize("NFKC", text))
    text = _WITH_LATIN.sub(lambda word: word[0].translate(_confusables()), text).casefold()
    text = "".join(_plain(c) for c in unicodedata.normalize("NFD", text))
    text = unicodedata.normalize("NFC", text.translate(_confusables()))
    return _words(_SIGN.sub(" −", _BETWEEN_DIGITS.sub(_separator, text))) or _IGNORABLE.sub("", text).strip() or text


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
    data = f"{kind}:{text}".encode(errors="replace")
    return hashlib.blake2b(data, key=salt.encode()[:64], digest_size=16).hexdigest()


def _plain(char: str) -> str:
    """A digit of any script as its ASCII digit, dashes as one, format characters as nothing."""
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.decimal(char))
    return {"Cf": "", "Pd": "-"}.get(category, char)


def _separator(found: re.Match[str]) -> str:
    return _SEPARATORS.get(found[1], found[1] if found[1] in _SEPARATORS.values() else " ")


def _words(text: str) -> str:
    """Letters, digits and what means something; all other characters part words."""
    parts = (
        char
        if char in _MEANS_SOMETHING
        or unicodedata.category(char)[0] in "LMN"
        or unicodedata.category(char) in {"Sc", "So"}
        else " "
        for char in text
    )
    return " ".join("".join(parts).split())
