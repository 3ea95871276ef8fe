"""Whether what a model proposes was said by apps alone, whatever sources the model names (A4).

A proposal is compared with what apps said and with what its cited items of another origin say, in two ways: by hard
tokens, of which one is enough, and by words: how many of them apps alone say, in whose order, and who says the rest.
"""

import json
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from openbot_memory.domain.hard_tokens import Haystack, Token, hard_tokens, plain
from openbot_memory.domain.items import FROM_APPS, Item, ItemType
from openbot_memory.domain.wording import marks, pairs, sought, weight, words

# Shares of what a proposal says, tuned on one half of the corpora beside the tests and measured on the other.
MOST = 0.65  # of its words, by weight, are apps' alone
HALF = 0.5  # of its words are, and
COPIED = 0.35  # of its pairs of neighbouring words
SOME = 0.35  # of its words are, and
NOBODY = 0.1  # of those found are anyone else's

BLOCK = 40  # words of an app: an order stands close together; what a long text says here and there is chance
BLOCKS = 3  # that an order may be spread over
SOURCES = 2  # that a proposal's words may rest on: what the assistant found and the person's answer
EVERYWHERE = 32  # blocks; what stands in more counts for every block, so that a look-up has a bound


def only_outside(key: str, content: str, cited: Sequence[Item], shown: Sequence[Item]) -> bool:
    """Whether a proposal's substance is found in apps' items and in no cited item of another origin (A4).

    For the proposals of one batch, prepare `Outside.of(shown)` once.
    """
    return Outside.of(shown).only_outside(key, content, cited)


@dataclass(frozen=True, slots=True)
class Outside:
    """What apps said among the items that a model was shown, read once for all proposals of a batch."""

    apps: tuple[Item, ...]
    _said: "_Apps"
    _others: dict[int, "_Other"] = field(default_factory=dict[int, "_Other"])  # those cited so far, read once as well

    @classmethod
    def of(cls, shown: Iterable[Item]) -> "Outside":
        apps = tuple(sorted((item for item in shown if item.type in FROM_APPS), key=lambda item: item.number))
        return cls(apps, _Apps.of(apps))

    def only_outside(self, key: str, content: str, cited: Sequence[Item]) -> bool:
        """Whether apps alone said it. An app's item that is cited but was not shown counts as shown."""
        known = {item.number for item in self.apps}
        earlier = [item for item in cited if item.type in FROM_APPS and item.number not in known]
        if earlier:
            return Outside.of((*self.apps, *earlier)).only_outside(key, content, cited)
        if not self.apps:
            return False
        support = self._support(cited)
        key, content = plain(key), plain(content)
        return self._copies_token(f"{key}\n{content}", support) or self._says(_substance(key, content), support)

    def _support(self, cited: Sequence[Item]) -> "_Support":
        others = [item for item in cited if item.type not in FROM_APPS]
        for item in others:
            if item.number not in self._others:
                self._others[item.number] = _Other(item)
        last = max((item.number for item in others if item.from_user), default=0)
        return _Support([self._others[item.number] for item in others], last)

    def _copies_token(self, text: str, support: "_Support") -> bool:
        for token in hard_tokens(text):
            first = self._said.first(token)
            if first is not None and not any(other.text.holds(token) for other in support.of(first)):
                return True
        return False

    def _says(self, said: list[str], support: "_Support") -> bool:
        """Whether the words are apps' alone: most, or half of them in the apps' order, or some and nobody's else."""
        telling = {word: weight(word) for word in said if weight(word)}
        found = {word: self._said.find(sought(word)) for word in telling}
        backed = support.words(found, telling)
        alone = {word: where for word, where in found.items() if where.blocks and word not in backed}
        supported = sum(telling[word] for word in backed)
        near = _most({word: where.blocks for word, where in alone.items()}, telling, BLOCKS)
        total = sum(telling.values())
        outside = sum(telling[word] for word, found in alone.items() if found.meets(near))
        if not outside or outside < SOME * total:
            return False
        if outside >= MOST * total or supported <= NOBODY * (outside + supported):
            return True
        return outside >= HALF * total and self._copied(said, near, support) >= COPIED

    def _copied(self, said: list[str], near: frozenset[int], support: "_Support") -> float:
        """The share of neighbouring words that only apps put side by side."""
        every = set(pairs(said))
        apps = {pair: self._said.items[block] for block in near for pair in pairs(self._said.blocks[block])}
        copied = [
            pair for pair in every & apps.keys() if not any(pair in other.pairs for other in support.of(apps[pair]))
        ]
        return len(copied) / max(len(every), 1)


def _substance(key: str, content: str) -> list[str]:
    """The words of the content; with the key's where that says more, so that no order hides in a key."""
    label, said = list(words(key)), list(words(content))
    return [*label, *said] if sum(map(weight, label)) > sum(map(weight, said)) else said


class _Found(NamedTuple):
    """Where apps said something: in which item first (beyond all where they did not), and in which blocks of words."""

    first: int
    blocks: frozenset[int]

    def meets(self, near: frozenset[int]) -> bool:
        return len(self.blocks) > EVERYWHERE or not near.isdisjoint(self.blocks)


def _most(places: Mapping[str, Collection[int]], telling: Mapping[str, int], number: int) -> frozenset[int]:
    """The few places that together hold most of the words."""
    chosen = set[int]()
    for _ in range(number):
        held = Counter[int]()
        for word, where in places.items():
            if chosen.isdisjoint(where):
                held.update(dict.fromkeys(where, telling[word]))
        chosen.update(place for place, _ in held.most_common(1))
    return frozenset(chosen)


@dataclass(frozen=True, slots=True)
class _Apps:
    """The words of apps by their marks, and the texts."""

    texts: Sequence[tuple[int, Haystack]]
    blocks: Sequence[list[str]]
    items: Sequence[int]  # of each block, the number of its item
    index: Mapping[str, list[int]]

    @classmethod
    def of(cls, apps: Iterable[Item]) -> "_Apps":
        texts = [(item.number, plain(_text(item))) for item in apps]
        blocks, items, places = list[list[str]](), list[int](), dict[str, list[int]]()
        for number, text in texts:
            every = list(words(text))
            for start in range(0, len(every), BLOCK):
                blocks.append(every[start : start + BLOCK])
                items.append(number)
                for word in dict.fromkeys(blocks[-1]):
                    places.setdefault(word, []).append(len(blocks) - 1)
        return cls([(number, Haystack(text)) for number, text in texts], blocks, items, _by_marks(places))

    def first(self, token: Token) -> int | None:
        return next((number for number, text in self.texts if text.holds(token)), None)

    def find(self, near_words: Iterable[str]) -> _Found:
        found = frozenset(block for mark in near_words for block in self.index.get(mark, ()))
        return _Found(self.items[min(found)] if found else sys.maxsize, found)


def _by_marks(places: Mapping[str, list[int]]) -> Mapping[str, list[int]]:
    """In the order of the texts, so that the first block of a mark is the earliest."""
    index = dict[str, list[int]]()
    for word, blocks in places.items():
        for mark in marks(word):
            held = index.setdefault(mark, [])
            if len(held) <= EVERYWHERE:
                held.extend(blocks[: EVERYWHERE + 1])
    return index


class _Support(NamedTuple):
    """What is cited and comes from no app."""

    others: Sequence["_Other"]
    last_of_user: int  # the number of the last user's message among them

    def of(self, first: int) -> Iterable["_Other"]:
        """Those that can support what an app said first in item `first`.

        They are a person's, or were said before the app said it, or were said by the assistant and then seen by a
        person, who went on.
        """
        return (
            other
            for other in self.others
            if other.of_a_person
            or other.item.number < first
            or (other.item.type is ItemType.MESSAGE and other.item.number < self.last_of_user)
        )

    def words(self, found: Mapping[str, _Found], telling: Mapping[str, int]) -> frozenset[str]:
        """The words that the few of them say that say most, so that many sources are not more than good ones."""
        sayers = dict[str, list[int]]()
        for word, where in found.items():
            near_words = sought(word)
            sayers[word] = [other.item.number for other in self.of(where.first) if other.says(near_words)]
        best = _most(sayers, telling, SOURCES)
        return frozenset(word for word, numbers in sayers.items() if not best.isdisjoint(numbers))


class _Other:
    """An item that comes from no app."""

    def __init__(self, item: Item) -> None:
        self.item = item
        self.of_a_person = item.from_user or item.type is ItemType.APPROVAL
        self._text = plain(_text(item))

    @cached_property
    def text(self) -> Haystack:
        return Haystack(self._text)

    @cached_property
    def pairs(self) -> frozenset[str]:
        return frozenset(pairs(list(words(self._text))))

    @cached_property
    def _marks(self) -> frozenset[str]:
        return frozenset(mark for word in set(words(self._text)) for mark in marks(word))

    def says(self, near_words: Iterable[str]) -> bool:
        return not self._marks.isdisjoint(near_words)


def _text(item: Item) -> str:
    """What an item says: its text, or the arguments of a tool call."""
    arguments = item.body.get("arguments")
    return item.text if arguments is None else json.dumps(arguments, ensure_ascii=False)
