"""Promotion: the durable facts of a session become its agent's entries (A10)."""

from openbot_memory.domain import durable
from openbot_memory.domain.agent import Agent
from openbot_memory.domain.errors import Forbidden
from openbot_memory.domain.facts import DURABLE, Fact
from openbot_memory.domain.items import Item, item_number
from openbot_memory.domain.lookalike import marks
from openbot_memory.domain.ranges import Ranges
from openbot_memory.domain.rules import MAX_CHANGES_BYTES, MAX_DROPPED, MAX_WRITES, Decision, Newest, size_of, writes_of
from openbot_memory.domain.session import PrincipalType, Trigger, Version
from openbot_memory.use_cases import metrics
from openbot_memory.use_cases.change_agent import announce
from openbot_memory.use_cases.world import Call, Json, World, until_committed


def promote(world: World, call: Call, session: str, agent: str) -> Json:
    """Take over what is durable, in one version; a second time changes nothing.

    Raises Forbidden for a host, SessionNotFound, AgentNotFound.
    """
    if call.caller.type is PrincipalType.HOST:
        raise Forbidden
    facts, items = _durable(world, call, session)
    version, view = until_committed(lambda: _promote(world, call, session, agent, facts, items))
    if version:
        metrics.dropped(world, version.dropped)
        announce(world, call.org, agent, version)
    return view


def _durable(world: World, call: Call, identifier: str) -> tuple[list[Fact], dict[str, Item]]:
    """The session's facts that may be promoted, and the items that support them."""
    session, facts = world.sessions(call.org).memory(identifier).whole()
    chosen = [fact for fact in facts if fact.active and fact.kind in DURABLE]
    numbers = (item_number(source) for fact in chosen for source in fact.sources if isinstance(source, str))
    return chosen, world.history(call.org).some(session, Ranges.of(filter(None, numbers)))


def _promote(
    world: World, call: Call, session: str, identifier: str, facts: list[Fact], items: dict[str, Item]
) -> tuple[Version | None, Json]:
    agent, entries = world.agents(call.org).memory(identifier).whole()
    known = {entry.key: entry for entry in entries}
    newest = Newest(
        facts=known,
        keys=agent.tally.keys,
        generation=agent.generation,
        step=agent.version + 1,
        at=agent.later(world.now()),
        salt=call.org,
        forgotten={digest for entry in entries if not entry.active for digest in marks(entry, call.org)},
    )
    decision = durable.promote(session, facts, items, newest, world.rules, world.holds_secret)
    if not decision.changes:
        view = _view(agent, decision)
        world.keep(call.keep(view))
        return None, view
    return _commit(world, call, agent, known, decision)


def _commit(world: World, call: Call, agent: Agent, known: dict[str, Fact], decision: Decision) -> tuple[Version, Json]:
    """In one transaction where that has room, else under a new generation."""
    agents, changes = world.agents(call.org), decision.changes
    small = sum(map(writes_of, changes)) <= MAX_WRITES and sum(map(size_of, changes)) <= MAX_CHANGES_BYTES
    target = known | {entry.key: entry for entry in changes}
    at = agent.later(world.now())
    after = agent.changed(at, changes, known) if small else agent.rewritten(at, target.values(), world.random())
    version = after.current(Trigger.PROMOTION, changes=changes, dropped=decision.dropped[:MAX_DROPPED], by=call.caller)
    view = _view(after, decision)
    if small:
        agents.commit(agent, after, version, known, also=call.keep(view))
    else:
        agents.replace(agent, after, version, target.values(), call.keep(view))
    return version, view


def _view(agent: Agent, decision: Decision) -> Json:
    return {"agent": agent.id, "version": agent.version, "keys": [entry.key for entry in decision.changes]}
