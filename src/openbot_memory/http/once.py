"""Idempotency-Key: the same request from the same caller is carried out once, and answered the same a day long.

The answer is written in the change's own transaction, so nothing is asked first: only a request that is refused, or
whose key has an answer already, is looked up.
"""

import hashlib
import json
import time
from collections.abc import Callable

from openbot_memory.domain.errors import InvalidRequest, KeyReused, OpenBotError, TooLarge, Unavailable
from openbot_memory.http.gateway import Answer, Json, Request
from openbot_memory.store.memories import AlreadyKept
from openbot_memory.store.receipts import Receipt, Receipts
from openbot_memory.store.table import Put, Table
from openbot_memory.use_cases.ports import Call

LONGEST_KEY = 255
LARGEST_ANSWER = 350_000  # characters; a row has at most 400 KB
HEADER = "idempotency-key"


def once(table: Table, request: Request, status: int, carry_out: Callable[[Call], Json]) -> Answer:
    """Raises InvalidRequest for a bad key, KeyReused for one that came with another path or body."""
    key = request.header(HEADER)
    if key is None:
        return status, carry_out(Call(caller=request.caller))
    if not (1 <= len(key) <= LONGEST_KEY and key.isascii() and key.isprintable()):
        raise InvalidRequest.at(HEADER, f"The key has 1 to {LONGEST_KEY} printable characters of ASCII.")
    receipts, digest = Receipts(table, request.caller), _digest(request)

    def keep(answer: Json) -> list[Put]:
        if len(json.dumps(answer)) > LARGEST_ANSWER:
            raise TooLarge("The answer is too large to be kept for an Idempotency-Key. Send it without one.")
        return [receipts.put(key, Receipt(digest, status, answer), int(time.time()))]

    try:
        return status, carry_out(Call(caller=request.caller, keep=keep))
    except Unavailable:
        raise  # the change may be there, but not all that belongs to it; the same request again sees to that
    except (OpenBotError, AlreadyKept) as refusal:
        kept = receipts.find(key, int(time.time()))
        if kept is None:
            raise (Unavailable() if isinstance(refusal, AlreadyKept) else refusal) from None
        if kept.request != digest:
            raise KeyReused from None
        return kept.status, kept.answer


def _digest(request: Request) -> str:
    text = json.dumps([request.path, request.body()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
