"""Whether a text holds a credential (S7): a password, a key, or a link that gives access.

Two ways to find one. Keys of known services, tokens and links show themselves by their *shape*. Passwords, PINs and
other keys are *stated*: a noun ("Passwort", "API key"), a link (":", "is", "lautet") and a value that looks like one,
and not like a remark on it ("expired", "12 characters"). In doubt, what directly follows a colon is a secret.

The patterns are our own, because detect-secrets takes over 300 ms to import and knows only code, no German, no PINs.
Every repetition is bounded or starts at a token's first character, so the work grows with the text's length only.
"""

import re
import unicodedata
from itertools import chain

from openbot_memory.secrets.shapes import gives_access, has_shape
from openbot_memory.secrets.statements import states_one

_INVISIBLE = (
    *(range(9), range(0xE, 0x1C), range(0x180B, 0x1810), range(0x200B, 0x2010), range(0x202A, 0x202F)),
    *(range(0x2060, 0x2070), range(0xFE00, 0xFE10), range(0xE0000, 0xE1000)),
    *((0x7F, 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x3164, 0xFEFF),),
)
_AS_READ = dict.fromkeys(chain(*_INVISIBLE)) | str.maketrans("«»„“”‚‘‹›`’", '"' * 10 + "'")


def holds_secret(text: str) -> bool:
    text = _plain(text)
    return has_shape(text) or gives_access(text) or states_one(text)


def _plain(text: str) -> str:
    """The text as a reader sees it: nothing invisible, one width, one kind of quotes, no blanks in a row."""
    text = unicodedata.normalize("NFKC", text).translate(_AS_READ)
    return re.sub(r"\s+", lambda blanks: "\n" if "\n" in blanks[0] else " ", text)
