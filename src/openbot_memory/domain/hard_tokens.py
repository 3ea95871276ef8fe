"""Hard tokens: addresses, links, numbers, paths and the like, which are copied and never said in other words (A4).

Both sides of a comparison are first written in one plain form, so that no disguise matters: case, width, accents,
invisible characters, other scripts' digits, percent-encoding, HTML entities, `hxxp`, `[.]`, "(at)", " dot ", and
letters with blanks between them.
"""

import html
import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple
from urllib.parse import unquote

_UNSEEN = frozenset({"Cf", "Mn", "Me"})  # after NFKD, this takes accents and vowel marks away too
_TAGS = range(0xE0020, 0xE007F)  # invisible characters that stand for ASCII, one by one


def plain(text: str) -> str:
    """The text without disguise, in lower case."""
    text = _folded(text)
    if "%" in text:
        text = _folded(unquote(text, errors="ignore"))
    if "&" in text:
        text = _folded(html.unescape(text))
    return text.replace("hxxp", "http")


def _folded(text: str) -> str:
    """One spelling for what reads the same: width, case, accents, invisible characters, digits of any script."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", text)
    changed = {ord(char): new for char in set(text) if not char.isascii() and (new := _seen(char)) != char}
    return text.translate(changed).casefold()


def _seen(char: str) -> str:
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    if ord(char) in _TAGS:
        return chr(ord(char) - 0xE0000)
    return "" if unicodedata.category(char) in _UNSEEN else char


# How "@" and "." are said in words. Such words are left out on both sides, as the signs themselves are.
_SAID = "at dot punkt arroba punto arobase point собака точка アット ドット نقطة"
_SIGNS = re.compile(rf"\b(?:{'|'.join(map(_folded, _SAID.split()))})\b|[\W_]+")


def _joined(text: str) -> str:
    """The letters and digits alone: what blanks, brackets and signs were put between cannot hide."""
    return _SIGNS.sub("", text)


_NUMBER = re.compile(r"\d+(?:[ .,'’]\d{3}(?!\d))*(?:[.,]\d\d?(?!\d))?")
_CENTS = re.compile(r"[.,]\d\d?$")


def _number(text: str) -> str:
    """The whole digits of a number as anyone writes it: 4500 for `4,500.00` and `4.500`."""
    return re.sub(r"\D", "", _CENTS.sub("", text)).lstrip("0")


class Token(NamedTuple):
    """A hard token in its plain form. An amount is compared as a number, anything else as letters and digits."""

    form: str
    amount: bool = False


class Haystack:
    """A text, in its plain form, in which hard tokens are looked for in linear time."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _joined(self) -> str:
        return _joined(self._text)

    @cached_property
    def _single(self) -> frozenset[str]:
        return frozenset(map(_joined, _WORDLIKE.findall(self._text)))

    @cached_property
    def _numbers(self) -> frozenset[str]:
        return frozenset(map(_number, _NUMBER.findall(self._text)))

    def holds(self, token: Token) -> bool:
        if token.amount:
            return token.form in self._numbers
        if len(token.form) < _SHORT:
            return token.form in self._single
        return token.form in self._joined


_SHORT = 5  # letters and digits; what is shorter is found as a word of its own only, not inside others
_LAST_DIGITS = 8  # of a phone or account number, which is the same with and without a prefix

_DATE = re.compile(r"\b\d{4}-\d\d?-\d\d?\b|\b\d\d?\.\d\d?\.(?:\d{4}|\d\d)\b|\b\d\d?/\d\d?/\d{4}\b")
_COPIED = re.compile(
    r"""
      (?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[!-~]+             # a link
    | (?<![a-z0-9._+-])[a-z0-9._+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+  # an e-mail address
    | (?<![\w.@])[@#][\w-]{3,}                                    # an account, a channel
    | (?<![a-z0-9-])(?:[a-z0-9-]+\.)+[a-z]{2,}(?:/[!-~]*)?        # a host, a file
    | (?<![\u0370-\u06ff0-9-])(?:[\u0370-\u06ff0-9-]+\.)+[\u0370-\u06ff]{2,}  # a host in Greek to Arabic letters
    | (?:[a-z]:\\|~/|\.{1,2}/|(?<![\w/])/)[a-z0-9_.\\/-]{2,}       # a path
    | (?<![a-z0-9_.-])[a-z0-9_.-]+(?:/[a-z0-9_.-]+){2,}
    | (?<!\S)--[a-z][\w-]{3,}                                     # an option of a command
    | \b[a-z]{2}\d{2}(?:[ ]?[a-z0-9]{4}){2,7}(?:[ ]?[a-z0-9]{1,3})?\b  # an IBAN
    """,
    re.VERBOSE,
)
_DIGITS = re.compile(r"\+?\d(?:[ ()/.-]{0,3}\d){5,}|\d{5,}")  # a phone or account number
_WORDLIKE = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")
_COUNTED = re.compile(r"\d{1,4}[-.]?[a-z]+")  # 30-day, 10am, 32gb: said by anyone
_QUOTED = re.compile(r"`([^`]{3,})`|\"([^\"]{6,})\"|[“„«「『‹]([^“”„«»「」『』‹›]{4,})[”“»」』›]")
_MONEY = (
    r"[€$£¥₽₹%]|\b(?:eur|usd|gbp|chf|euros?|dollars?|pounds?|franken|francs?|percent|prozent)\b"
    r"|元|円|руб|دولار|درهم|ريال"
)
_AMOUNT = re.compile(rf"(?:{_MONEY})\s?({_NUMBER.pattern})|(?<!\d)({_NUMBER.pattern})\s?(?:{_MONEY})")


def hard_tokens(text: str) -> set[Token]:
    """Those of a text in its plain form. Dates and times are none: a model works them out (S7)."""
    return {token for token in _tokens(_DATE.sub("|", text)) if token.form}


def _tokens(text: str) -> Iterator[Token]:
    for found in _COPIED.finditer(text):
        link = found[0].partition("://")[2] or found[0]
        yield Token(_joined(link))
        if "/" in link.lstrip("/"):  # the host alone as well: a path is soon changed
            yield Token(_joined(link.split("/")[0]))
    rest = _COPIED.sub("|", text)
    for found in _DIGITS.finditer(rest):
        yield Token(_joined(found[0])[-_LAST_DIGITS:])
    for found in _WORDLIKE.finditer(rest):
        if _identifies(found[0]):
            yield Token(_joined(found[0]))
    for found in _QUOTED.finditer(text):
        yield Token(_joined(found[1] or found[2] or found[3]))
    for found in _AMOUNT.finditer(text):
        yield Token(_number(found[1] or found[2]), amount=True)


def _identifies(word: str) -> bool:
    """Whether it is built of letters and digits, or with underscores, as only names of things are."""
    mixed = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
    return (mixed and not _COUNTED.fullmatch(word)) or "_" in word
