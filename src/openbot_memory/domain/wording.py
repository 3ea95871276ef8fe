"""Words and what makes two of them the same: a shared beginning or end, in any language (A4).

No list of words and no stemmer: an inflected form shares most of its beginning ("payment", "payments"), a compound
its end ("Bericht", "Wochenbericht"). Where a script puts no blanks between words, overlapping pieces of two or three
characters stand for them. Texts are in the plain form of `hard_tokens.plain`.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

_CHINESE = r"\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = r"\u3041-\u309f"
_NO_BLANKS = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
_RUN = re.compile(r"[^\W\d_]+")
# Compiled when first met (by `re`, which keeps them): the large ranges would cost each cold start some milliseconds.
_SCRIPTS = rf"[{_CHINESE}{_HIRAGANA}]+|[{_NO_BLANKS}]+|[\u30a0-\u30ff]+|[^{_CHINESE}\u3041-\u30ff{_NO_BLANKS}]+"
_PIECES = rf"(?=([{_CHINESE}{_HIRAGANA}]{{2}}|[{_NO_BLANKS}]{{3}}))"
_SPELT_OUT = re.compile(r"(?<!\w)\w(?:[\s.\-_·*]{1,3}\w(?!\w)){3,}")  # s p e l t
_BETWEEN = re.compile(r"[\W_]+")

_ARABIC = "\u0590", "\u07ff"  # and Hebrew: short vowels are not written
_PIECE = 3
_LONGEST = 24  # letters of a word that are looked at, so that an endless one costs no more


def words(text: str) -> Iterator[str]:
    """The words of a text in order, or the pieces that stand for them."""
    text = _SPELT_OUT.sub(lambda found: _BETWEEN.sub("", found[0]), text)
    for run in _RUN.findall(text):
        if run.isascii() or max(run) < "\u0e00":
            yield run[:_LONGEST]
        else:
            yield from _parts(run)


def _parts(run: str) -> Iterator[str]:
    """The pieces of a run of letters in scripts without blanks, and the words between them."""
    for part in re.findall(_SCRIPTS, run):
        pieces = re.findall(_PIECES, part)
        yield from pieces or [part[:_LONGEST]]


def weight(word: str) -> int:
    """How much a word tells: a long one more than a short one, which is often a function word."""
    if word[0] >= "\u2e80":
        return len(word) if max(word) > "\u30a0" else 0  # a piece of hiragana alone is grammar
    vowels = _ARABIC[0] <= word[0] <= _ARABIC[1]
    return max(min(len(word) + vowels, 8) - 2, 0)


def pairs(said: list[str]) -> Iterator[str]:
    """Each word with the next, cut to the beginnings that inflection leaves alone."""
    return (f"{one[:5]} {two[:5]}" for one, two in pairwise(said))


def marks(word: str) -> list[str]:
    """What a word of a text is found by."""
    if _is_piece(word):
        return [word]
    return [f"={word}", *_starts(word), *[f">{word[-length:]}" for length in _ends(word)]]


def sought(word: str) -> list[str]:
    """The marks of the words near to this one: a shared start, or one being the end of the other."""
    if _is_piece(word):
        return [word]
    return [f">{word}", *_starts(word), *[f"={word[-length:]}" for length in _ends(word)]]


def _is_piece(word: str) -> bool:
    return len(word) < _PIECE and word[0] >= "\u2e80"


def _starts(word: str) -> list[str]:
    length = len(word)
    return [f"<{word[:least]}" for least in range(min(max(round(0.62 * length), 4), length), length + 1)]


def _ends(word: str) -> range:
    vowels = _ARABIC[0] <= word[0] <= _ARABIC[1]
    return range(max(len(word) // 2, 3 if vowels else 5), len(word))
