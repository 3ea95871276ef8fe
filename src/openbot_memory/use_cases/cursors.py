"""Opaque cursors: a position in one list, signed so that an altered cursor is refused.

The signature is made with the memory's generation, which nobody outside knows; a rewind begins another generation, so
pages of two timelines never mix. An organization's own lists have no such secret: there it shows only that the cursor
is one of that list. A position is made of numbers and ids: a cursor never holds a key.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode

from openbot_memory.domain.errors import InvalidRequest

SIGNATURE = 12  # bytes


def seal(secret: str, name: str, *position: int | str) -> str:
    """A cursor for a position in the list of that name."""
    text = ":".join([name, *map(str, position)]).encode()
    return urlsafe_b64encode(_mac(secret, text) + text).decode().rstrip("=")


def unseal(secret: str, name: str, cursor: str) -> list[str]:
    """The position. Raises InvalidRequest for a cursor that was not made for this list as it is now."""
    try:
        raw = urlsafe_b64decode(cursor.encode("ascii") + b"==")
    except ValueError:
        raw = b""
    mac, text = raw[:SIGNATURE], raw[SIGNATURE:]
    if not hmac.compare_digest(mac, _mac(secret, text)) or not text.startswith(f"{name}:".encode()):
        raise InvalidRequest.at("cursor", "The cursor is not one of this list. Begin again without it.")
    return text.decode().split(":")[1:]


def _mac(secret: str, text: bytes) -> bytes:
    return hmac.digest(secret.encode(), text, "sha256")[:SIGNATURE]
