"""The response models. The functions write plain JSON; these models say which fields it has, and allow no others."""

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


class _Response(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Person(_Response):
    id: str
    name: str


class By(_Response):
    """Who made a change."""

    type: PrincipalType
    id: str


class Tokens(_Response):
    input: Count
    output: Count


class Failure(_Response):
    """Why the last consolidation failed, and how many have in a row."""

    message: str
    at: Time
    attempts: Count


class SwitchesInForce(_Response):
    use: bool
    generate: bool


class Overrides(_Response):
    """Only the switches that the session sets itself."""

    use: bool | Absent = None
    generate: bool | Absent = None


# ---- Sessions --------------------------------------------------------------------------------------------------------


class ForkedFrom(_Response):
    session: Id
    version: VersionId


class Session(_Response):
    id: Id
    head: VersionId
    revision: Revision
    agent: Id | None
    model: ModelId
    kind: SessionKind
    forkedFrom: ForkedFrom | None
    createdAt: Time
    updatedAt: Time


class Sessions(_Response):
    sessions: list[Session]
    cursor: Cursor | None


class Consolidation(_Response):
    waiting: Annotated[int, Field(ge=0, description="Items that are not read yet.")]
    lastRun: Time | None
    error: Failure | None
    tokens: Tokens


class MemoryState(_Response):
    settings: SwitchesInForce
    overrides: Overrides
    consolidation: Consolidation


class SessionView(_Response):
    session: Session
    memory: MemoryState


class Deleted(_Response):
    id: Id
    deleted: Literal[True]


class DeletedSession(_Response):
    session: Deleted


class Block(_Response):
    shown: Count
    omitted: Count


class Instructions(_Response):
    text: str
    session: Block
    agent: Block


class Promoted(_Response):
    agent: Id
    version: Revision
    keys: list[str]


# ---- The history -----------------------------------------------------------------------------------------------------


class _Item(_Response):
    id: ItemId
    at: Time


class _TurnItem(_Item):
    turn: str
    person: Person | None


class MessageItem(_TurnItem):
    type: Literal["message"]
    role: Literal["user", "assistant"]
    text: str


class ToolCallItem(_TurnItem):
    type: Literal["tool-call"]
    app: str
    name: str
    arguments: dict[str, JsonValue]


class ToolResultItem(_TurnItem):
    type: Literal["tool-result"]
    app: str
    text: str


class ApprovalItem(_TurnItem):
    type: Literal["approval"]
    text: str
    approved: bool


class ActionItem(_TurnItem):
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


class Items(_Response):
    items: list[Item]
    cursor: Cursor | None


# ---- Memory ----------------------------------------------------------------------------------------------------------


class _Entry(_Response):
    key: str
    content: str
    kind: Kind
    updatedAt: Time
    status: Status


class Fact(_Entry):
    """`onlyApps`: what it says was found in apps' items alone."""

    sources: list[ItemId]
    person: Person | Absent = None
    onlyApps: Literal[True] | Absent = None


class Memory(_Response):
    entries: dict[str, Fact]
    processed: list[ItemId]
    settings: SwitchesInForce
    overrides: Overrides
    error: Failure | Absent = None
    cursor: Cursor | Absent = None


type Found = Annotated[list[str], Field(description="The keys of this page, best first.")]


class FoundFacts(_Response):
    entries: dict[str, Fact]
    found: Found
    cursor: Cursor | None


class Dropped(_Response):
    key: str
    reason: Reason


class SessionChange(_Response):
    """One change of a session's memory, and what of it was dropped."""

    version: VersionId
    at: Time
    trigger: Literal[Trigger.CONSOLIDATION, Trigger.PERSON, Trigger.AGENT, Trigger.HOST, Trigger.FORK, Trigger.REWIND]
    keys: list[str]
    dropped: list[Dropped]
    model: ModelId | None
    tokens: Tokens | None
    by: By | Absent = None


class Log(_Response):
    log: list[SessionChange]
    cursor: Cursor | None


class SessionExport(SessionView):
    """A page of all that is kept: each list goes on where the page before ended."""

    entries: dict[str, Fact] | Absent = None
    log: list[SessionChange] | Absent = None
    items: list[Item] | Absent = None
    cursor: Cursor | None


# ---- Agents and the organization -------------------------------------------------------------------------------------


class Agent(_Response):
    id: Id
    name: str
    shared: bool
    version: Revision
    createdAt: Time


class AgentView(_Response):
    agent: Agent


class Agents(_Response):
    agents: list[Agent]
    cursor: Cursor | None


class Source(_Response):
    session: Id
    item: ItemId


class Entry(_Entry):
    sources: list[Source]
    person: Person | Absent = None


class AgentMemory(_Response):
    entries: dict[str, Entry]
    version: Revision
    cursor: Cursor | Absent = None


class FoundEntries(_Response):
    entries: dict[str, Entry]
    version: Revision
    found: Found
    cursor: Cursor | None


class AgentChange(_Response):
    """One version of an agent's memory."""

    version: Revision
    at: Time
    trigger: Literal[Trigger.CONSOLIDATION, Trigger.PERSON, Trigger.PROMOTION]
    keys: list[str]
    by: By | Absent = None
    model: ModelId | Absent | None = None
    tokens: Tokens | Absent | None = None
    dropped: list[Dropped] | Absent = None


class AgentLog(_Response):
    log: list[AgentChange]
    cursor: Cursor | None


class AgentExport(AgentView):
    """A page of all that is kept: each list goes on where the page before ended."""

    entries: dict[str, Entry] | Absent = None
    log: list[AgentChange] | Absent = None
    cursor: Cursor | None


class MemoryDefaults(SwitchesInForce):
    instructions: str


class Organization(_Response):
    memory: MemoryDefaults
    agentMemory: bool
    agentMemoryModel: ModelId | None
