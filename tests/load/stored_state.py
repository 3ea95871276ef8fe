"""Reads the stored state of each session and of the agent through the API, once the service is idle."""

import time
from collections.abc import Iterable, Mapping

import httpx
from consistency import Json, StoredState
from journal import Journal
from users import AGENT

PAGE = 500
LONGEST_WAIT = 300  # seconds for consolidation and learning under way


def until_quiet(client: httpx.Client, journal: Journal) -> None:
    """Wait until all turns are consolidated and learned, but not for ever: the check finds what is missing."""
    end = time.monotonic() + LONGEST_WAIT
    waiting = {turn.session for turn in journal.turns}
    while waiting and time.monotonic() < end:
        waiting = {
            each for each in waiting if _get(client, f"/v1/sessions/{each}")["memory"]["consolidation"]["waiting"]
        }
        time.sleep(1)
    learns = {made.session for made in journal.made if made.agent}
    lessons = sum(turn.session in learns for turn in journal.turns)
    while _lessons(client) < lessons and time.monotonic() < end:
        time.sleep(2)


def _lessons(client: httpx.Client) -> int:
    return sum(len(row["keys"]) for row in _log(client, f"/v1/agents/{AGENT}") if row["trigger"] == "consolidation")


def sessions(client: httpx.Client, identifiers: Iterable[str]) -> Mapping[str, StoredState]:
    return {each: _session(client, f"/v1/sessions/{each}") for each in identifiers}


def _session(client: httpx.Client, path: str) -> StoredState:
    view = _get(client, path)
    return StoredState(
        head=view["session"],
        entries=_entries(client, path),
        log=_log(client, path),
        items=_pages(client, f"{path}/items", "items"),
        consolidation=view["memory"]["consolidation"],
    )


def agent(client: httpx.Client) -> StoredState:
    path = f"/v1/agents/{AGENT}"
    return StoredState(head=_get(client, path)["agent"], entries=_entries(client, path), log=_log(client, path))


def _log(client: httpx.Client, path: str) -> list[Json]:
    return _pages(client, f"{path}/memory/log", "log")


def _entries(client: httpx.Client, path: str) -> Json:
    found: Json = {}
    cursor: str | None = None
    while page := _get(client, f"{path}/memory", **_cursor(cursor)):
        found |= page["entries"]
        cursor = page.get("cursor")
        if cursor is None:
            break
    return found


def _pages(client: httpx.Client, path: str, what: str) -> list[Json]:
    found, cursor = list[Json](), None
    while page := _get(client, path, **_cursor(cursor)):
        found += page[what]
        cursor = page["cursor"]
        if cursor is None:
            break
    return found


def _cursor(cursor: str | None) -> dict[str, str | int]:
    return {"limit": PAGE} | ({"cursor": cursor} if cursor else {})


def _get(client: httpx.Client, path: str, **query: str | int) -> Json:
    answer = client.get(path, params=query)
    answer.raise_for_status()
    return answer.json()
