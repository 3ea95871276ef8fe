"""What looks like the value of a password, a key or a code, and not like a remark on it."""

import re


def word_set(*lists: str) -> frozenset[str]:
    """All words of one list, or each word of the first with each of the second behind it."""
    head, *rest = (words.split() for words in lists)
    return frozenset(first + last for first in head for last in (rest[0] if rest else [""]))


_CHANGES = re.compile(r"(?<=[a-z])[^a-z]|(?<=[A-Z])[^A-Z]|(?<=\d)\D|(?<=[/+_-])\w")
_RANDOM = 0.35  # changes a character: half of what chance gives, twice what names and paths have
PLACEHOLDER = re.compile(
    r"[<{\[%]|\$\{|\$\(?[A-Z_]+\)?$|(?:your|dein|ihr)[_-]|[*•.x_-]+$|[A-Za-z_]\w*(?:\.\w+)*[(\[]|redacted"
    r"|(?-i:PASS(?:WORD|WORT)?|PWD|SECRET|TOKEN)$",
    re.IGNORECASE,
)
_OPENING = " \n*_|>#\"'("
_VALUE = re.compile(r"[^\s\"'|]+")
_ENDS = re.compile(r"[\"'*_)]{0,4}(?:$|[.,;:!?\n|)]| [(–-])")
_CODE = re.compile(r"\d(?:[ .-]?\d){3,11}(?!\d|[.,]\d|-?\w)")
_SYMBOL = re.compile(r"\w[@#$%^&*!?+=~§€]+\w")
_AMOUNT = re.compile(r"\d[\d.,]*(?:[-–]\d+)?[+–-]* ?([^\W\d_]+|%)(?!\w)")
_UNITS = word_set(
    """
    character characters char chars digit digits letter letters symbol symbols word words bit bits byte bytes day days
    hour hours minute minutes second seconds week weeks month months year years times attempt attempts token tokens user
    users zeichen stellen stellig stellige stelliger stelliges ziffern buchstaben wörter wörtern tag tage tagen stunde
    stunden minuten sekunden woche wochen monat monate monaten jahr jahre jahren mal versuche versuchen k kb mb gb h d s
    ms min st nd rd th x % euro eur
    """
)
STANDARD = re.compile(
    r"(?:sha|md|aes|rsa|iso|rfc|ed|pbkdf|argon|oauth|utf|base|office|m|win|windows|s|ec|k|v|web|tls|ipv|http|din|gpio)"
    r"-?\d[\w.]{0,4}$|[^@\s]+@[\w-]+\.[\w.-]+$|\w+://|\d{4}-\d\d?-\d\d?$|\d\d?[./]\d\d?[./]\d{2,4}$",
    re.IGNORECASE,
)
_REMARKS = word_set(
    """
    none null nil true false yes no not unknown unset undefined missing required optional mandatory empty blank hidden
    wrong correct incorrect invalid valid weak strong secure insecure safe long short same unique new old fine secret
    private public random default set reset kept known given broken stolen sent shown written forgotten lost gone due
    here there below above active inactive confidential temporary permanent sufficient important enough local
    different complex simple easy hard personal string str text bool secretstr varchar sso saml ldap oauth oidc totp mfa
    2fa tbd todo redacted masked see ask only must should may can never always often rarely sensitive bitwarden
    lastpass keepass keepassxc keychain vault dashlane 1password
    falsch richtig korrekt gültig schwach stark sicher unsicher lang kurz gleich dasselbe geheim leer neu alt nötig
    unnötig notwendig pflicht weg fällig hier dort unten oben anders einzigartig gut schlecht kaputt wichtig egal nein
    kein keins keine keines nicht fehlt siehe nur aktuell privat komplex einfach zufällig sensibel intern extern folgt
    """
)
_LIKE_REMARKS = re.compile(
    r"\w+(?:ed|ing|able|ible|less|ful|lich|bar|los|haft|isch)$"
    r"|(?:ge|ab|an|auf|aus|be|ein|ent|er|hinter|nach|un|ver|zer|zurück)\w+(?:t|en|ig)$"
)
_OF_SENTENCES = word_set(
    """
    the a an is are was be has have must should can will not of for to in on at by with from and or that this it its we
    you i my your our they every least characters words long user users
    der die das den dem des ein eine einen ist sind war wird muss soll kann nicht von für zu im am mit aus und oder dass
    sich es wir sie ich mein dein unser jede jeden mindestens zeichen wörter lang nutzer
    """
)


_SHORTEST_PART, _SHORTEST_CODE, _SHORTEST_RANDOM, _WORDS_OF_PHRASE = 3, 4, 16, range(4, 25)


def is_value(kind: str, rest: str, *, announced: bool) -> bool:
    """Whether `rest` begins with a value of this kind; where it was announced, less is asked of it."""
    rest = rest.lstrip(_OPENING)
    found, amount = _VALUE.match(rest), _AMOUNT.match(rest)
    value = found[0].rstrip(".,;:!?)]}*_") if found else ""
    if PLACEHOLDER.match(rest) or STANDARD.match(value) or (amount and amount[1].lower() in _UNITS):
        return False
    if kind == "phrase" and announced and _is_phrase(rest):
        return True
    if value.lower().rpartition("-")[2] in _REMARKS:
        return False
    match kind:
        case "key" | "any key":
            return _is_key(value, announced=announced, named=kind == "key")
        case "code" | "lock":
            return _is_code(rest) or (announced and has_both(value) and len(value) >= _SHORTEST_CODE)
        case _:
            return _is_password(value, rest, announced=announced)


def _is_key(value: str, *, announced: bool, named: bool) -> bool:
    """`named`: as the key of something locked; any other opens something only where chance has made it."""
    if not named:
        return is_random(value) and len(value) >= _SHORTEST_RANDOM
    return is_random(value) or (mixed(value) and len(value) >= (7 if announced else 10))


def _is_password(value: str, rest: str, *, announced: bool) -> bool:
    hard = has_both(value) or _SYMBOL.search(value) or (value.isdigit() and not announced)
    if hard and len(value) >= (4 if announced else 6):
        return True
    return announced and (_is_code(rest) or _is_word(value, rest))


def _is_code(rest: str) -> bool:
    return _CODE.match(rest) is not None


def has_both(value: str) -> bool:
    return any(map(str.isalpha, value)) and any(map(str.isdigit, value))


def mixed(value: str) -> bool:
    """Letters and digits within one part, so no name made of words and numbers (`eu-central-1`)."""
    return any(len(part) >= _SHORTEST_PART and has_both(part) for part in re.split(r"[-_/.:]", value))


def _is_word(value: str, rest: str) -> bool:
    """A single word that ends its clause and is no remark on the password."""
    plain = len(value) >= _SHORTEST_PART and value.replace("-", "").replace("_", "").isalpha()
    return plain and not _LIKE_REMARKS.match(value.lower()) and _ENDS.match(rest[len(value) :]) is not None


def _is_phrase(rest: str) -> bool:
    """Four to 24 words that make no sentence: a passphrase."""
    words = re.split(r"[.,;:!?\"'\n|(]", rest, maxsplit=1)[0].lower().split()
    return len(words) in _WORDS_OF_PHRASE and all(map(str.isalpha, words)) and _OF_SENTENCES.isdisjoint(words)


def is_random(token: str) -> bool:
    """Upper case, lower case and digits, in no order: no path, no words."""
    kinds = (str.isupper, str.islower, str.isdigit)
    return all(any(map(kind, token)) for kind in kinds) and len(_CHANGES.findall(token)) >= _RANDOM * len(token)
