"""The `offline` model: no language model, but a small deterministic extractor of plain statements, to try the service.

It reads only what users say, sentence by sentence, in English and German, and understands a sentence only where it has
one of a few forms: "My budget is ...", "I prefer ...", "We decided ...", "Always ... before ...", "Remember that ...".
It ignores everything else. The content is the sentence as it was said, but for two things (S7):

- Relative times become dates (dates.py). A procedure keeps them: "in two days" then counts from each time it is done.
- Where several persons speak, or a known fact is another person's, the person's id begins the key and the person's name
  the content: `ben-budget`, "Ben: My budget is 900 EUR."

It compares keys, not meanings: a fact whose key is a known or a forgotten one, or ends alike (`budget`, `trip-budget`),
is the same fact. The same fact in other words gets a new key, also where it was forgotten.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from openbot_memory.domain.facts import MAX_KEY, Kind, Person
from openbot_memory.domain.items import Item
from openbot_memory.domain.rules import Proposal
from openbot_memory.domain.session import Tokens
from openbot_memory.models.dates import day_of, resolved
from openbot_memory.models.port import Answer, Question

LONGEST = 400  # characters of a sentence that is plain enough
KEY_WORDS = 4
MAX_FOUND = 400  # in one question, far more than may stand: each is compared with all before it
MAX_ID = 64  # characters of a person's id in a key

_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s)[^.!?\n]*)*[.!?]?")

# What a sentence looks like from its first word on; `about` becomes the key.
_FORMS = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (Kind.FACT, r"(?:my|our) (?P<about>[\w -]{1,60}?) (?:is|are|was changed to) \S"),
        (Kind.FACT, r"(?:meine?|unsere?) (?P<about>[\w -]{1,60}?) (?:ist|sind|beträgt|lautet|liegt bei) \S"),
        (Kind.FACT, r"the (?P<about>(?:[\w-]{1,30} ){0,2}(?:budget|deadline|due date)) is \S"),
        (Kind.FACT, r"(?:das|der|die) (?P<about>[\w-]{0,30}(?:budget|termin|frist)) (?:ist|beträgt|liegt bei) \S"),
        (Kind.FACT, r"I (?P<about>live in|work at|work for|work as|am allergic to) \S"),
        (Kind.FACT, r"ich (?P<about>wohne in|lebe in|arbeite bei|arbeite als|heiße|bin allergisch gegen) \S"),
        (Kind.FACT, r"(?:please )?remember(?: that|:) (?P<about>.+)"),
        (Kind.FACT, r"(?:bitte )?(?:merke? dir|denk daran)(?:, dass|:) (?P<about>.+)"),
        (Kind.PREFERENCE, r"I(?:'d| would)? (?:really |always |usually )?(?:prefer|like|love|dislike) (?P<about>.+)"),
        (Kind.PREFERENCE, r"I (?:don't|do not) (?:like|want) (?P<about>.+)"),
        (
            Kind.PREFERENCE,
            r"ich (?:bevorzuge|mag|liebe|möchte lieber|hätte lieber|hätte gern|will lieber) (?P<about>.+)",
        ),
        (Kind.DECISION, r"(?:we|I)(?: have|'ve)? (?:decided|agreed|chosen)(?: that| to| on| for)? (?P<about>.+)"),
        (Kind.DECISION, r"(?:we|I)(?: wi|')ll go with (?P<about>.+)"),
        (Kind.DECISION, r"(?:wir haben|ich habe)(?: uns| mich)? (?:entschieden|beschlossen),? (?:dass )?(?P<about>.+)"),
        (Kind.DECISION, r"(?:wir haben uns|ich habe mich) für (?P<about>.+) entschieden\b"),
        (Kind.PROCEDURE, r"(?:please )?(?:always|never) (?P<about>.+)"),
        (Kind.PROCEDURE, r"(?:before|after) (?P<about>[^,]+), (?:always |never |please )?\w"),
        (Kind.PROCEDURE, r"(?:bitte )?(?:immer|nie|niemals) (?P<about>.+)"),
        (Kind.PROCEDURE, r"(?:vor|nach) (?P<about>(?:jede[rm]|dem|der) [^,]+?) (?:immer|nie|bitte) \w"),
    )
)
_FORGET = re.compile(r"(?:please )?forget (?:about )?(?P<about>.+)|(?:bitte )?vergiss (?P<about_de>.+)", re.IGNORECASE)

_FILLERS = frozenset(
    """
    a an and are be for have i in is it my of on our please that the this to us we will with
    am auf bei das dass dem den der die ein eine einen es für haben ich im ist mein meine mit sich sind und uns unser
    unsere von wir wird zu zum zur
    today tomorrow tonight yesterday gestern heute morgen vorgestern übermorgen
    """.split()
)


class Offline:
    def propose(self, _model: str, question: Question) -> Answer:
        """Find plain statements. The last of a batch wins where two have one key."""
        reader = _Reader(question)
        for item in question.items:
            for sentence in _sentences(item):
                reader.read(sentence, item)
        return Answer(proposals=tuple(reader.found.values()), tokens=Tokens())


def _sentences(item: Item) -> Iterator[str]:
    if item.from_user:
        sentences = (found[0].strip() for found in _SENTENCE.finditer(item.text))
        yield from (each for each in sentences if len(each) <= LONGEST and not each.endswith("?"))


class _Reader:
    """Reads the sentences of one question; `found` is what it proposes so far, by key."""

    def __init__(self, question: Question) -> None:
        self.found = dict[str, Proposal]()
        self._for_agent = question.for_agent
        self._forgotten = [_folded(key) for key in question.forgotten]
        facts = (*question.known, *question.near)
        self._owners = {fact.key: fact.person.id if fact.person else None for fact in facts}
        self._several = len({item.person.id for item in question.items if item.from_user and item.person}) > 1

    def read(self, sentence: str, item: Item) -> None:
        """Note what the sentence states, if it states anything."""
        if len(self.found) == MAX_FOUND:
            return
        if forget := _FORGET.match(sentence):
            slug = _slug(forget["about"] or forget["about_de"])
            if key := self._known(slug, item.person, nobodys=slug):
                self.found[key] = Proposal(key=key, sources=(item.id,))
            return
        for kind, form in _FORMS:
            if stated := form.match(sentence):
                self._state(_slug(stated["about"]), sentence, kind, item)
                return

    def _state(self, slug: str, sentence: str, kind: Kind, item: Item) -> None:
        person = item.person
        of_person = f"{person.id[:MAX_ID]}-{slug}"[:MAX_KEY] if person else slug
        apart = person is not None and self._is_apart(slug, person, kind)
        new = of_person if apart else slug
        key = self._known(slug, person, nobodys=None if self._several else new) or new
        if not slug or self._is_anothers(key, person) or self._is_forgotten(key):
            return
        content = sentence if kind is Kind.PROCEDURE else resolved(sentence, day_of(item.at))
        if person and (apart or key == of_person):
            content = f"{person.name or person.id}: {content}"
        self.found[key] = Proposal(key=key, sources=(item.id,), content=content, kind=kind)
        self._owners[key] = person.id if person else None

    def _is_apart(self, slug: str, person: Person, kind: Kind) -> bool:
        """Whether this fact is to be kept apart from other people's."""
        lasting = self._for_agent and kind is Kind.PREFERENCE  # an agent works with several people (A4, A7)
        others = (key for key in self._owners if self._is_anothers(key, person))
        return self._several or lasting or any(_alike(slug, key) for key in others)

    def _is_forgotten(self, key: str) -> bool:
        return any(_alike(_folded(key), forgotten) for forgotten in self._forgotten)

    def _is_anothers(self, key: str, person: Person | None) -> bool:
        return person is not None and self._owners.get(key) not in {None, person.id}

    def _known(self, slug: str, person: Person | None, *, nobodys: str | None) -> str | None:
        """The one known key that means the same: the person's own, or else, for this slug, one that is nobody's."""
        if person is None:
            return _same(slug, self._owners)
        own = _same(slug, (key for key, owner in self._owners.items() if owner == person.id))
        if own or not nobodys:
            return own
        return _same(nobodys, (key for key, owner in self._owners.items() if owner is None))


def _slug(about: str) -> str:
    """The first telling words, in small letters: `the short answers` as `short-answers`."""
    words = _words(about)
    telling = [word for word in words if word not in _FILLERS] or words
    return "-".join(telling[:KEY_WORDS])[:MAX_KEY]


def _folded(key: str) -> str:
    """A key without its case and punctuation: `Seat_Preference` as `seat-preference`."""
    return "-".join(_words(key))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFC", text).lower())


def _same(slug: str, keys: Iterable[str]) -> str | None:
    """The key itself, or the only one that is alike."""
    alike = {key for key in keys if slug and _alike(slug, key)}
    return slug if slug in alike else alike.pop() if len(alike) == 1 else None


def _alike(slug: str, key: str) -> bool:
    """Whether two keys mean the same, as far as one can see: `budget` and `trip-budget`."""
    return slug == key or key.endswith(f"-{slug}") or slug.endswith(f"-{key}")
