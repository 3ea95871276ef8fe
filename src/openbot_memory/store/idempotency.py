"""Idempotency records: answers kept a day for an Idempotency-Key, written in the transaction that they answer."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from openbot_memory.domain.session import Principal
from openbot_memory.store import keys
from openbot_memory.store.table import Condition, Key, Put, Table

DAY = 24 * 60 * 60  # seconds


class Record(NamedTuple):
    request: str  # the digest of path and body
    status: int
    answer: dict[str, Any]


@dataclass(frozen=True, slots=True)
class IdempotencyRecords:
    table: Table
    caller: Principal

    def put(self, key: str, record: Record, now: int) -> Put:
        """`now`: epoch seconds. An expired record counts as absent, also before DynamoDB deletes it."""
        pk, sk = self._key(key)
        row = {
            "pk": pk,
            "sk": sk,
            "request": record.request,
            "status": record.status,
            "answer": json.dumps(record.answer, ensure_ascii=False),
            "expires": now + DAY,
        }
        return Put(row, Condition("attribute_not_exists(#pk) OR #expires <= :now", {"now": now}))

    def find(self, key: str, now: int) -> Record | None:
        row = self.table.get(self._key(key))[0]
        if row is None or row["expires"] <= now:
            return None
        return Record(row["request"], row["status"], json.loads(row["answer"]))

    def _key(self, key: str) -> Key:
        who = self.caller
        return keys.caller(who.organization, who.type, who.id), f"KEY#{hashlib.sha256(key.encode()).hexdigest()}"
