"""Writes domain/confusables.py from Unicode's confusables.txt (UTS 39), which lies beside this file, compressed.

Run it as `uv run tools/make_lookalikes.py`. Unicode says what characters look like as they stand, while
`domain/lookalike.py` folds width and case first. So a letter is mapped to the ASCII letter that it or its capital
looks like (Cyrillic `т` to `t`, because `Т` is `T`), or else to its prototype, where that is a letter of another
script. A capital that looks like another letter than its small one (`Ν` and `ν` like N and v) is mapped as well; that
is asked for in words with Latin letters only. Two different facts must stay different, so that these are kept apart:

- ASCII from ASCII, and letters from digits: 1500 is not I5OO, and the Russian house 5б is not 56.
- Two letters of one script that look like the same: the first of its block is mapped, so Kazakh `ү` is not `у`.
  Only Latin's phonetic letters and small capitals are mapped together, and letters that meet by one's capital only
  (`һ` and `Н` both look like an `h`).
- Letters that differ by a mark, and letters that some language writes beside their look-alikes (`APART`).
"""

import lzma
import unicodedata
from itertools import batched
from pathlib import Path

SOURCE = Path(__file__).with_name("confusables-17.0.0.txt.xz")
WRITTEN = Path(__file__).parents[1] / "src/openbot_memory/domain/confusables.py"
HEAD = '''"""Look-alike characters and what they look like, written by tools/make_lookalikes.py. Do not edit.

From Unicode's confusables.txt (UTS 39), version 17.0.0. Copyright © 1991-2026 Unicode, Inc., under the Unicode
License V3 (https://www.unicode.org/license.txt); its text stands at the head of the tool's source.
"""

PAIRS = """
'''
A_LINE = 25
# Turkish ı beside i, Icelandic þ beside p, ƒ, ɛ, ɣ and ʋ beside f, e, y and u in Ewe, ɩ beside i in Kabiyè; the marks
# of two tones in Bopomofo; two vowels that Hangul's syllables are composed of; μ, for 5 μs is not 5 ms.
APART = frozenset("ıþƒɛɣʋɩˊˋᅳᅵμ")
# One letter, as Persian and as Arabic keyboards write it. Their prototype is a third letter, ى, with which the name
# Ali would become the word "on".
SAME = {"ی": "ي", "ک": "ك", "ڪ": "ك"}


def written() -> str:
    """The whole module."""
    given = pairs(prototypes(lzma.decompress(SOURCE.read_bytes()).decode()))
    lines = batched((char + target for char, target in sorted(given.items())), A_LINE, strict=False)
    return HEAD + "\n".join(map(" ".join, lines)) + '\n"""\n'


def prototypes(text: str) -> dict[str, str]:
    """Each character of a confusables.txt with its prototype, but for ASCII's."""
    lines = [line.partition("#")[0] for line in text.splitlines()]
    given = {_chars(source): _chars(rest.partition(";")[0]) for source, _, rest in (li.partition(";") for li in lines)}
    return {char: prototype for char, prototype in given.items() if char and not char.isascii()}


def pairs(given: dict[str, str]) -> dict[str, str]:
    """Each look-alike and what it is mapped to, both as they are when width and case are folded."""
    stable = {char: target for char, target in given.items() if _plain(char) == char and char not in APART}
    capitals = _capitals(given)
    by_looks = {char: _plain(target) for char, target in stable.items() if _may_become(char, target)}
    by_capital = {
        small: target
        for capital, target in capitals.items()
        if (small := capital.casefold()) not in by_looks.keys() | APART and _may_become(small, target)
    }
    to_ascii = _one_a_script(by_looks) | _one_a_script(by_capital)
    small_capitals = {  # ᴛ, because т looks like it, and Т like T
        target: given[char.upper()].casefold()
        for char, target in given.items()
        if _is_like_a_letter(given.get(char.upper(), "")) and _is_mappable(target) and target not in to_ascii
    }
    to_ascii |= small_capitals
    to_ascii |= _one_a_script({c: small_capitals[t] for c, t in stable.items() if t in small_capitals} | to_ascii)
    others = {
        char: target
        for char, target in stable.items()
        if char not in to_ascii.keys() | by_looks
        and _is_mappable(char)
        and _is_mappable(target)
        and target not in to_ascii
        and _script(char) != _script(target)
    }
    in_latin = {char: target for char, target in capitals.items() if to_ascii.get(char.casefold(), char) != target}
    return _one_a_script(others) | to_ascii | in_latin | SAME


def _capitals(given: dict[str, str]) -> dict[str, str]:
    """Capitals that look like one ASCII letter."""
    return {
        char: target.casefold()
        for char, target in given.items()
        if len(small := char.casefold()) == 1 and small != char == unicodedata.normalize("NFKC", char)
        if char.isupper() and _is_like_a_letter(target)
    }


def _is_like_a_letter(target: str) -> bool:
    return len(target) == 1 and target.isascii() and target.isalpha() and target != "l"  # which is also I's prototype


def _may_become(char: str, target: str) -> bool:
    """Whether it looks like ASCII: a letter like letters, a digit like itself, a modifier like an apostrophe."""
    if not target.isascii():
        return unicodedata.category(char) == "No" and _plain(target) == str(unicodedata.digit(char, None))
    match unicodedata.category(char):
        case "Lm" if not target.strip("'"):
            return True
        case "Cn":  # newer than the Unicode of this Python, such as outlined letters and digits
            return target.isalnum()
        case category:
            return category[0] == "L" and target.isalpha()


def _one_a_script(mapped: dict[str, str]) -> dict[str, str]:
    """Without those that would make two letters of one script one."""
    first: dict[tuple[str, str], str] = {}
    for char, target in sorted(mapped.items()):
        first.setdefault((target, char if _script(char) in {"LATIN", "MODIFIER", ""} else _script(char)), char)
    return {char: mapped[char] for char in first.values()}


def _is_mappable(char: str) -> bool:
    letter = len(char) == 1 and not char.isascii() and unicodedata.category(char)[0] == "L"
    return letter and _plain(char) == char and char not in APART


def _script(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0]


def _plain(text: str) -> str:
    """The text as `domain/lookalike.py` sees it before it maps characters."""
    text = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(char for char in text if unicodedata.category(char) != "Cf")


def _chars(hexes: str) -> str:
    return "".join(chr(int(each, 16)) for each in hexes.split())


if __name__ == "__main__":
    WRITTEN.write_text(written())
