"""Idempotency-Key: the same request from the same caller is carried out once, and gets the same answer for a day.

The answer is written in the change's own transaction, so nothing has to be read first: a record is looked up only
where the request is refused or its key has a record already.
"""

import hashlib
import json
import time
from collections.abc import Callable

from openbot_memory.domain.errors import InvalidRequest, KeyReused, OpenBotError, TooLarge, Unavailable
from openbot_memory.http.gateway import Answer, Json, Request
from openbot_memory.store.idempotency import IdempotencyRecords, Record
from openbot_memory.store.memory import AlreadyKept
from openbot_memory.store.table import Put, Table
from openbot_memory.use_cases.world import Call

LONGEST_KEY = 255
LARGEST_ANSWER = 350_000  # characters; a row has at most 400 KB
HEADER = "idempotency-key"


def carried_out_once(table: Table, request: Request, status: int, carry_out: Callable[[Call], Json]) -> Answer:
    """Raises InvalidRequest for a bad key, KeyReused for one that was used with another path or body."""
    key = request.header(HEADER)
    if key is None:
        return status, carry_out(Call(caller=request.caller))
    if not (1 <= len(key) <= LONGEST_KEY and key.isascii() and key.isprintable()):
        raise InvalidRequest.at(HEADER, f"The key must have 1 to {LONGEST_KEY} printable characters of ASCII.")
    records, digest = IdempotencyRecords(table, request.caller), _digest(request)

    def keep(answer: Json) -> list[Put]:
        if len(json.dumps(answer)) > LARGEST_ANSWER:
            raise TooLarge("The answer is too large to be kept for an Idempotency-Key. Send the request without one.")
        return [records.put(key, Record(digest, status, answer), int(time.time()))]

    try:
        return status, carry_out(Call(caller=request.caller, keep=keep))
    except Unavailable:
        raise  # the change may be committed, but its event may be missing: the same request again puts it
    except (OpenBotError, AlreadyKept) as refusal:
        kept = records.find(key, int(time.time()))
        if kept is None:
            raise (Unavailable() if isinstance(refusal, AlreadyKept) else refusal) from None
        if kept.request != digest:
            raise KeyReused from None
        return kept.status, kept.answer


def _digest(request: Request) -> str:
    text = json.dumps([request.path, request.body()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
