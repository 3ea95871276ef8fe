"""Create an agent and change its memory by hand: Remember, Forget, Restore (A8)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple, Unpack

from openbot_memory.domain import durable, rules
from openbot_memory.domain.agent import Agent, new_generation
from openbot_memory.domain.errors import AgentExists, PersonRequired, VersionNotFound
from openbot_memory.domain.facts import Fact, clean_key
from openbot_memory.domain.session import PrincipalType, Tally, Timeline, Trigger, Version, fold
from openbot_memory.store.memories import Stale
from openbot_memory.use_cases.change import Change, Command, Erase, Remember, tell_changed
from openbot_memory.use_cases.cleaning import ask_for_cleaning_of_agent, tell_of_leftovers_of_agent
from openbot_memory.use_cases.ports import Call, Json, World, until_committed
from openbot_memory.use_cases.views import agent_view, entries_view, fact_view, fitting_in, keys_of

MOST_SHOWN = 100_000  # bytes of the entries that the answer to a Restore shows


@dataclass(frozen=True, slots=True)
class Restore:
    """Bring the entries back to how they were at a version, as a new one."""

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
        id=new.id or world.random() + world.random(),
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


class _Done(NamedTuple):
    view: Json
    version: Version | None = None


def change(world: World, call: Call, identifier: str, expected: int, command: Command | Restore) -> Json:
    """Carry out one command as one version.

    Raises AgentNotFound, AgentMemoryConflict, UnknownKey, MemoryFull, InvalidRequest, PersonRequired, VersionNotFound.
    """
    if isinstance(command, Restore):
        done = until_committed(lambda: _restore(world, call, identifier, expected, command.version))
    else:
        cleaned = replace(command, key=clean_key(command.key, "command.key"))
        done = until_committed(lambda: _change_entry(world, call, identifier, expected, cleaned))
    if done.version:
        announce(world, call.org, identifier, done.version)
    if isinstance(command, Erase):
        ask_for_cleaning_of_agent(world, call.org, identifier)
    elif isinstance(command, Restore):
        tell_of_leftovers_of_agent(world, call.org, identifier)
    return done.view


def _change_entry(world: World, call: Call, identifier: str, expected: int, command: Command) -> _Done:
    agents = world.agents(call.org)
    agent, before = agents.agent_with(identifier, command.key)
    if isinstance(command, Erase) and before and before.erased:
        return _Done(entries_view(agent, [fact_view(before)]))
    agent.check(expected)
    entry = _decide(world, call, agent, before, command)
    known = {before.key: before} if before else {}
    after = agent.changed(entry.updated_at, [entry], known)
    version = made(after, Trigger.PERSON, changes=(entry,), by=call.caller)
    view = entries_view(after, [fact_view(entry)])
    erased = entry if isinstance(command, Erase) else None
    agents.commit(agent, after, version, known, erased=erased, also=call.keep(view))
    return _Done(view, version)


def _decide(world: World, call: Call, agent: Agent, before: Fact | None, command: Command) -> Fact:
    at, step = agent.later(world.now()), agent.version + 1
    if not isinstance(command, Remember):
        entry = rules.forget(before, at=at, step=step, sources=())
        return rules.erased(entry) if isinstance(command, Erase) else entry
    return durable.remember(
        command.key,
        command.content,
        command.kind,
        before,
        by_person=call.caller.type is PrincipalType.PERSON,
        keys=agent.tally.keys,
        limits=world.rules,
        holds_secret=world.holds_secret,
        at=at,
        step=step,
    )


def _restore(world: World, call: Call, identifier: str, expected: int, to: int) -> _Done:
    """What was forgotten since, and was not there then, stays as forgotten: else it could be learned again (A4)."""
    if call.caller.type is not PrincipalType.PERSON:
        raise PersonRequired
    agents = world.agents(call.org)
    agent, entries = agents.memory(identifier).whole()
    agent.check(expected)
    if not 0 <= to <= agent.version:
        raise VersionNotFound("The agent's memory never had this version.")
    then = fold(agents.versions(identifier, 1, to), agents.memory(identifier).erased())
    now = {entry.key: entry for entry in entries}
    changes = durable.restored(then, now, agent.version + 1)
    removed = tuple(key for key, entry in now.items() if entry.active and key not in then)
    target = {key: entry for key, entry in now.items() if key not in removed} | {each.key: each for each in changes}
    after = replaced(world, agent, target.values())
    version = made(after, Trigger.PERSON, changes=changes, removed=removed, by=call.caller)
    view = entries_view(after, fitting_in(map(fact_view, changes), MOST_SHOWN))
    agents.replace(agent, after, version, target.values(), call.keep(view))
    return _Done(view, version)


def replaced(world: World, agent: Agent, entries: Iterable[Fact]) -> Agent:
    """The agent at its next version, with all its entries written anew."""
    return replace(
        agent,
        version=agent.version + 1,
        generation=new_generation(agent.version + 1, world.random()),
        tally=Tally().after(entries, {}),
        updated_at=agent.later(world.now()),
    )


def made(agent: Agent, trigger: Trigger, **what: Unpack[Change]) -> Version:
    """The version that an agent's memory has just come to."""
    return Version(
        id=str(agent.version),
        step=agent.version,
        at=agent.updated_at,
        trigger=trigger,
        timeline=Timeline(),
        **what,
    )


def announce(world: World, org: str, identifier: str, version: Version) -> None:
    """Tell the bus that an agent's memory changed."""
    tell_changed(world, org, {"agent": identifier, "version": version.step}, keys_of(version), version.trigger)
