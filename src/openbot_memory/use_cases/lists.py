"""The lists of an organization's sessions and agents, newest created first."""

from dataclasses import dataclass

from openbot_memory.store.directory import Directory, Listed
from openbot_memory.use_cases.cursors import seal, unseal
from openbot_memory.use_cases.pages import Page
from openbot_memory.use_cases.views import agent_in_list, session_in_list
from openbot_memory.use_cases.world import Json, Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOfSessions(Page):
    agent: str | None = None  # only its sessions


def sessions(reader: Reader, org: str, page: PageOfSessions) -> Json:
    """Raises AgentNotFound, InvalidRequest for a cursor of another list."""
    if page.agent:
        reader.agents(org).agent(page.agent)
    known = reader.sessions(org)
    name = f"sessions of {page.agent}" if page.agent else "sessions"
    ids, cursor = _ids(org, name, known.directory(), page, page.agent)
    return {"sessions": list(map(session_in_list, known.several(ids))), "cursor": cursor}


def agents(reader: Reader, org: str, page: Page) -> Json:
    """Raises InvalidRequest for a cursor of another list."""
    known = reader.agents(org)
    ids, cursor = _ids(org, "agents", known.directory(), page)
    return {"agents": list(map(agent_in_list, known.several(ids))), "cursor": cursor}


def _ids(
    org: str, name: str, directory: Directory, page: Page, agent: str | None = None
) -> tuple[list[str], str | None]:
    """The ids of a page, and a cursor for the id that the next one begins with, which may be gone by then."""
    upto = None
    if page.cursor:
        created_at, identifier = unseal(org, name, page.cursor)
        upto = Listed(int(created_at), identifier)
    found = directory.newest(page.limit + 1, upto, agent)
    following = found[page.limit :]
    return [listed.id for listed in found[: page.limit]], seal(org, name, *following[0]) if following else None
