"""Consolidates a session's memory after a finished turn, and cleans up sessions in the background."""

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from openbot_memory.domain.errors import SessionNotFound
from openbot_memory.runtime.events import ConsolidationRequested, OfSession, TurnFinished
from openbot_memory.runtime.log import logger
from openbot_memory.runtime.wiring import world
from openbot_memory.use_cases.consolidate import consolidate
from openbot_memory.use_cases.consolidate_session import SessionLearner
from openbot_memory.use_cases.delete import clean, finish_deletion

MODEL_TIMEOUT = 40  # seconds
ENOUGH = (MODEL_TIMEOUT + 15) * 1000  # ms that one more batch may take
BACKGROUND = {"Cleaning Requested": clean, "Deletion Requested": finish_deletion}


@logger.inject_lambda_context(correlation_id_path="id")
def handler(event: Mapping[str, Any], context: LambdaContext) -> None:
    if work := BACKGROUND.get(event["detail-type"]):
        wanted = OfSession.model_validate(event["detail"])
        work(world(MODEL_TIMEOUT), wanted.organization, wanted.session)
    elif learner := _learner(event):
        try:
            consolidate(learner, lambda: context.get_remaining_time_in_millis() > ENOUGH)
        except SessionNotFound:
            logger.info("the session is gone", extra={"session": learner.session})


def _learner(event: Mapping[str, Any]) -> SessionLearner | None:
    """What the event asks for. None: a turn in which no model ran changes nothing (S5)."""
    match event["detail-type"]:
        case "Turn Finished":
            turn = TurnFinished.model_validate(event["detail"])
            if turn.model is None:
                return None
            return SessionLearner(world=world(MODEL_TIMEOUT), org=turn.organization, session=turn.session)
        case "Consolidation Requested":
            rest = ConsolidationRequested.model_validate(event["detail"])
            return SessionLearner(
                world=world(MODEL_TIMEOUT),
                org=rest.organization,
                session=rest.session,
                until=rest.until,
                forced=rest.forced,
            )
        case other:
            raise ValueError(f"this function does not handle {other!r} events")
