"""Answers kept for an Idempotency-Key: a day long, written in the transaction of the change that they answer."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from openbot_memory.domain.session import Principal
from openbot_memory.store import keys
from openbot_memory.store.table import Condition, Key, Put, Table

DAY = 24 * 60 * 60  # seconds


class Receipt(NamedTuple):
    request: str  # the digest of path and body
    status: int
    answer: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Receipts:
    table: Table
    caller: Principal

    def put(self, key: str, receipt: Receipt, now: int) -> Put:
        """`now`: epoch seconds. An expired receipt is as none, also before DynamoDB deletes it."""
        pk, sk = self._key(key)
        row = {
            "pk": pk,
            "sk": sk,
            "request": receipt.request,
            "status": receipt.status,
            "answer": json.dumps(receipt.answer, ensure_ascii=False),
            "expires": now + DAY,
        }
        return Put(row, Condition("attribute_not_exists(#pk) OR #expires <= :now", {"now": now}))

    def find(self, key: str, now: int) -> Receipt | None:
        row = self.table.get(self._key(key))[0]
        if row is None or row["expires"] <= now:
            return None
        return Receipt(row["request"], row["status"], json.loads(row["answer"]))

    def _key(self, key: str) -> Key:
        who = self.caller
        return keys.caller(who.organization, who.type, who.id), f"KEY#{hashlib.sha256(key.encode()).hexdigest()}"
