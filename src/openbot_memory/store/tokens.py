"""Bearer tokens: opaque, shown once when issued, and kept only as a SHA-256.

| partition     | sort key | row                                                              |
|---------------|----------|------------------------------------------------------------------|
| TOKEN#sha256  | TOKEN    | organization, type, id, name, admin, expires (epoch seconds, TTL) |
"""

import hashlib
import re
import secrets
from typing import Any

from openbot_memory.domain.errors import InvalidRequest
from openbot_memory.domain.ids import identifier
from openbot_memory.domain.session import Principal, PrincipalType
from openbot_memory.store.table import ABSENT, PRESENT, ConditionFailed, Delete, Key, Put, Table

PREFIX = "obm_"
BYTES = 32  # of randomness
LONGEST_NAME = 200

_TOKEN = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}")


def issue(table: Table, principal: Principal, *, expires: int | None = None) -> str:
    """Keep a new token for the principal and return it. `expires`: epoch seconds, None for never."""
    _check(principal)
    token = PREFIX + secrets.token_urlsafe(BYTES)
    pk, sk = _key(token)
    row: dict[str, Any] = {
        "pk": pk,
        "sk": sk,
        "organization": principal.organization,
        "type": str(principal.type),
        "id": principal.id,
        "name": principal.name,
        "admin": principal.admin,
        "expires": expires,
    }
    table.commit(Put(row, ABSENT))
    return token


def find(table: Table, token: str, now: float) -> Principal | None:
    """Whose token it is. DynamoDB deletes expired rows within days only, so the time is checked here too."""
    if not _TOKEN.fullmatch(token):
        return None
    row = table.get(_key(token))[0]
    if row is None or ("expires" in row and row["expires"] <= now):
        return None
    return Principal(
        organization=row["organization"],
        type=PrincipalType(row["type"]),
        id=row["id"],
        name=row["name"],
        admin=row["admin"],
    )


def revoke(table: Table, token: str) -> bool:
    """Forget the token at once; a gateway may still remember it for its cache time. False: it was not known."""
    try:
        table.commit(Delete(_key(token), PRESENT))
    except ConditionFailed:
        return False
    return True


def _key(token: str) -> Key:
    return f"TOKEN#{hashlib.sha256(token.encode()).hexdigest()}", "TOKEN"


def _check(principal: Principal) -> None:
    """Ids become parts of keys and of events."""
    identifier(principal.organization, "organization")
    identifier(principal.id, "id")
    if len(principal.name) > LONGEST_NAME or not principal.name.isprintable():
        raise InvalidRequest.at("name", f"name must be at most {LONGEST_NAME} printable characters")
