"""The facts nearest to a query, by the words and parts of words that they share with it, in any language.

BM25 over key and content. The terms of a text are its words, whole, and the trigrams of each word with a blank at
either end, so inflected and compounded forms are found without a stemmer for each language. Chinese, Japanese, Thai and
their like put no blanks between words: there, each character and each pair of neighbours is a term. No list of function
words is needed: the more facts have a term, the less it weighs.

A query may be a whole batch of messages. It is compared sentence by sentence, and the best of them counts, or a fact
that one sentence contradicts would be lost among those that share a little with each. What is nearest to one sentence
comes before what is second or third to another, so that none of them takes all the room.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import log
from operator import add
from typing import Protocol

from openbot_memory.domain.facts import Fact
from openbot_memory.domain.text import fitting, newest_first


class Ranking(Protocol):
    """One order of facts for a query; another, such as one by embeddings, may stand for it or be fused with it."""

    def __call__(self, query: str, facts: Sequence[Fact], least: float = 0) -> list[Fact]:
        """Return the facts that have anything in common with the query, nearest first; at equal rank, newest first.

        `least` leaves out those that come to less than this share of the nearest one's score.
        """
        ...


_LENGTH_COUNTS = 0.3  # BM25's b, low: a fact is about one thing, however long
_SATURATION = 0.9  # BM25's k1; how often one fact says a term counts for nothing
_LATER = 0.2  # how much less a fact counts for each that is nearer to the same sentence
_LEAST = 0.2  # of the best one's score: what a search finds
_MOST_ADDITIONS = 700_000  # bounds the time of a long query: its sentences share them, and begin with rare terms

_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u3099\u309a]")
_SENTENCE = re.compile("(?s).{40,}?(?:[!?\n\u061f\u0964\u3002]|[.;](?=\\s)|$)|.+")  # a shorter one joins the next
_UNSPACED = (
    "\u0e01-\u0e4e\u0e80-\u0edf\u1000-\u1049\u1780-\u17d3"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"  # kana and Han
)
_INDIC = "\u0900-\u0963\u0966-\u0dff"  # for `re`, a vowel sign would end a word
_RUN = re.compile(f"([{_UNSPACED}]+)|((?:[^\\W_{_UNSPACED}]+|[{_INDIC}]+)+)")


def ranked(query: str, facts: Sequence[Fact], least: float = 0) -> list[Fact]:
    """Rank lexically, as `Ranking` says. The time grows with the length of the query plus that of the facts."""
    newest = sorted(facts, key=newest_first)
    sentences = [_all_terms(text) for text in dict.fromkeys(_SENTENCE.findall(_folded(query)))]
    texts = list(map(_text, newest))
    holders = _holders(frozenset[str]().union(*sentences), texts)
    weight = {term: log(1 + (len(facts) - len(at) + 0.5) / (len(at) + 0.5)) for term, at in holders.items()}
    usual = sum(map(len, texts)) / max(1, len(texts))
    share = [1 / (1 + _SATURATION * (1 - _LENGTH_COUNTS + _LENGTH_COUNTS * len(text) / usual)) for text in texts]

    best: dict[int, float] = {}
    for terms in sentences:
        sums = _sums(terms, holders, weight, _MOST_ADDITIONS // len(sentences))
        scores = sorted((-total * share[at], at) for at, total in sums.items())
        for rank, (score, at) in enumerate(scores):
            best[at] = min(best.get(at, 0), score / (1 + _LATER * rank))

    found = sorted((score, at) for at, score in best.items())  # negative, so that the nearest and newest come first
    return [newest[at] for score, at in found if score <= least * found[0][0]]


def search(query: str, facts: Sequence[Fact]) -> list[Fact]:
    """Return what a search finds, best first: facts that have a word of the query or a near form of one."""
    words = [frozenset(_terms(chunk)) for chunk in set(_folded(query).split())]
    near = ranked(query, facts, _LEAST)
    return [fact for fact in near if _near(words, _all_terms(_text(fact)))]


def _near(words: Iterable[frozenset[str]], terms: frozenset[str]) -> bool:
    """Two common parts of one word are a near form; a single one is chance, unless the word has no more."""
    return any(word and len(word & terms) >= min(2, len(word)) for word in words)


def newest_and_nearest(facts: Sequence[Fact], query: str, room: int) -> tuple[list[Fact], list[Fact]]:
    """Choose from active facts, given newest first, what fits so many characters of memory text (S4, S7).

    Where not all fit, the newest take half of the room. The rest goes to those nearest to the query, and what these
    leave goes to the next newest.
    """
    every = list(fitting(facts, room))
    if len(every) == len(facts):
        return list(facts), []
    newest = list(fitting(facts, room // 2))
    others = facts[len(newest) :]
    nearest = ranked(query, others)
    keys = {fact.key for fact in nearest}
    left = room - sum(len(text) for _, text in newest)
    rest = fitting([*nearest, *(fact for fact in others if fact.key not in keys)], left)
    return [fact for fact, _ in newest], [fact for fact, _ in rest]


def _holders(wanted: frozenset[str], texts: Iterable[str]) -> dict[str, list[int]]:
    """Return, for each wanted term that any text has, the places of the texts that have it."""
    shared: dict[str, frozenset[str]] = {}  # of each chunk between blanks, which is looked at once
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for at, text in enumerate(texts):
        chunks = set(text.split())
        for chunk in chunks.difference(shared):  # unlike `-`, at the cost of the chunks alone
            shared[chunk] = wanted.intersection(_terms(chunk))
        for term in frozenset[str]().union(*map(shared.__getitem__, chunks)):
            holders[term].append(at)
    return holders


def _sums(
    terms: Iterable[str], holders: dict[str, list[int]], weight: dict[str, float], additions: int
) -> dict[int, float]:
    """Add up, for each text, what the terms weigh that it shares, the rarest first, as far as the additions go."""
    sums: defaultdict[int, float] = defaultdict(float)
    for term in sorted(weight.keys() & terms, key=lambda term: (len(holders[term]), term)):
        additions -= len(holders[term])
        if additions < 0 and sums:
            break
        for at in holders[term]:
            sums[at] += weight[term]
    return sums


def _text(fact: Fact) -> str:
    return _folded(f"{fact.key} {fact.content}")


def _folded(text: str) -> str:
    """Fold case, width and accents."""
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", text).casefold())


def _all_terms(text: str) -> frozenset[str]:
    return frozenset[str]().union(*map(_terms, set(text.split())))


def _terms(chunk: str) -> list[str]:
    """Cut what stands between two blanks into terms. A whole word has a mark, so that it is none of the trigrams."""
    terms: list[str] = []
    words: list[str] = []
    for unspaced, word in _RUN.findall(chunk):
        if unspaced:
            terms += unspaced
            terms += map(add, unspaced, unspaced[1:])
        else:
            words.append(word)
            padded = f" {word} "
            terms += [padded[i : i + 3] for i in range(len(word))]
    if len(words) > 1:  # 1,500 is also 1500, and INC-2041 INC2041
        words.append("".join(words))
    return terms + ["=" + word for word in words]
