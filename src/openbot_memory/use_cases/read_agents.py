"""What only reads of an agent: its view, memory and log."""

from openbot_memory.use_cases.cursors import unseal
from openbot_memory.use_cases.pages import Page, Wanted, facts_shown, page_of_facts, shown
from openbot_memory.use_cases.ports import Json, Reader
from openbot_memory.use_cases.views import agent_version_view, agent_view, entries_view


def agent(reader: Reader, org: str, identifier: str) -> Json:
    return agent_view(reader.agents(org).agent(identifier))


def memory(reader: Reader, org: str, identifier: str, wanted: Wanted) -> Json:
    """A1: everything that fits an answer, or a page, in the order of the keys."""
    agents = reader.agents(org)
    if wanted.everything:
        agent, found = agents.memory(identifier).whole()
        found = [entry for entry in found if wanted(entry)]
        views, more = facts_shown(agent, found, len(found))
        return entries_view(agent, views) | more
    agent, found = page_of_facts(
        agents.memory(identifier),
        agents.agent(identifier),
        lambda: agents.agent(identifier),
        lambda _, number: agents.version(identifier, number),
        wanted,
    )
    views, more = facts_shown(agent, found, wanted.size)
    return entries_view(agent, views) | more


def log(reader: Reader, org: str, identifier: str, page: Page) -> Json:
    """A9: every version, newest first."""
    agent = reader.agents(org).agent(identifier)
    (before,) = unseal(agent.generation, "log", page.cursor) if page.cursor else [None]
    found = reader.agents(org).log(identifier, before, page.limit + 1)
    views, cursor = shown(
        agent.generation, "log", found, page.limit, agent_version_view, lambda version: (version.step,)
    )
    return {"log": views, "cursor": cursor}
