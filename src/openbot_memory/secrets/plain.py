"""A text as a reader sees it: nothing invisible, one width, one kind of quotes, no blanks in a row."""

import re
import unicodedata
from itertools import chain

_INVISIBLE = (
    *(range(9), range(0xE, 0x1C), range(0x180B, 0x1810), range(0x200B, 0x2010), range(0x202A, 0x202F)),
    *(range(0x2060, 0x2070), range(0xFE00, 0xFE10), range(0xE0000, 0xE1000)),
    *((0x7F, 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x3164, 0xFEFF),),
)
# "İ" is the only letter whose small form is two characters: without it, small letters stand where the large ones stood.
_AS_READ = dict.fromkeys(chain(*_INVISIBLE)) | str.maketrans("«»„“”‚‘‹›`「」『』’İ", '"' * 14 + "'I")


def plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).translate(_AS_READ)
    return re.sub(r"\s+", lambda blanks: "\n" if "\n" in blanks[0] else " ", text)
