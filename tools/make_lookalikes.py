"""Writes domain/confusables.py, run as `uv run --with confusable-homoglyphs==3.3.1 tools/make_lookalikes.py`.

The package carries Unicode's confusables (UTS 39) as JSON. Kept are letters and digits that look like others after
NFKC and case folding, which `domain/lookalike.py` does first. No ASCII character is mapped: 1500 is not I5OO. Letters
of one script that only resemble each other are told apart by those who write it, and so they are here.
"""

import json
import unicodedata
from importlib.resources import files
from itertools import batched
from pathlib import Path

WRITTEN = Path(__file__).parents[1] / "src/openbot_memory/domain/confusables.py"
HEAD = '''"""Look-alike characters and what they look like, written by tools/make_lookalikes.py. Do not edit.

From Unicode's confusables.txt (UTS 39), Copyright © Unicode, Inc., under the Unicode License V3
(https://www.unicode.org/license.txt), by way of confusable-homoglyphs 3.3.1 (MIT).
"""

PAIRS = """
'''
A_LINE = 25
DOTLESS = "ı"  # sınır is a border in Turkish, and sinir a nerve


def pairs() -> dict[str, str]:
    """Each look-alike, and its prototype or the first of its cluster."""
    path = files("confusable_homoglyphs").joinpath("confusables.json")
    given: dict[str, list[dict[str, str]]] = json.loads(path.read_text(encoding="utf-8"))
    found = {
        char: prototype
        for char, others in given.items()
        if len(others) == 1 and _is_mapped(char, prototype := _plain(others[0]["c"]))
    }
    return {char: found.get(prototype, prototype) for char, prototype in sorted(found.items())}


def _plain(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if unicodedata.category(c) != "Cf")


def _is_mapped(char: str, prototype: str) -> bool:
    if len(char) != 1 or char.isascii() or unicodedata.category(char)[0] not in "LN" or char == prototype:
        return False
    small = char.casefold() != char and prototype.isascii()  # a capital is mapped before its case is folded
    stands = (_plain(char) == char or small) and unicodedata.decimal(char, None) is None
    letters = bool(prototype) and all(unicodedata.category(c)[0] in "LN" for c in prototype)
    others = _script(char) != _script(prototype[:1]) or _script(char) == "ARABIC"
    return stands and letters and char != DOTLESS and (prototype.isascii() or (prototype < char and others))


def _script(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0]


if __name__ == "__main__":
    lines = [" ".join(line) for line in batched((f"{a}{b}" for a, b in pairs().items()), A_LINE, strict=False)]
    WRITTEN.write_text(HEAD + "\n".join(lines) + '\n"""\n')
