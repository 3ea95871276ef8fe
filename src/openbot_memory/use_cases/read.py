"""What only reads of a session: its view, memory, log and items; and the organization's settings."""

from openbot_memory.use_cases.cursors import seal, unseal
from openbot_memory.use_cases.pages import Page, Wanted, facts_shown, page_of_facts, shown
from openbot_memory.use_cases.ports import Json, Reader
from openbot_memory.use_cases.views import (
    fitting_in,
    item_view,
    memory_view,
    organization_view,
    session_view,
    version_view,
)


def session(reader: Reader, org: str, identifier: str) -> Json:
    return session_view(*reader.sessions(org).state(identifier))


def organization(reader: Reader, org: str) -> Json:
    return organization_view(reader.sessions(org).organization())


def memory(reader: Reader, org: str, identifier: str, wanted: Wanted) -> Json:
    """S1: everything that fits an answer, or a page, in the order of the keys."""
    sessions = reader.sessions(org)
    if wanted.everything:
        state, found = sessions.whole(identifier)
        found = [fact for fact in found if wanted(fact)]
        views, more = facts_shown(state.session, found, len(found))
        return memory_view(*state, views) | more
    history, state = reader.history(org), sessions.state(identifier)
    session, found = page_of_facts(
        sessions.memory(identifier),
        state.session,
        lambda: sessions.state(identifier).session,
        history.change,
        wanted,
    )
    views, more = facts_shown(session, found, wanted.size)
    return memory_view(session, state.organization, views) | more


def items(reader: Reader, org: str, identifier: str, page: Page) -> Json:
    """The items of the current timeline, oldest first."""
    session = reader.sessions(org).state(identifier).session
    (last,) = unseal(session.generation, "items", page.cursor) if page.cursor else [0]
    numbers = session.timeline.items.after(last)
    found = reader.history(org).items(session, numbers.first(page.limit), limit=page.limit)
    views = fitting_in(map(item_view, found))
    end = numbers.first(len(views)).last
    return {"items": views, "cursor": seal(session.generation, "items", end) if numbers.after(end) else None}


def log(reader: Reader, org: str, identifier: str, page: Page) -> Json:
    """Every change of the memory, newest first, also those on branches that were left."""
    session = reader.sessions(org).state(identifier).session
    (before,) = unseal(session.generation, "log", page.cursor) if page.cursor else [None]
    found = reader.history(org).log(session, before, page.limit + 1)
    views, cursor = shown(session.generation, "log", found, page.limit, version_view, lambda version: (version.step,))
    return {"log": views, "cursor": cursor}
