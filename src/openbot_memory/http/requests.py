"""Request bodies as strict pydantic models: unknown fields are refused, and no value is coerced."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)
from pydantic_core import PydanticCustomError

from openbot_memory.domain import ids
from openbot_memory.domain.commands import Command, Erase, Forget, Remember
from openbot_memory.domain.errors import InvalidRequest
from openbot_memory.domain.facts import DURABLE, MAX_KEY, Kind, Person, clean_key
from openbot_memory.domain.items import ItemType
from openbot_memory.domain.rules import MemoryRules
from openbot_memory.domain.session import Expected, SessionKind
from openbot_memory.domain.settings import SWITCHES, Configure
from openbot_memory.use_cases import turns
from openbot_memory.use_cases.change_agent import NewAgent, Restore
from openbot_memory.use_cases.change_session import NewSession

type Id = Annotated[str, StringConstraints(pattern=rf"^{ids.PATTERN}$")]
type Name = Annotated[str, StringConstraints(min_length=1, max_length=128)]
type ModelId = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,256}$")]
type VersionId = Annotated[str, StringConstraints(min_length=1, max_length=128)]
type Revision = Annotated[int, Field(ge=0)]

# The core checks these; here they are only described, for the OpenAPI document.
type Key = Annotated[
    str,
    WithJsonSchema(
        {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_KEY,
            "pattern": r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]+$",
            "description": "Normalized to NFC, and counted then. Case matters.",
        }
    ),
]
type Content = Annotated[
    str,
    WithJsonSchema(
        {
            "type": "string",
            "maxLength": MemoryRules().max_content,
            "pattern": r"[^\s\u001c-\u001f\u0085]",
            "description": "Not blank, and no credential. How long it may be is a parameter of the server.",
        }
    ),
]
type Text = Annotated[
    str,
    WithJsonSchema({"type": "string", "maxLength": turns.MAX_TEXT, "description": "At most 256 KB of UTF-8."}),
]


class _Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, populate_by_name=False)


class Nothing(_Body):
    pass


class Create(_Body):
    model: ModelId
    agent: Id | None = None
    kind: Annotated[SessionKind, Field(strict=False)] = SessionKind.NORMAL
    id: Id | None = None

    def session(self) -> NewSession:
        return NewSession(model=self.model, agent=self.agent, kind=self.kind, id=self.id)


class PersonBody(_Body):
    id: Name
    name: Annotated[str, StringConstraints(max_length=128)] = ""

    def person(self) -> Person:
        return Person(self.id, self.name)


class _Item(_Body):
    def item(self) -> turns.NewItem:
        fields = self.model_dump(mode="json", exclude={"person"})
        return turns.NewItem(ItemType(fields.pop("type")), fields)


_USERS_OR_NOBODYS: list[JsonValue] = [
    {"properties": {"role": {"const": "user"}}},
    {"properties": {"person": {"type": "null"}}},
]


class Message(_Item):
    """`person`: who says it, in a group; it stands for a user's message instead of the turn's."""

    model_config = ConfigDict(json_schema_extra={"anyOf": _USERS_OR_NOBODYS})

    type: Literal["message"]
    role: Literal["user", "assistant"]
    text: Text
    person: PersonBody | None = None

    @field_validator("person")
    @classmethod
    def _of_a_user(cls, person: PersonBody | None, others: ValidationInfo) -> PersonBody | None:
        if person and others.data.get("role") != "user":
            raise PydanticCustomError("person", "Only a user's message names a person.")
        return person

    def item(self) -> turns.NewItem:
        return super().item()._replace(person=self.person.person() if self.person else None)


class ToolCall(_Item):
    type: Literal["tool-call"]
    app: Name
    name: Name
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class ToolResult(_Item):
    type: Literal["tool-result"]
    app: Name
    text: Text


class Approval(_Item):
    type: Literal["approval"]
    text: Text
    approved: bool


class Action(_Item):
    type: Literal["action"]
    app: Name
    text: Text


class Seen(_Body):
    expected: VersionId
    revision: Revision

    @property
    def seen(self) -> Expected:
        return Expected(self.expected, self.revision)


type NewItem = Annotated[Message | ToolCall | ToolResult | Approval | Action, Field(discriminator="type")]

BOTH_OR_NEITHER: dict[str, JsonValue] = {
    "anyOf": [
        {
            "required": ["expected", "revision"],
            "properties": {"expected": {"type": "string"}, "revision": {"type": "integer"}},
        },
        {"properties": {"expected": {"type": "null"}, "revision": {"type": "null"}}},
    ]
}


class Turn(_Body):
    model_config = ConfigDict(json_schema_extra=BOTH_OR_NEITHER)

    turn: Key
    model: ModelId | None
    items: list[NewItem] = Field(json_schema_extra={"maxItems": turns.MAX_ITEMS})
    status: Annotated[turns.TurnStatus, Field(strict=False)] = turns.TurnStatus.FINISHED
    person: PersonBody | None = None
    queue_empty: bool = Field(default=True, alias="queueEmpty")
    expected: VersionId | None = None
    revision: Revision | None = None

    def parts(self) -> tuple[turns.Turn, Expected | None]:
        """Raises InvalidRequest for a bad id, and where only one of `expected` and `revision` is given."""
        turn = turns.Turn(
            id=clean_key(self.turn, "turn"),
            model=self.model,
            items=[item.item() for item in self.items],
            status=self.status,
            person=self.person.person() if self.person else None,
            queue_empty=self.queue_empty,
        )
        if (self.expected is None) != (self.revision is None):
            raise InvalidRequest.at("revision", "expected and revision are given both or not at all.")
        seen = Expected(self.expected, self.revision) if self.expected and self.revision is not None else None
        return turn, seen


class RememberBody(_Body):
    tag: Literal["Remember"] = Field(alias="_tag")
    key: Key
    content: Content
    kind: Annotated[Kind, Field(strict=False)]


class ForgetBody(_Body):
    tag: Literal["Forget"] = Field(alias="_tag")
    key: Key


class EraseBody(_Body):
    tag: Literal["Erase"] = Field(alias="_tag")
    key: Key


class ConfigureBody(_Body):
    tag: Literal["Configure"] = Field(alias="_tag")
    use: bool | None = None
    generate: bool | None = None


class RefreshBody(_Body):
    tag: Literal["Refresh"] = Field(alias="_tag")


class Change(Seen):
    command: Annotated[RememberBody | ForgetBody | EraseBody | ConfigureBody | RefreshBody, Field(discriminator="tag")]

    def carried_out(self) -> Command | Configure | None:
        """The command; None for Refresh, which is no change by hand."""
        match self.command:
            case ConfigureBody() as given:
                return Configure({name: getattr(given, name) for name in SWITCHES if name in given.model_fields_set})
            case RefreshBody():
                return None
            case _:
                return _command(self.command)


def _command(body: RememberBody | ForgetBody | EraseBody) -> Command:
    match body:
        case RememberBody():
            return Remember(body.key, body.content, body.kind)
        case ForgetBody():
            return Forget(body.key)
        case EraseBody():
            return Erase(body.key)


class CreateAgent(_Body):
    name: Name
    shared: bool = False
    id: Id | None = None

    def agent(self) -> NewAgent:
        return NewAgent(name=self.name, shared=self.shared, id=self.id)


class RestoreBody(_Body):
    tag: Literal["Restore"] = Field(alias="_tag")
    version: Revision


class SeenVersion(_Body):
    expected: Revision


class RememberEntryBody(RememberBody):
    kind: Annotated[Kind, Field(strict=False), WithJsonSchema({"type": "string", "enum": sorted(DURABLE)})]


class ChangeAgent(SeenVersion):
    command: Annotated[RememberEntryBody | ForgetBody | EraseBody | RestoreBody, Field(discriminator="tag")]

    def carried_out(self) -> Command | Restore:
        match self.command:
            case RestoreBody(version=version):
                return Restore(version)
            case _:
                return _command(self.command)


class Promote(_Body):
    agent: Id


class Fork(_Body):
    at: VersionId | None = None
    id: Id | None = None


class Rewind(Seen):
    to: VersionId


class MemorySettings(_Body):
    use: bool = True
    generate: bool = True
    instructions: Annotated[str, StringConstraints(max_length=2000)] = ""


class Settings(_Body):
    """Any part of the organization's settings; what is absent stays."""

    memory: MemorySettings = MemorySettings()
    agent_memory: bool = Field(default=True, alias="agentMemory")
    agent_memory_model: ModelId | None = Field(default=None, alias="agentMemoryModel")

    own: ClassVar = ("agent_memory", "agent_memory_model")

    def fields(self) -> dict[str, Any]:
        given = {name: getattr(self, name) for name in self.own if name in self.model_fields_set}
        return self.memory.model_dump(exclude_unset=True) | given
