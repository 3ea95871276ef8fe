"""The door for events. One that is malformed raises, so that it ends where failed events are kept."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from openbot_memory.domain.ids import PATTERN

type Id = Annotated[str, StringConstraints(pattern=rf"^{PATTERN}\z")]


class _Notice(BaseModel):
    """Ids only. Unknown fields are fine: a newer sender may say more."""

    model_config = ConfigDict(strict=True, frozen=True, hide_input_in_errors=True)


class OfSession(_Notice):
    organization: Id
    session: Id


class OfAgent(_Notice):
    organization: Id
    agent: Id


class TurnFinished(OfSession):
    """`model` None: no model ran. `queue_empty`: the agent has nothing more to do."""

    model: str | None
    agent: Id | None
    queue_empty: bool = Field(alias="queueEmpty")


class ConsolidationRequested(OfSession):
    """What a consolidation left over: the items up to `until`. `forced`: it was a Refresh."""

    until: Annotated[int, Field(ge=1)]
    forced: bool
