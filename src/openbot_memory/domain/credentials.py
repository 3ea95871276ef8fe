"""Finds the credentials that items state, so that a model's text which repeats one is known by it, whatever it says."""

import re
from collections.abc import Callable, Iterable, Iterator

type HoldsSecret = Callable[[str], bool]

SHORTEST = 4  # characters of a credential that only its sentence shows to be one
LONGEST = 1000  # characters that are looked at together
_SENTENCE_END = re.compile(r"\n|(?<=[.!?])\s+")
_LATIN = re.compile(r"[!-~À-ɏḀ-ỿ]+")  # as in a sentence of a script without spaces
_AROUND = ".,;:!?\"'`()[]{}<>«»„“”*|"


def stated(texts: Iterable[str], holds_secret: HoldsSecret) -> frozenset[str]:
    """The words with a digit without which a sentence that holds a credential would hold none (S7)."""
    return frozenset(
        word
        for sentence in _sentences(texts)
        if holds_secret(sentence)
        for word in {each.strip(_AROUND) for each in (*sentence.split(), *_LATIN.findall(sentence))}
        if len(word) >= SHORTEST and any(map(str.isdigit, word)) and not holds_secret(sentence.replace(word, ""))
    )


def or_says_again(holds_secret: HoldsSecret, texts: Iterable[str]) -> HoldsSecret:
    """As `holds_secret`, and so is what repeats a credential that the texts state."""
    given = stated(texts, holds_secret)
    return lambda text: holds_secret(text) or any(each in text for each in given)


def _sentences(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for sentence in _SENTENCE_END.split(text):
            yield from (sentence[at : at + LONGEST] for at in range(0, len(sentence), LONGEST))
