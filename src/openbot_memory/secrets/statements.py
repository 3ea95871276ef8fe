"""Passwords, PINs and other keys that are stated: a noun, a link, and a value (`Passwort: sonne123`)."""

import re
from collections.abc import Iterator
from functools import lru_cache

from openbot_memory.secrets.values import Said, is_letter, is_value
from openbot_memory.secrets.words import GLUED, IS, NOUNS, PLAIN, SAID_BEFORE, TO, VERB_LAST, Noun, WordList

_LOCKS, _TOPICS, _FILLERS, _OF = map(WordList, ("locks", "topics", "fillers", "of"))

# What stands around a noun, part by part. Scripts without spaces give a part a character, unless it is a known link.
# The classes are short ranges on purpose: `re` takes milliseconds to compile one as long as the Chinese characters.
_LATIN = "0-9A-Za-zÀ-ɏḀ-ỿ"
_SPACED = r"\u0250-\u060b\u060d-\u061a\u061c-\u061e\u0620-\u06d3\u06d5-\u0963\u0966-\u0dff\u0f00-\u1dff\u1f00-\u1fff"
_OTHERS = rf"[{_SPACED}\uac00-\ud7a3]+"
_PART = re.compile(
    rf"""
      (?P<sign>:=|[:=]=?>?(?!//)|-?->|→)
    | (?P<weak>\||(?<=\ )[–—-](?=\ )|'s\b)
    | (?P<end>[.;!?](?=\s|$)|[!\#$%&+?@^~](?!\w)|[\n/;<>\\`{{}}\u2010-\u206f\u3001-\u303f،؛؟۔।])
    | (?P<word>{"|".join(GLUED)}|[{_LATIN}]+(?:'[^\W\d_]+)?|{_OTHERS}|[^\x00-\x7f])
    """,
    re.VERBOSE,
)
_TOKEN = re.compile(rf"{'|'.join(GLUED)}|[!-~À-ɏḀ-ỿ]+|{_OTHERS}|[^\x00-\x7f]")
_ENDING = re.compile(rf"[a-zÀ-ɏḀ-ỿ{_SPACED}]+")
_BY_CODE = re.compile(
    r"\b(?:with|mit|using|per|type|enter|tippe)(?: (?:the|dem|der|code|pin|kombination|combination)){0,2}"
    r" \d(?:[ -]?\d){3,9}[#*]?(?=[.,;!?\n]|$| (?:on|into|at|in|am|auf|ein|kommt|geht|öffnet|opens)\b)",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"\b(?:open|unlock|öffne|entsperr|entriegel)\w*|\bget in\b|\bkommt man\b|\bauf(?=[.,;!?\n]|$)", re.IGNORECASE
)
_NO_MORE = re.compile(r"[^\W\d_]{1,3}(?=\W|$)| ?(?:[^\w\s-]|\n|$)")
_NONE = frozenset[str]()
_BLANKS = " \"'*(,"
_BEHIND, _FAR, _BEFORE, _NEAR = 200, 60, 100, 25  # characters: of a value, up to its link, of a value before, of a lock


def states_one(text: str) -> bool:
    return _opens_lock(text) or any(
        _states(noun, text[max(0, start - _BEFORE) : start], text[end : end + _BEHIND])
        for noun, start, end in _nouns(text)
    )


def _opens_lock(text: str) -> bool:
    """Whether something is opened with digits, though no noun says what these are (`the safe opens with 4711`)."""
    around = (text[max(0, found.start() - _FAR) : found.end() + _FAR] for found in _BY_CODE.finditer(text))
    return any(map(_OPENS.search, around))


def _nouns(text: str) -> Iterator[tuple[Noun, int, int]]:
    """Each noun that may announce a credential, with its start and end; of those that overlap, the longest."""
    small = text.lower().translate({ord("-"): " ", ord("_"): " "})
    found = [(start, -end, noun) for noun in NOUNS for start, end in _places(noun, small, text)]
    until, last = 0, (0, 0)
    for start, end, noun in sorted(found, key=lambda each: each[:2]):
        if -end > until or (start, -end) == last:
            until, last = -end, (start, -end)
            if noun.kind != "no_noun":
                yield noun, start, until


def _places(noun: Noun, small: str, text: str) -> Iterator[tuple[int, int]]:
    """Where the noun stands as a word of its own, or with letters around it where it allows them."""
    start = small.find(noun.word)
    while start >= 0:
        end = start + len(noun.word)
        before, behind = small[max(0, start - 1) : start] or " ", small[end : end + 1] or " "
        compound = text[end : end + 1] in {"-", "_"} and text[end + 1 : end + 2].isalnum()
        opens = noun.before or not (is_letter(before) or before in "0123456789")
        if opens and (noun.behind or not (compound or is_letter(behind))):
            ending = _ENDING.match(small, end) if noun.behind else None
            yield start, ending.end() if ending else end
        start = small.find(noun.word, end)


@lru_cache(1000)
def _states(noun: Noun, before: str, behind: str) -> bool:
    """Whether a value stands behind the noun (`PIN 4711`, `PIN: 4711`) or before it (`4711 is my PIN`)."""
    locked = noun.kind != "door_code" or any(word in _LOCKS for word in _words(before[-_NEAR:]))
    if locked and behind[:1] in _BLANKS and _follows(noun, behind, Said.NOT):
        return True
    between = list[str]()
    for part in _PART.finditer(behind, 0, _FAR):
        word, rest = part[0].lower(), behind[part.end() :]
        if part["end"] or word in _TOPICS:
            break
        if part["word"] and not _links(word, noun):
            between.append(word)
            locked = locked or word in _LOCKS
            near = noun.kind == "code" and all(each in _LOCKS or each in _OF for each in between)
            if near and _follows(noun, rest, Said.NOT):
                return True  # `PIN of my card 4711`
        elif locked and (
            _follows(noun, rest, _how(part, noun, between)) or _precedes(noun, word, behind[: part.start()])
        ):
            return True
        if part["sign"]:
            break
    return locked and noun.kind != "door_code" and _said_before(noun, before, behind)


def _links(word: str, noun: Noun) -> bool:
    return not noun.languages.isdisjoint(IS.get(word, _NONE) | TO.get(word, _NONE))


def _how(link: re.Match[str], noun: Noun, between: list[str]) -> Said:
    """How clearly the link says that a value follows, the more clearly the nearer it is to the noun."""
    languages = noun.languages if link["sign"] else IS.get(link[0].lower(), _NONE) & noun.languages
    if link["weak"] or not languages:
        return Said.NOT
    plain = languages <= PLAIN if link["sign"] else bool(languages & PLAIN)
    if plain or link["sign"]:
        direct = not between or between[0] in _OF or "(" in link.string[:2]
        return Said.PLAINLY if direct else (Said.NOT if plain else Said.SO)
    return Said.SO


def _follows(noun: Noun, rest: str, said: Said) -> bool:
    return is_value(noun.kind, _without_fillers(rest).lstrip(" ,–—-"), said)


def _precedes(noun: Noun, link: str, between: str) -> bool:
    """Whether the value stands before "is", where the language has its verbs last."""
    verb_last = IS.get(link, _NONE) & noun.languages & VERB_LAST
    return bool(verb_last) and is_value(noun.kind, " ".join(between.split()[-1:]), Said.NOT)


def _without_fillers(rest: str) -> str:
    """The text without words that say nothing of the value (`is now set to`)."""
    for _ in range(3):
        word = _PART.match(rest.lstrip(" "))
        if not word or word[0].lower() not in _FILLERS:
            break
        rest = rest.lstrip(" ")[word.end() :]
    return re.sub(r"^ ?:", "", rest)


def _said_before(noun: Noun, before: str, behind: str) -> bool:
    """Whether the value comes first: `hunter2 is my password`."""
    if not _NO_MORE.match(behind) and " ".join(_words(behind[:_NEAR])[:1]) not in _OF:
        return False
    tokens = [token for token in _TOKEN.findall(before) if token not in {"-", "–", "—"}]
    for at in range(len(tokens) - 1, 0, -1):
        word = tokens[at].lower()
        if (IS.get(word, _NONE) | SAID_BEFORE.get(word, _NONE)) & noun.languages or word == "=":
            return len("".join(tokens[at + 1 :])) <= _NEAR and is_value(noun.kind, tokens[at - 1], Said.NOT)
    return False


def _words(text: str) -> list[str]:
    return [part[0].lower() for part in _PART.finditer(text) if part["word"]]
