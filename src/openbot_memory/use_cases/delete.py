"""Delete sessions, and clean up in the background: each step may be repeated, and a crash between two loses none.

Readers and writers never see what these steps remove, so they may run at any time after the change.
"""

from openbot_memory.domain.errors import AgentNotFound, Forbidden, SessionNotFound
from openbot_memory.domain.session import PrincipalType
from openbot_memory.store.deletion import Deletion
from openbot_memory.use_cases.world import Call, Json, World, until_committed

LONGEST_READ = 12_000  # ms; a read that began before a rewind has ended by then
LONGEST_COMMAND = 30_000  # ms; a command that began before a deletion has ended by then


def delete(world: World, call: Call, identifier: str) -> Json:
    """Delete a session: from now on it is unknown, and its rows follow. Asked again meanwhile, it answers the same.

    Raises Forbidden unless an administrator or a host asks, SessionNotFound, Unavailable.
    """
    if not (call.caller.admin or call.caller.type is PrincipalType.HOST):
        raise Forbidden
    deletion = Deletion(world.table, call.org)

    def begin() -> None:
        try:
            session = world.sessions(call.org).state(identifier).session
        except SessionNotFound:
            if deletion.deleted_at(identifier) is None:
                raise
        else:
            deletion.begin(session, world.now())

    until_committed(begin)
    _request_deletion(world, call.org, identifier)
    return {"session": {"id": identifier, "deleted": True}}


# Requests by event. Where one must not be lost, Unavailable is raised, and the caller repeats the whole command.


def _request_deletion(world: World, org: str, identifier: str) -> None:
    world.bus.put("openbot.memory", "Deletion Requested", {"organization": org, "session": identifier})


def request_cleaning(world: World, org: str, identifier: str) -> None:
    world.bus.put(*_cleaning(org, identifier))


def request_agent_cleaning(world: World, org: str, identifier: str) -> None:
    world.bus.put(*_agent_cleaning(org, identifier))


def request_cleaning_best_effort(world: World, org: str, identifier: str) -> None:
    """For rows that nobody reads, and that the next cleaning removes as well."""
    world.bus.put_best_effort(*_cleaning(org, identifier))


def request_agent_cleaning_best_effort(world: World, org: str, identifier: str) -> None:
    world.bus.put_best_effort(*_agent_cleaning(org, identifier))


def _cleaning(org: str, identifier: str) -> tuple[str, str, Json]:
    return "openbot.memory", "Cleaning Requested", {"organization": org, "session": identifier}


def _agent_cleaning(org: str, identifier: str) -> tuple[str, str, Json]:
    return "openbot.memory", "Agent Cleaning Requested", {"organization": org, "agent": identifier}


# What these events start


def clean(world: World, org: str, identifier: str) -> None:
    """Delete the facts of generations before the last rewind, and the content of erased facts from old versions."""
    sessions = world.sessions(org)
    memory = sessions.memory(identifier)
    try:
        _wait_until(world, sessions.state(identifier).session.updated_at + LONGEST_READ)
        session = sessions.state(identifier).session
        memory.clean(session, session.revision)
    except SessionNotFound:
        return
    memory.scrub()


def clean_agent(world: World, org: str, identifier: str) -> None:
    """The same for an agent, whose Restore is what a rewind is for a session."""
    agents = world.agents(org)
    try:
        _wait_until(world, agents.agent(identifier).updated_at + LONGEST_READ)
        agents.clean(agents.agent(identifier))
    except AgentNotFound:
        return
    agents.memory(identifier).scrub()


def finish_deletion(world: World, org: str, identifier: str) -> None:
    """Delete the rows of a deleted session. What its forks need stays, and is deleted with the last of them."""
    deletion = Deletion(world.table, org)
    deleted = deletion.deleted_at(identifier)
    if deleted is None:
        return
    _wait_until(world, deleted + LONGEST_COMMAND)
    deletion.delete_rows(identifier)
    if deletion.is_needed_by_forks(identifier):
        return
    parent = deletion.release_parent(identifier)
    if parent and deletion.deleted_at(parent) is not None:
        _request_deletion(world, org, parent)
    deletion.finish(identifier)


def _wait_until(world: World, moment: int) -> None:
    world.table.sleep(max(0, moment - world.now()) / 1000)
