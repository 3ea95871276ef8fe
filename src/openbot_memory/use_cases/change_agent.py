"""Create an agent, and change its memory by hand: Remember, Forget, Erase, Restore (A8)."""

from dataclasses import dataclass, replace

from openbot_memory.domain import durable
from openbot_memory.domain.agent import Agent, new_generation
from openbot_memory.domain.commands import Command, Erase, Moment, Remember, carry_out, check_durable
from openbot_memory.domain.errors import AgentExists, PersonRequired, VersionNotFound
from openbot_memory.domain.facts import clean_key
from openbot_memory.domain.lookalike import sought
from openbot_memory.domain.session import PrincipalType, Trigger, Version, fold
from openbot_memory.store.memory import Stale
from openbot_memory.use_cases.change_session import announce_change
from openbot_memory.use_cases.delete import request_agent_cleaning, request_agent_cleaning_best_effort
from openbot_memory.use_cases.views import agent_view, entries_view, fact_view, fitting_in
from openbot_memory.use_cases.world import Call, Json, World, until_committed

MOST_SHOWN = 100_000  # bytes of the entries that the answer to a Restore shows


@dataclass(frozen=True, slots=True)
class Restore:
    """Bring the entries back to how they were at a version, as a new version."""

    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAgent:
    name: str
    shared: bool = False
    id: str | None = None


def create(world: World, call: Call, new: NewAgent) -> Json:
    """Make an agent. Raises AgentExists."""
    now = world.now()
    agent = Agent(
        id=new.id or world.new_id(),
        name=new.name,
        shared=new.shared,
        generation=new_generation(0, world.random()),
        created_at=now,
        updated_at=now,
    )
    view = agent_view(agent)
    try:
        world.agents(call.org).create(agent, call.keep(view))
    except Stale:
        raise AgentExists from None
    return view


def change(world: World, call: Call, identifier: str, expected: int, command: Command | Restore) -> Json:
    """Carry out one command as one version.

    Raises AgentNotFound, AgentMemoryConflict, UnknownKey, MemoryFull, InvalidRequest, PersonRequired, VersionNotFound.
    """
    if isinstance(command, Restore):
        view = until_committed(lambda: _restore(world, call, identifier, expected, command.version))
        request_agent_cleaning_best_effort(world, call.org, identifier)
        return view
    cleaned = replace(command, key=clean_key(command.key, "command.key"))
    view = until_committed(lambda: _change_entry(world, call, identifier, expected, cleaned))
    if isinstance(command, Erase):
        request_agent_cleaning(world, call.org, identifier)
    return view


def _change_entry(world: World, call: Call, identifier: str, expected: int, command: Command) -> Json:
    agents = world.agents(call.org)
    agent, before = agents.agent_with(identifier, command.key)
    if isinstance(command, Erase) and before and before.erased:
        return entries_view(agent, [fact_view(before)])  # asked again, as for a session
    agent.check(expected)
    by_person = call.caller.type is PrincipalType.PERSON
    check_durable(command, before, by_person=by_person)
    moment = Moment(at=agent.later(world.now()), step=agent.version + 1, salt=call.org)
    entry = carry_out(
        command, before, moment, keys=agent.tally.keys, rules=world.rules, holds_secret=world.holds_secret
    )
    if isinstance(command, Remember) and not by_person and before is None:
        key, contents = sought(entry.key, entry.content, None, call.org)
        if agents.memory(identifier).forgotten(agent, {key, *contents}):
            raise PersonRequired  # a forgotten entry in another dress
    known = {before.key: before} if before else {}
    after = agent.changed(entry.updated_at, [entry], known)
    version = after.current(Trigger.PERSON, changes=(entry,), by=call.caller)
    view = entries_view(after, [fact_view(entry)])
    erased = entry if isinstance(command, Erase) else None
    agents.commit(agent, after, version, known, erased=erased, also=call.keep(view))
    announce(world, call.org, identifier, version)
    return view


def _restore(world: World, call: Call, identifier: str, expected: int, to: int) -> Json:
    """An entry that was forgotten since and was not there then stays forgotten: else it could be learned again (A4)."""
    if call.caller.type is not PrincipalType.PERSON:
        raise PersonRequired
    agents = world.agents(call.org)
    agent, entries = agents.memory(identifier).whole()
    agent.check(expected)
    if not 0 <= to <= agent.version:
        raise VersionNotFound("The agent's memory never had this version.")
    then = fold(agents.versions(identifier, 1, to), agents.memory(identifier).tombstones())
    now = {entry.key: entry for entry in entries}
    changes = durable.restored(then, now, agent.version + 1)
    removed = tuple(key for key, entry in now.items() if entry.active and key not in then)
    target = {key: entry for key, entry in now.items() if key not in removed} | {each.key: each for each in changes}
    after = agent.rewritten(agent.later(world.now()), target.values(), world.random())
    version = after.current(Trigger.PERSON, changes=changes, removed=removed, by=call.caller)
    view = entries_view(after, fitting_in(map(fact_view, changes), MOST_SHOWN))
    agents.replace(agent, after, version, target.values(), call.keep(view))
    announce(world, call.org, identifier, version)
    return view


def announce(world: World, org: str, identifier: str, version: Version) -> None:
    """Put on the bus that an agent's memory changed."""
    announce_change(world, org, {"agent": identifier, "version": version.step}, version.keys, version.trigger)
