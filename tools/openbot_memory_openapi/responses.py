"""The shapes of what is answered. The functions make plain JSON; these say how it looks, and nothing else fits."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic.json_schema import SkipJsonSchema

from openbot_memory.domain.facts import Kind, Status
from openbot_memory.domain.rules import Reason
from openbot_memory.domain.session import PrincipalType, SessionKind, Trigger
from openbot_memory.http.requests import Id, ModelId, Revision, VersionId

Absent = SkipJsonSchema[None]  # a field that may be absent, but is never null
type Count = Annotated[int, Field(ge=0)]
type Time = Annotated[int, Field(ge=0, description="Milliseconds since the epoch, UTC.")]
type ItemId = Annotated[str, Field(pattern=r"^i-[0-9]{2,}$")]
type Cursor = Annotated[str, Field(min_length=1, description="Where the next page begins.")]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Person(_Answer):
    id: str
    name: str


class By(_Answer):
    """Who made a change."""

    type: PrincipalType
    id: str


class Tokens(_Answer):
    input: Count
    output: Count


class Failure(_Answer):
    """Why the last consolidation failed, and how many have in a row."""

    message: str
    at: Time
    attempts: Count


class SwitchesInForce(_Answer):
    use: bool
    generate: bool


class Overrides(_Answer):
    """Only the switches that the session sets itself."""

    use: bool | Absent = None
    generate: bool | Absent = None


# ---- Sessions --------------------------------------------------------------------------------------------------------


class ForkedFrom(_Answer):
    session: Id
    version: VersionId


class Session(_Answer):
    id: Id
    head: VersionId
    revision: Revision
    agent: Id | None
    model: ModelId
    kind: SessionKind
    forkedFrom: ForkedFrom | None
    createdAt: Time
    updatedAt: Time


class Consolidation(_Answer):
    waiting: Annotated[int, Field(ge=0, description="Items that are not read yet.")]
    lastRun: Time | None
    error: Failure | None
    tokens: Tokens


class MemoryState(_Answer):
    settings: SwitchesInForce
    overrides: Overrides
    consolidation: Consolidation


class SessionView(_Answer):
    session: Session
    memory: MemoryState


class Deleted(_Answer):
    id: Id
    deleted: Literal[True]


class DeletedSession(_Answer):
    session: Deleted


class Block(_Answer):
    shown: Count
    omitted: Count


class Instructions(_Answer):
    text: str
    session: Block
    agent: Block


class Promoted(_Answer):
    agent: Id
    version: Revision
    keys: list[str]


# ---- The history -----------------------------------------------------------------------------------------------------


class _Item(_Answer):
    id: ItemId
    at: Time


class _OfTurn(_Item):
    turn: str
    person: Person | None


class MessageItem(_OfTurn):
    type: Literal["message"]
    role: Literal["user", "assistant"]
    text: str


class ToolCallItem(_OfTurn):
    type: Literal["tool-call"]
    app: str
    name: str
    arguments: dict[str, JsonValue]


class ToolResultItem(_OfTurn):
    type: Literal["tool-result"]
    app: str
    text: str


class ApprovalItem(_OfTurn):
    type: Literal["approval"]
    text: str
    approved: bool


class ActionItem(_OfTurn):
    type: Literal["action"]
    app: str
    text: str


class MemoryItem(_Item):
    """A change of the memory that was made by hand."""

    type: Literal["memory"]
    command: Literal["Remember", "Forget", "Erase"]
    key: str
    by: By


type Item = Annotated[
    MessageItem | ToolCallItem | ToolResultItem | ApprovalItem | ActionItem | MemoryItem, Field(discriminator="type")
]


class Items(_Answer):
    items: list[Item]
    cursor: Cursor | None


# ---- Memory ----------------------------------------------------------------------------------------------------------


class _Known(_Answer):
    key: str
    content: str
    kind: Kind
    updatedAt: Time
    status: Status


class Fact(_Known):
    sources: list[ItemId]


class Memory(_Answer):
    entries: dict[str, Fact]
    processed: list[ItemId]
    settings: SwitchesInForce
    overrides: Overrides
    error: Failure | Absent = None
    cursor: Cursor | Absent = None


class Dropped(_Answer):
    key: str
    reason: Reason


class SessionChange(_Answer):
    """One change of a session's memory, and what of it was dropped."""

    version: VersionId
    at: Time
    trigger: Literal[Trigger.CONSOLIDATION, Trigger.PERSON, Trigger.AGENT, Trigger.HOST, Trigger.FORK, Trigger.REWIND]
    keys: list[str]
    dropped: list[Dropped]
    model: ModelId | None
    tokens: Tokens | None
    by: By | Absent = None


class Log(_Answer):
    log: list[SessionChange]
    cursor: Cursor | None


class SessionExport(SessionView):
    """A page of all that is kept: each list goes on where the page before ended."""

    entries: dict[str, Fact] | Absent = None
    log: list[SessionChange] | Absent = None
    items: list[Item] | Absent = None
    cursor: Cursor | None


# ---- Agents and the organization -------------------------------------------------------------------------------------


class Agent(_Answer):
    id: Id
    name: str
    shared: bool
    version: Revision
    createdAt: Time


class AgentView(_Answer):
    agent: Agent


class Source(_Answer):
    session: Id
    item: ItemId


class Entry(_Known):
    sources: list[Source]
    person: Person | Absent = None


class AgentMemory(_Answer):
    entries: dict[str, Entry]
    version: Revision
    cursor: Cursor | Absent = None


class AgentChange(_Answer):
    """One version of an agent's memory."""

    version: Revision
    at: Time
    trigger: Literal[Trigger.CONSOLIDATION, Trigger.PERSON, Trigger.PROMOTION]
    keys: list[str]
    by: By | Absent = None
    model: ModelId | Absent | None = None
    tokens: Tokens | Absent | None = None
    dropped: list[Dropped] | Absent = None


class AgentLog(_Answer):
    log: list[AgentChange]
    cursor: Cursor | None


class AgentExport(AgentView):
    """A page of all that is kept: each list goes on where the page before ended."""

    entries: dict[str, Entry] | Absent = None
    log: list[AgentChange] | Absent = None
    cursor: Cursor | None


class Organization(_Answer):
    memory: SwitchesInForce
    agentMemory: bool
    agentMemoryModel: ModelId | None
