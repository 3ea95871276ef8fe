"""The query strings of the reading routes."""

from enum import StrEnum

from openbot_memory.domain.errors import InvalidRequest
from openbot_memory.domain.facts import Kind, Status
from openbot_memory.domain.ids import identifier
from openbot_memory.http.gateway import Request
from openbot_memory.use_cases.lists import PageOfSessions
from openbot_memory.use_cases.pages import PAGE, Page, Wanted

LONGEST_PAGE = 500
MOST_DIGITS = 15
LONGEST_QUERY = 1000  # characters


def page(request: Request) -> Page:
    """`limit` and `cursor` of a list. Raises InvalidRequest."""
    query = request.query("limit", "cursor")
    return Page(limit=_limit(query) or PAGE, cursor=_cursor(query))


def page_of_sessions(request: Request) -> PageOfSessions:
    """`agent`, `limit` and `cursor`. Raises InvalidRequest."""
    query = request.query("agent", "limit", "cursor")
    agent = identifier(query["agent"], "agent") if "agent" in query else None
    return PageOfSessions(agent=agent, limit=_limit(query) or PAGE, cursor=_cursor(query))


def search(request: Request) -> str | None:
    """`q` alone. Raises InvalidRequest."""
    return _search(request.query("q"))


def cursor(request: Request) -> str | None:
    """`cursor` alone. Raises InvalidRequest."""
    return _cursor(request.query("cursor"))


def wanted(request: Request) -> Wanted:
    """Which facts of a memory. Raises InvalidRequest."""
    query = request.query("q", "status", "kind", "limit", "cursor")
    return Wanted(
        query=_search(query),
        status=_one_of(Status, query, "status"),
        kind=_one_of(Kind, query, "kind"),
        limit=_limit(query),
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


def _search(query: dict[str, str]) -> str | None:
    text = query.get("q")
    if text is not None and not (text.strip() and len(text) <= LONGEST_QUERY):
        raise InvalidRequest.at("q", f"q is what to search for, 1 to {LONGEST_QUERY} characters, and not blank.")
    return text


def _limit(query: dict[str, str]) -> int | None:
    if "limit" not in query:
        return None
    number = _number(query["limit"], "limit")
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
