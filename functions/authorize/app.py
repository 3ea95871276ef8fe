"""Lambda authorizer of the HTTP API (payload 2.0, simple responses): a bearer token becomes a principal.

An outage of the table raises, so that the gateway answers 500. Nothing of an event is logged: it holds the token.
"""

import time
from collections.abc import Mapping
from typing import Any

from openbot_memory.domain.session import Principal
from openbot_memory.runtime.wiring import table
from openbot_memory.store import tokens

table()  # builds the client while Lambda loads this, not in the first request

REFUSED: dict[str, Any] = {"isAuthorized": False, "context": {}}


def handler(event: Mapping[str, Any], _context: object) -> dict[str, Any]:
    token = _bearer(event.get("headers") or {})
    principal = tokens.find(table(), token, time.time()) if token else None
    return {"isAuthorized": True, "context": _context_of(principal)} if principal else REFUSED


def _bearer(headers: Mapping[str, str]) -> str | None:
    """The token of `Authorization: Bearer <token>`. HTTP APIs send header names in small letters."""
    value = next((value for name, value in headers.items() if name.lower() == "authorization"), "")
    scheme, _, token = value.partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def _context_of(principal: Principal) -> dict[str, str]:
    return {
        "organization": principal.organization,
        "type": str(principal.type),
        "id": principal.id,
        "name": principal.name,
        "admin": "true" if principal.admin else "false",
    }
