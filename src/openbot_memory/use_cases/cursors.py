"""Opaque cursors: a place in one list of one session, sealed so that an altered one is refused.

The seal is made with the session's generation, which nobody outside knows; going back in the timeline begins another,
so pages of two timelines never mix. A place is made of numbers: a key never stands in a cursor.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode

from openbot_memory.domain.errors import InvalidRequest

SEAL = 12  # bytes


def seal(secret: str, name: str, *place: int) -> str:
    """Return a cursor for a place in the list of that name."""
    text = ":".join([name, *map(str, place)]).encode()
    return urlsafe_b64encode(_mac(secret, text) + text).decode().rstrip("=")


def unseal(secret: str, name: str, cursor: str) -> list[int]:
    """Return the place. Raises InvalidRequest for a cursor that was not made for this list as it is now."""
    try:
        raw = urlsafe_b64decode(cursor.encode("ascii") + b"==")
    except ValueError:
        raw = b""
    mac, text = raw[:SEAL], raw[SEAL:]
    if not hmac.compare_digest(mac, _mac(secret, text)) or not text.startswith(f"{name}:".encode()):
        raise InvalidRequest.at("cursor", "The cursor is not one of this list. Begin again without it.")
    return [int(number) for number in text.decode().split(":")[1:]]


def _mac(secret: str, text: bytes) -> bytes:
    return hmac.digest(secret.encode(), text, "sha256")[:SEAL]
