"""The text for a session's next turn: what the session and its agent remember (S4, A6, A7)."""

from openbot_memory.domain.settings import effective
from openbot_memory.domain.text import AGENT_HEADING, SESSION_HEADING, SHARED_HEADING, MemoryText, memory_text
from openbot_memory.store.memory import in_parallel
from openbot_memory.store.sessions import SessionState
from openbot_memory.use_cases.world import Json, Reader

NOTHING = MemoryText("", 0)


def instructions(reader: Reader, org: str, identifier: str) -> Json:
    """Two rounds of requests, however large the memories are. Raises SessionNotFound."""
    state = reader.sessions(org).state(identifier)
    of_agent = in_parallel.submit(_agent_blocks, reader, org, state.session.agent)
    of_session = _session_block(reader, org, state)
    blocks, memory, active = of_agent.result()
    text = "\n".join(filter(None, [*blocks, of_session.text]))
    return {
        "text": text,
        "session": _counts(of_session, state.session.tally.active),
        "agent": _counts(memory, active),
    }


def _session_block(reader: Reader, org: str, state: SessionState) -> MemoryText:
    if not effective(state.organization, state.session.overrides)["use"]:
        return NOTHING
    length = reader.rules.max_length
    newest = reader.sessions(org).memory(state.session.id).newest(state.session, length)
    return memory_text(SESSION_HEADING, newest, length)


def _agent_blocks(reader: Reader, org: str, identifier: str | None) -> tuple[list[str], MemoryText, int]:
    """The privacy rules of a shared agent, always; its memory text; how many entries are active."""
    length = reader.rules.max_length
    found = reader.agents(org).newest(identifier, length) if identifier else None
    if found is None:
        return [], NOTHING, 0
    agent, newest = found
    memory = memory_text(AGENT_HEADING, newest, length)
    return [SHARED_HEADING if agent.shared else "", memory.text], memory, agent.tally.active


def _counts(block: MemoryText, active: int) -> Json:
    """A block that is off counts nothing as left out."""
    return {"shown": block.shown, "omitted": max(0, active - block.shown) if block.text else 0}
