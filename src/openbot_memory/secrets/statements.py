"""Passwords, PINs and other keys that are stated: a noun, a link, and a value (`Passwort: sonne123`)."""

import re
from collections.abc import Iterator
from itertools import islice

from openbot_memory.secrets.values import is_value, word_set

# Nouns as one word in small letters. The value of a phrase is words, of a password anything, of a code digits, of a key
# letters and digits; a "code" alone is one only where it opens a lock.
_PHRASE_ENDS = tuple(word_set("pass seed recovery mnemonic", "phrase phrases") | word_set("wallet recovery", "seed"))
_PASSWORD_ENDS = tuple(
    word_set("password passwords passwort passworts passwörter paßwort kennwort kennworts kennwörter passwörtern")
)
_PASSWORDS = (
    word_set("passwd pwd pw pws losungswort codewort codeword geheimwort secretword")
    | word_set("netzwerk wlan wifi fi wpa network", "schlüssel key")
    | word_set("smtp imap mail ftp ssh sql db admin root user login", "pass")
)
_CODE_ENDS = tuple(word_set("tür tor alarm zugangs zutritts einmal", "code codes"))
_CODES = (
    word_set("pin pins puk tan cvv cvc otp passcode passcodes pinnummer pinnumber geheimzahl geheimnummer")
    | word_set(
        "access door entry gate alarm unlock security safe lock recovery backup login verification", "code codes"
    )
    | word_set(
        "pin entsperr sicherheits freischalt tresor schloss geheim bestätigungs wiederherstellungs", "code codes"
    )
    | word_set("safe lock tresor schloss zahlen", "combination kombination")
)
_KEY_ENDS = tuple(
    word_set("token tokens secret secrets")
    | word_set("access api auth bearer client private account encryption signing license secret", "key keys")
    | word_set(
        "api zugangs zugriffs geheim verschlüsselungs lizenz geheimer geheimen privater privaten", "schlüssel key"
    )
)
_LOCKS = ("door", "gate", "safe", "locker", "lock", "alarm", "tür", "tresor", "schloss", "schließfach", "alarmanlage")
_NOUN = re.compile(r"(?<!\d)[^\W\d_]+")

_SAYS = re.compile(
    r"""
    \ ?(?::=|[:=]=?>?(?!//)|-?->|→|\|)
    | \ (?:is|was|are|ist|war|sind|sei|wäre|lautete?n?|heißt)(?:\ (?:now|still|always|(?:re)?set\ to|changed\ to|jetzt
      |nun|aktuell|noch|immer|weiterhin|wieder|einfach|also|as\ follows|wie\ folgt|folgendes)){0,2}(?=\W):?
    | \ (?:(?:habe|nehme|nutze|benutze|verwende)n?\ (?:ich|wir)(?:\ (?:überall|immer|jetzt|einfach))?|to|auf|zu)
      (?=\ \S{0,60}\d) | 's\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BY_CODE = re.compile(
    r"\b(?:with|mit|using|per|type|enter|tippe)(?: (?:the|dem|der|code|pin|kombination|combination)){0,2}"
    r" \d(?:[ -]?\d){3,9}[#*]?(?=[.,;!?\n]|$| (?:on|into|at|in|am|auf|ein|kommt|geht|öffnet|opens)\b)",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"\b(?:open|unlock|öffne|entsperr|entriegel)\w*|\bget in\b|\bkommt man\b|\bauf(?=[.,;!?\n]|$)", re.IGNORECASE
)
_SAYS_LITTLE = re.compile(r"(?:to|auf|zu|'s|\||.* (?:ich|wir)\b.*)$")
_SAID_BEFORE = re.compile(
    r"(?<!\S)(\S{4,60}) (?:is|was|ist|war|as|als|=) "
    r"(?:(?:my|the|our|her|his|meine?|unsere?|das|die|der|neues?) ){0,3}(?:[\w-]{1,30}[ -])?$",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[.;!?] |[^\w .,()'-]")
_NO_MORE = re.compile(r" ?(?:[^\w\s-]|\n|$)")
_PREPOSITIONS = word_set("for of to on at from für fürs von vom zu zum zur am im auf bei der des meines unseres")
_OTHER_MATTERS = word_set(
    """
    policy policies rule rules length manager managers rotation rotates rotate hash hashes hashed hashing field fields
    generator strength storage protection vault store expiry expires expired expiration history budget limit limits
    format type types count pad layout header name names id ids url urls endpoint lifetime ttl scope scopes hint prompt
    page form hotline support reset forgotten lost minimum requirement requirements usage cost costs without richtlinie
    richtlinien regel regeln länge mindestlänge verwaltung wechsel feld schutz vergessen speicher ablauf anforderung
    anforderungen ohne
    """
)
_BLANKS = " \"'*(,"
_BEHIND, _FAR, _BEFORE = 200, 60, 100  # characters that are read behind a noun, up to what says its value, and before


def states_one(text: str) -> bool:
    return _opens_lock(text) or any(
        _states(kind, text[max(0, start - _BEFORE) : start], text[end : end + _BEHIND])
        for kind, start, end in _nouns(text)
    )


def _opens_lock(text: str) -> bool:
    """Whether something is opened with digits, though no noun says what these are (`the safe opens with 4711`)."""
    around = (text[max(0, found.start() - _FAR) : found.end() + _FAR] for found in _BY_CODE.finditer(text))
    return any(map(_OPENS.search, around))


def _nouns(text: str) -> Iterator[tuple[str, int, int]]:
    """The kind, start and end of each noun that may announce a credential, also of two words (`API key`)."""
    last, first, until = "", 0, -1
    for found in _NOUN.finditer(text):
        word, (start, end) = found[0].lower(), found.span()
        joined = start == until + 1 and text[until] in " _-"
        if not re.match(r"[-_]\w", text[end : end + 2]):
            kind, pair = _kind(word), _kind(last + word) if joined else None
            if pair and kind in {None, "lock", "any key"}:
                yield pair, first, end
            elif kind:
                yield kind, start, end
        last, first, until = word, start, end


def _kind(noun: str) -> str | None:
    if noun.endswith(_PHRASE_ENDS):
        return "phrase"
    if noun.endswith(_PASSWORD_ENDS) or noun in _PASSWORDS:
        return "password"
    if noun.endswith(_CODE_ENDS) or noun in _CODES:
        return "code"
    if noun in {"code", "kombination", "combination"}:
        return "lock"
    if noun.endswith(_KEY_ENDS):
        return "key"
    return "any key" if noun in {"key", "schlüssel"} else None


def _states(kind: str, before: str, behind: str) -> bool:
    """Whether a value stands behind the noun (`PIN 4711`, `PIN: 4711`) or before it (`4711 is my PIN`)."""
    if kind != "lock" and behind[:1] in _BLANKS and is_value(kind, behind.lstrip(" ,–-"), announced=False):
        return True
    for says in islice(_SAYS.finditer(behind, 0, _FAR), 3):
        between = behind[: says.start()].strip(" \"'*_)]")
        words = between.lower().split()
        if _CLAUSE_END.search(between) or not _OTHER_MATTERS.isdisjoint(words):
            break
        if kind == "lock" and not any(word.endswith(_LOCKS) for word in words):
            continue
        announced = not _SAYS_LITTLE.match(says[0].strip()) and (
            not words or words[0] in _PREPOSITIONS or between[0] == "("
        )
        if is_value(kind, behind[says.end() :], announced=announced):
            return True
    said = _SAID_BEFORE.search(before)
    ends = _NO_MORE.match(behind) or _PREPOSITIONS.intersection(behind.lower().split()[:1])
    return bool(said and ends and kind != "lock" and is_value(kind, said[1], announced=False))
