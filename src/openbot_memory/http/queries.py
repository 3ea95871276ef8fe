"""The query strings of the reading routes."""

from enum import StrEnum

from openbot_memory.domain.errors import InvalidRequest
from openbot_memory.domain.facts import Kind, Status
from openbot_memory.http.gateway import Request
from openbot_memory.use_cases.pages import Page, Wanted

LONGEST_PAGE = 500
MOST_DIGITS = 15


def page(request: Request) -> Page:
    """`limit` and `cursor` of a list. Raises InvalidRequest."""
    query = request.query("limit", "cursor")
    limit = query.get("limit")
    return Page(cursor=_cursor(query), **({"limit": _limit(limit)} if limit is not None else {}))


def cursor(request: Request) -> str | None:
    """`cursor` alone. Raises InvalidRequest."""
    return _cursor(request.query("cursor"))


def wanted(request: Request) -> Wanted:
    """Which facts of a memory. Raises InvalidRequest."""
    query = request.query("status", "kind", "limit", "cursor")
    return Wanted(
        status=_one_of(Status, query, "status"),
        kind=_one_of(Kind, query, "kind"),
        limit=_limit(query["limit"]) if "limit" in query else None,
        cursor=_cursor(query),
    )


def _number(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
        raise InvalidRequest.at(name, f"{name} is a whole number.")
    return int(text)


def _cursor(query: dict[str, str]) -> str | None:
    """As it was given out; the list that it belongs to checks it."""
    if query.get("cursor") == "":
        raise InvalidRequest.at("cursor", "The cursor is empty. Begin without it.")
    return query.get("cursor")


def _limit(text: str) -> int:
    number = _number(text, "limit")
    if not 1 <= number <= LONGEST_PAGE:
        raise InvalidRequest.at("limit", f"limit is a number from 1 to {LONGEST_PAGE}.")
    return number


def _one_of[E: StrEnum](kind: type[E], query: dict[str, str], name: str) -> E | None:
    if name not in query:
        return None
    try:
        return kind(query[name])
    except ValueError:
        raise InvalidRequest.at(name, f"{name} is one of {', '.join(kind)}.") from None
