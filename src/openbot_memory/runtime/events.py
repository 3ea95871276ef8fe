"""Models of the events that start a function. A malformed event raises, so that it ends in the dead-letter queue."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from openbot_memory.domain.ids import PATTERN

type Id = Annotated[str, StringConstraints(pattern=rf"^{PATTERN}\z")]


class _Detail(BaseModel):
    """Ids only. Unknown fields are ignored, so that a newer sender may add some."""

    model_config = ConfigDict(strict=True, frozen=True, hide_input_in_errors=True)


class OfSession(_Detail):
    organization: Id
    session: Id


class OfAgent(_Detail):
    organization: Id
    agent: Id


class TurnFinished(OfSession):
    """`model` is None where no model ran. `queue_empty`: the agent has no further turn waiting."""

    model: str | None
    agent: Id | None
    queue_empty: bool = Field(alias="queueEmpty")


class ConsolidationRequested(OfSession):
    """Items up to number `until` that a consolidation left unread. `forced`: it was a Refresh."""

    until: Annotated[int, Field(ge=1)]
    forced: bool
