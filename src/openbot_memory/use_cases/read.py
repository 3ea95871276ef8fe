"""What only reads: a session's or agent's view, memory and log, a session's items, the organization's settings."""

from collections.abc import Callable

from openbot_memory.domain.session import Version
from openbot_memory.use_cases import search
from openbot_memory.use_cases.cursors import seal, unseal
from openbot_memory.use_cases.pages import Page, Wanted, facts_shown, page_of_facts, shown
from openbot_memory.use_cases.views import (
    agent_version_view,
    agent_view,
    entries_view,
    fitting_in,
    item_view,
    memory_view,
    organization_view,
    session_view,
    version_view,
)
from openbot_memory.use_cases.world import Json, Reader


def organization(reader: Reader, org: str) -> Json:
    return organization_view(reader.sessions(org).organization())


def session(reader: Reader, org: str, identifier: str) -> Json:
    return session_view(*reader.sessions(org).state(identifier))


def agent(reader: Reader, org: str, identifier: str) -> Json:
    return agent_view(reader.agents(org).agent(identifier))


def session_memory(reader: Reader, org: str, identifier: str, wanted: Wanted) -> Json:
    """S1: everything that fits an answer, or a page, in the order of the keys; or what is near to a query."""
    sessions = reader.sessions(org)
    if wanted.query:
        return search.found(*sessions.memory(identifier).whole(), wanted.query, wanted)
    if wanted.everything:
        state, found = sessions.whole(identifier)
        views, more = facts_shown(state.session, list(filter(wanted, found)))
        return memory_view(*state, views) | more
    state = sessions.state(identifier)
    session, found = page_of_facts(
        sessions.memory(identifier),
        state.session,
        lambda: sessions.state(identifier).session,
        reader.history(org).change,
        wanted,
    )
    views, more = facts_shown(session, found, wanted.size)
    return memory_view(session, state.organization, views) | more


def agent_memory(reader: Reader, org: str, identifier: str, wanted: Wanted) -> Json:
    """A1: everything that fits an answer, or a page, in the order of the keys; or what is near to a query."""
    agents = reader.agents(org)
    memory = agents.memory(identifier)
    if wanted.query:
        agent, found = memory.whole()
        return entries_view(agent, ()) | search.found(agent, found, wanted.query, wanted)
    if wanted.everything:
        agent, found = memory.whole()
        views, more = facts_shown(agent, list(filter(wanted, found)))
        return entries_view(agent, views) | more
    agent, found = page_of_facts(
        memory, memory.read_head(), memory.read_head, lambda _, number: agents.version(identifier, number), wanted
    )
    views, more = facts_shown(agent, found, wanted.size)
    return entries_view(agent, views) | more


def items(reader: Reader, org: str, identifier: str, page: Page) -> Json:
    """The items of the current timeline, oldest first."""
    session = reader.sessions(org).state(identifier).session
    (last,) = map(int, unseal(session.generation, "items", page.cursor) if page.cursor else [0])
    numbers = session.timeline.items.after(last)
    found = reader.history(org).items(session, numbers.first(page.limit), limit=page.limit)
    views = fitting_in(map(item_view, found))
    end = numbers.first(len(views)).last
    return {"items": views, "cursor": seal(session.generation, "items", end) if numbers.after(end) else None}


def session_log(reader: Reader, org: str, identifier: str, page: Page) -> Json:
    """Every change of the memory, newest first, also those on branches that a rewind has left."""
    session, history = reader.sessions(org).state(identifier).session, reader.history(org)
    return _log(session.generation, page, lambda before, limit: history.log(session, before, limit), version_view)


def agent_log(reader: Reader, org: str, identifier: str, page: Page) -> Json:
    """A9: every version, newest first."""
    agents = reader.agents(org)
    generation = agents.agent(identifier).generation
    return _log(generation, page, lambda before, limit: agents.log(identifier, before, limit), agent_version_view)


def _log(
    secret: str, page: Page, read: Callable[[int | None, int], list[Version]], view: Callable[[Version], Json]
) -> Json:
    before = int(*unseal(secret, "log", page.cursor)) if page.cursor else None
    found = read(before, page.limit + 1)
    views, cursor = shown(secret, "log", found, page.limit, view, lambda version: (version.step,))
    return {"log": views, "cursor": cursor}
