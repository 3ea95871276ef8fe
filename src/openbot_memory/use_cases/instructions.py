"""The text for a session's next turn: what the session and its agent remember (S4, A6, A7)."""

from collections.abc import Iterable
from itertools import chain

from openbot_memory.domain.facts import Fact
from openbot_memory.domain.ranking import newest_and_nearest
from openbot_memory.domain.settings import effective
from openbot_memory.domain.text import (
    AGENT_HEADING,
    SESSION_HEADING,
    SHARED_HEADING,
    MemoryText,
    memory_text,
    newest_first,
)
from openbot_memory.store.memory import in_parallel
from openbot_memory.store.sessions import SessionState
from openbot_memory.use_cases.world import Json, Reader

NOTHING = MemoryText("", 0)


def instructions(reader: Reader, org: str, identifier: str, query: str | None = None) -> Json:
    """Two rounds of requests, however large the memories are. Raises SessionNotFound.

    With a query, the memories are read whole, and the facts nearest to it have half of each block.
    """
    state = reader.sessions(org).state(identifier)
    of_agent = in_parallel.submit(_agent_blocks, reader, org, state.session.agent, query)
    of_session = _session_block(reader, org, state, query)
    blocks, memory, active = of_agent.result()
    text = "\n".join(filter(None, [*blocks, of_session.text]))
    return {
        "text": text,
        "session": _counts(of_session, state.session.tally.active),
        "agent": _counts(memory, active),
    }


def _session_block(reader: Reader, org: str, state: SessionState, query: str | None) -> MemoryText:
    if not effective(state.organization, state.session.overrides)["use"]:
        return NOTHING
    length = reader.rules.max_length
    wanted = state.session.tally.characters if query else length
    newest = reader.sessions(org).memory(state.session.id).newest(state.session, wanted)
    return _text(SESSION_HEADING, newest, length, query)


def _agent_blocks(
    reader: Reader, org: str, identifier: str | None, query: str | None
) -> tuple[list[str], MemoryText, int]:
    """The privacy rules of a shared agent, always; its memory text; how many entries are active."""
    length = reader.rules.max_length
    found = reader.agents(org).newest(identifier, None if query else length) if identifier else None
    if found is None:
        return [], NOTHING, 0
    agent, newest = found
    memory = _text(AGENT_HEADING, newest, length, query)
    return [SHARED_HEADING if agent.shared else "", memory.text], memory, agent.tally.active


def _text(heading: str, facts: Iterable[Fact], length: int, query: str | None) -> MemoryText:
    if query is None:
        return memory_text(heading, facts, length)
    chosen = chain(*newest_and_nearest(list(facts), query, length - len(heading)))
    return memory_text(heading, sorted(chosen, key=newest_first), length)


def _counts(block: MemoryText, active: int) -> Json:
    """A block that is off counts nothing as left out."""
    return {"shown": block.shown, "omitted": max(0, active - block.shown) if block.text else 0}
