"""No language model: a small deterministic extractor of plain statements, English and German, to try the service with.

It reads only what users say, sentence by sentence, and understands a sentence only where it has one of few forms:
"My budget is ...", "I prefer ...", "We decided ...", "Always ... before ...", "Remember that ...". All else it
ignores. The content is the sentence as it was said, with dates for relative times and, where several persons speak, the
speaker's name before it.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping

from openbot_memory.domain.facts import MAX_KEY, Kind
from openbot_memory.domain.items import Item
from openbot_memory.domain.rules import Proposal
from openbot_memory.domain.session import Tokens
from openbot_memory.models.dates import day_of, resolved
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
_PERSONAL = frozenset({Kind.FACT, Kind.PREFERENCE})  # may differ between persons
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
        """Find plain statements. The last of a batch wins where two have one key; forgotten keys are left alone."""
        speakers = {item.speaker.id if item.speaker else "" for item in question.items if item.from_user}
        owners = {fact.key: fact.person.id if fact.person else None for fact in question.known}
        found = dict[str, Proposal]()
        for item in question.items:
            for sentence in _sentences(item):
                apart = len(speakers) > 1 or question.for_agent
                proposal = _statement(resolved(sentence, day_of(item.at)), item, owners, apart=apart)
                if proposal and proposal.key not in question.forgotten:
                    found[proposal.key] = proposal
                    owners[proposal.key] = item.speaker.id if item.speaker else None
        return Answer(proposals=tuple(found.values()), tokens=Tokens())


def _sentences(item: Item) -> Iterator[str]:
    if item.from_user:
        sentences = (found[0].strip() for found in _SENTENCE.finditer(item.text))
        yield from (each for each in sentences if len(each) <= LONGEST and not each.endswith("?"))


def _statement(sentence: str, item: Item, owners: Mapping[str, str | None], *, apart: bool) -> Proposal | None:
    """What one sentence says. `owners`: the person of each known key; a key of another person's is never used.

    `apart`: what differs between persons gets the person's id into its key and the name into its content.
    """
    speaker = item.speaker
    own = [key for key, owner in owners.items() if owner is None or speaker is None or owner == speaker.id]
    if forget := _FORGET.match(sentence):
        key = _same(_slug(forget["about"] or forget["about_de"]), own)
        return Proposal(key=key, sources=(item.id,)) if key else None
    for kind, form in _FORMS:
        if stated := form.match(sentence):
            slug, content = _slug(stated["about"]), sentence
            if speaker and slug and ((apart and kind in _PERSONAL) or (slug in owners and slug not in own)):
                slug, content = f"{speaker.id}-{slug}"[:MAX_KEY], f"{speaker.name or speaker.id}: {sentence}"
            key = _same(slug, own) or slug
            return Proposal(key=key, sources=(item.id,), content=content, kind=kind) if slug else None
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
