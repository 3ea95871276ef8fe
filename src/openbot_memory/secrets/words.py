"""The words of `words.toml`, read once, in the form in which texts are searched for them."""

import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

NOUN_KINDS = ("password", "perhaps", "code", "door_code", "key", "any_key", "phrase", "no_noun")
# In the form that `plain` gives to texts, by the two steps that matter here: `plain` itself would take 4 ms more.
_TEXT = unicodedata.normalize("NFKC", Path(__file__).with_name("words.toml").read_text("utf-8"))
_LANGUAGES = tomllib.loads(_TEXT.replace("\u200c", "").replace("\u200d", ""))


def _words(name: str, language: str | None = None) -> Iterator[str]:
    for section in [_LANGUAGES[language]] if language else _LANGUAGES.values():
        yield from (word.strip() for word in section.get(name, "").split(",") if word.strip())


@dataclass(frozen=True, slots=True)
class Noun:
    """A word that may announce a credential; `before` and `behind` say whether letters may stand there as well."""

    word: str
    kind: str
    languages: frozenset[str]
    before: bool
    behind: bool


def _all_nouns() -> Iterator[Noun]:
    languages = dict[tuple[str, str], set[str]]()
    for language in _LANGUAGES:
        for kind in NOUN_KINDS:
            for word in _words(kind, language):
                languages.setdefault((word, kind), set()).add(language)
    for (word, kind), among in languages.items():
        for spelling in {word.strip("*"), word.strip("*").replace(" ", "")}:
            yield Noun(spelling, kind, frozenset(among), word.startswith("*"), word.endswith("*"))


class WordList:
    """Words and patterns (`oubli*`, `*able`) of all languages, or of one; `word in list` says whether one fits."""

    def __init__(self, name: str, language: str | None = None) -> None:
        words = frozenset(_words(name, language))
        self.whole = frozenset(word for word in words if "*" not in word)
        self.parts = [(start, end) for start, _, end in (word.partition("*") for word in words - self.whole)]
        self._fits = lru_cache(1000)(self._looks_up)

    def __contains__(self, word: str) -> bool:
        return self._fits(word)

    def _looks_up(self, word: str) -> bool:
        return word in self.whole or any(
            word.startswith(start) and word.endswith(end) and len(word) >= len(start + end) for start, end in self.parts
        )


def _by_word(name: str) -> dict[str, frozenset[str]]:
    found = dict[str, set[str]]()
    for language in _LANGUAGES:
        for word in _words(name, language):
            found.setdefault(word.strip("*"), set()).add(language)
    return {word: frozenset(languages) for word, languages in found.items()}


NOUNS = tuple(_all_nouns())
IS, TO, SAID_BEFORE = _by_word("is"), _by_word("to"), _by_word("said_before")
# Links that are written without spaces around them, the longest first.
GLUED = sorted({w.strip("*") for name in ("is", "to") for w in _words(name) if "*" in w}, key=len, reverse=True)
PLAIN = frozenset(language for language, section in _LANGUAGES.items() if section.get("plain"))
VERB_LAST = frozenset(language for language, section in _LANGUAGES.items() if section.get("verb_last"))
