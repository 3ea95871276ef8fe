"""What is removed after the fact, started by events: each step may be repeated, and a crash between two loses none."""

from openbot_memory.domain.errors import AgentNotFound, SessionNotFound
from openbot_memory.store.removal import Removal
from openbot_memory.use_cases.ports import Json, World

LONGEST_READ = 12_000  # ms; more than a read may take, so that none loses the facts under its hands
LONGEST_COMMAND = 30_000  # ms; more than a command may take, so that none writes after the last row went


def ask_for_cleaning(world: World, org: str, identifier: str) -> None:
    """Raises Unavailable: then the caller asks again."""
    world.bus.put(*_cleaning(org, identifier))


def ask_for_cleaning_of_agent(world: World, org: str, identifier: str) -> None:
    """Raises Unavailable: then the caller asks again."""
    world.bus.put(*_cleaning_of_agent(org, identifier))


def tell_of_leftovers(world: World, org: str, identifier: str) -> None:
    """Nobody reads them, and the next cleaning takes them, too, so a lost event fails nothing."""
    world.bus.tell(*_cleaning(org, identifier))


def tell_of_leftovers_of_agent(world: World, org: str, identifier: str) -> None:
    world.bus.tell(*_cleaning_of_agent(org, identifier))


def _cleaning(org: str, identifier: str) -> tuple[str, str, Json]:
    return "openbot.memory", "Cleaning Requested", {"organization": org, "session": identifier}


def _cleaning_of_agent(org: str, identifier: str) -> tuple[str, str, Json]:
    return "openbot.memory", "Agent Cleaning Requested", {"organization": org, "agent": identifier}


def ask_for_deletion(world: World, org: str, identifier: str) -> None:
    """Raises Unavailable: then the caller asks again."""
    world.bus.put("openbot.memory", "Deletion Requested", {"organization": org, "session": identifier})


def clean(world: World, org: str, identifier: str) -> None:
    """Delete the facts that a rewind has left behind, and the content of what was erased from old versions."""
    sessions = world.sessions(org)
    memory = sessions.memory(identifier)
    try:
        _wait(world, sessions.state(identifier).session.updated_at + LONGEST_READ)
        session = sessions.state(identifier).session
        memory.clean(session, session.revision)
    except SessionNotFound:
        return
    memory.scrub()


def clean_agent(world: World, org: str, identifier: str) -> None:
    """The same for an agent: what a Restore has left behind, and the content of what was erased."""
    agents = world.agents(org)
    try:
        _wait(world, agents.agent(identifier).updated_at + LONGEST_READ)
        agents.clean(agents.agent(identifier))
    except AgentNotFound:
        return
    agents.memory(identifier).scrub()


def purge(world: World, org: str, identifier: str) -> None:
    """Delete the rows of a deleted session, but for those that forks of it need; these go with the last fork."""
    removal = Removal(world.table, org)
    deleted = removal.deleted_at(identifier)
    if deleted is None:
        return
    _wait(world, deleted + LONGEST_COMMAND)
    removal.purge(identifier)
    if removal.is_needed(identifier):
        return
    parent = removal.leave_parent(identifier)
    if parent and removal.deleted_at(parent) is not None:
        ask_for_deletion(world, org, parent)
    removal.finish(identifier)


def _wait(world: World, until: int) -> None:
    world.table.sleep(max(0, until - world.now()) / 1000)
