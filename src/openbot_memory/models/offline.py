"""No language model: a small deterministic extractor of plain statements, English and German, to try the service with.

It reads only what users say, sentence by sentence, and understands a sentence only where it has one of few forms:
"My budget is ...", "I prefer ...", "We decided ...", "Always ... before ...", "Remember that ...". All else it
passes by. The content is the sentence as it was said.
"""

import re
import unicodedata
from collections.abc import Iterator

from openbot_memory.domain.facts import MAX_KEY, Kind
from openbot_memory.domain.items import Item
from openbot_memory.domain.rules import Proposal
from openbot_memory.domain.session import Tokens
from openbot_memory.models.port import Answer, Question

LONGEST = 400  # characters of a sentence that is plain enough
KEY_WORDS = 4

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
    """.split()
)


class Offline:
    def propose(self, _model: str, question: Question) -> Answer:
        """Find plain statements. The last of a batch wins where two have one key."""
        found = dict[str, Proposal]()
        known = [fact.key for fact in question.known]
        for item in question.items:
            for sentence in _sentences(item):
                proposal = _statement(sentence, item, [*known, *found], for_agent=question.for_agent)
                if proposal:
                    found[proposal.key] = proposal
        return Answer(proposals=tuple(found.values()), tokens=Tokens())


def _sentences(item: Item) -> Iterator[str]:
    if item.from_user:
        sentences = (found[0].strip() for found in _SENTENCE.finditer(item.text))
        yield from (each for each in sentences if len(each) <= LONGEST and not each.endswith("?"))


def _statement(sentence: str, item: Item, known: list[str], *, for_agent: bool) -> Proposal | None:
    if forget := _FORGET.match(sentence):
        key = _same(_slug(forget["about"] or forget["about_de"]), known)
        return Proposal(key=key, sources=(item.id,)) if key else None
    for kind, form in _FORMS:
        if stated := form.match(sentence):
            slug = _slug(stated["about"])
            if for_agent and kind is Kind.PREFERENCE and item.person:
                slug = f"{item.person.id}-{slug}"
            key = _same(slug, known) or slug
            return Proposal(key=key, sources=(item.id,), content=sentence, kind=kind) if slug else None
    return None


def _slug(about: str) -> str:
    """The first telling words, in small letters: `the short answers` as `short-answers`."""
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", about).lower())
    telling = [word for word in words if word not in _FILLERS] or words
    return "-".join(telling[:KEY_WORDS])[:MAX_KEY]


def _same(slug: str, known: list[str]) -> str | None:
    """The one known key that means the same: `budget` and `trip-budget`."""
    if slug in known:
        return slug
    near = {key for key in known if slug and (key.endswith(f"-{slug}") or slug.endswith(f"-{key}"))}
    return near.pop() if len(near) == 1 else None
