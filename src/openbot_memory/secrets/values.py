"""What looks like the value of a password, a key or a code, and not like a remark on it."""

import re
import unicodedata
from enum import IntEnum

from openbot_memory.secrets.words import WordList

_CHANGES = re.compile(r"(?<=[a-z])[^a-z]|(?<=[A-Z])[^A-Z]|(?<=\d)\D|(?<=[/+_-])\w")
_RANDOM = 0.35  # changes a character: half of what chance gives, twice what names and paths have
PLACEHOLDER = re.compile(
    r"[<{\[%]|\$\{|\$\(?[A-Z_]+\)?$|(?:your|dein|ihr)[_-]|[*•.x_-]+$|[A-Za-z_]\w*(?:\.\w+)*[(\[]|redacted"
    r"|(?-i:PASS(?:WORD|WORT)?|PWD|SECRET|TOKEN)$",
    re.IGNORECASE,
)
_OPENING = " \n*_|>#\"'("
_VALUE = re.compile(r"[!#-&(-{}~À-ɏḀ-ỿ€§]+|[^\s\"'|]+")  # Latin letters end where another script begins
_ENDS = re.compile(r"[\"'*_)]{0,4}(?:$|[.,;:!?\n|)。،۔।]| [(–/-]|[^\x00-ɏ])")
_CODE = re.compile(r"\d(?:[ .-]?\d){3,11}(?!\d|[.,]\d|-?[A-Za-zÀ-ɏ_])")
_SYMBOL = re.compile(r"\w[@#$%^&*!?+=~§€]+\w")
_AMOUNT = re.compile(r"\d[\d.,]*(?:[-–]\d+)?[+–-]* ?([^\W\d_]+|%)(?![A-Za-z_]|(?<=[A-Za-z])\d)")
STANDARD = re.compile(
    r"(?:sha|md|aes|rsa|iso|rfc|ed|pbkdf|argon|oauth|utf|base|office|m|win|windows|ec|k|v|web|tls|ipv|http|din|gpio)"
    r"-?\d[\w.]{0,4}$|[^@\s]+@[\w-]+\.[\w.-]+$|s3$|\w+://|\d{4}-\d\d?-\d\d?$|\d\d?[./]\d\d?[./]\d{2,4}$",
    re.IGNORECASE,
)
_UNITS, REMARKS, _OF_SENTENCES = map(WordList, ("units", "remarks", "sentence"))
_SHORTEST_PART, _SHORTEST_CODE, _SHORTEST_RANDOM, _WORDS_OF_PHRASE = 3, 4, 16, range(4, 25)


class Said(IntEnum):
    """How clearly a text says that a value follows; the clearer, the less is asked of the value."""

    NOT = 0  # it merely follows
    SO = 1  # "is", in a language whose remarks are not all known: no plain word
    PLAINLY = 2  # a colon, or "is" where a plain word may be the value


def is_value(kind: str, rest: str, said: Said) -> bool:
    """Whether `rest` begins with a value of this kind."""
    quoted = rest.lstrip()[:1] in {'"', "'"}
    rest = rest.lstrip(_OPENING)
    found, amount = _VALUE.match(rest), _AMOUNT.match(rest)
    value = found[0].rstrip(".,;:!?)]}*_") if found else ""
    endless = said is not Said.PLAINLY and not quoted and _has_no_spaces(value[:1])  # nobody can tell where it ends
    if endless or PLACEHOLDER.match(rest) or STANDARD.match(value) or (amount and amount[1].lower() in _UNITS):
        return False
    if kind == "phrase" and said is Said.PLAINLY and _is_phrase(rest):
        return True
    if value.lower().rpartition("-")[2] in REMARKS:
        return False
    match kind:
        case "key" | "any_key":
            return _is_key(value, said, named=kind == "key")
        case "code" | "door_code":
            return _is_code(rest) or (bool(said) and has_both(value) and len(value) >= _SHORTEST_CODE)
        case _:
            said = Said.PLAINLY if quoted and said else said
            return _is_password(value, rest, said, only_hard=kind == "perhaps")


def _is_key(value: str, said: Said, *, named: bool) -> bool:
    """`named`: as the key of something locked; any other opens something only where chance has made it."""
    if not named:
        return is_random(value) and len(value) >= _SHORTEST_RANDOM
    return is_random(value) or (mixed(value) and len(value) >= (7 if said else 10))


def _is_password(value: str, rest: str, said: Said, *, only_hard: bool) -> bool:
    hard = has_both(value) or _SYMBOL.search(value) or (value.isdigit() and not said)
    if hard and len(value) >= (4 if said else 6):
        return True
    if said and _is_code(rest):
        return True
    return not only_hard and _could_be(value, said) and _is_word(value, rest)


def _could_be(value: str, said: Said) -> bool:
    """Whether a plain word may be a value: where "is" is all that says so, one that is written like a name."""
    return said is Said.PLAINLY or (said is Said.SO and value[:1].isupper())


def _is_code(rest: str) -> bool:
    return _CODE.match(rest) is not None


def has_both(value: str) -> bool:
    return any(map(str.isalpha, value)) and any(map(str.isdigit, value))


def mixed(value: str) -> bool:
    """Letters and digits within one part, so no name made of words and numbers (`eu-central-1`)."""
    return any(len(part) >= _SHORTEST_PART and has_both(part) for part in re.split(r"[-_/.:]", value))


def _is_word(value: str, rest: str) -> bool:
    """A single word that ends its clause; no word of a script without spaces, where nobody can tell where it ends."""
    plain = len(value) >= _SHORTEST_PART and all(map(is_letter, value.replace("-", "").replace("_", "")))
    return plain and not _has_no_spaces(value[0]) and _ENDS.match(rest[len(value) :]) is not None


def _has_no_spaces(letter: str) -> bool:
    return letter.isalpha() and ("\u0e00" <= letter <= "\u0eff" or "\u3040" <= letter <= "\u9fff")


def is_letter(character: str) -> bool:
    """A letter, or a mark on one (as the vowels of Hindi)."""
    return character.isalpha() or (not character.isascii() and unicodedata.category(character)[0] == "M")


def _is_phrase(rest: str) -> bool:
    """Four to 24 words that make no sentence: a passphrase."""
    words = re.split(r"[.,;:!?\"'\n|(]", rest, maxsplit=1)[0].lower().split()
    return (
        len(words) in _WORDS_OF_PHRASE
        and all(map(str.isalpha, words))
        and not any(word in _OF_SENTENCES for word in words)
    )


def is_random(token: str) -> bool:
    """Upper case, lower case and digits, in no order: no path, no words."""
    kinds = (str.isupper, str.islower, str.isdigit)
    return all(any(map(kind, token)) for kind in kinds) and len(_CHANGES.findall(token)) >= _RANDOM * len(token)
