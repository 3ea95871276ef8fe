"""Reads a session's unread items after a finished turn, and what a consolidation or a Refresh has left over."""

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from openbot_memory.domain.errors import SessionNotFound
from openbot_memory.log import logger
from openbot_memory.notices import ConsolidationRequested, OfSession, TurnFinished
from openbot_memory.use_cases.cleaning import clean, purge
from openbot_memory.use_cases.consolidate import Job, consolidate
from openbot_memory.wiring import world

MODEL_TIMEOUT = 40  # seconds
ENOUGH = (MODEL_TIMEOUT + 15) * 1000  # ms that one more batch may take
REMOVALS = {"Cleaning Requested": clean, "Deletion Requested": purge}


@logger.inject_lambda_context(correlation_id_path="id")
def handler(event: Mapping[str, Any], context: LambdaContext) -> None:
    if remove := REMOVALS.get(event["detail-type"]):
        wanted = OfSession.model_validate(event["detail"])
        remove(world(MODEL_TIMEOUT), wanted.organization, wanted.session)
        return
    job = _job(event)
    if job is None:
        return
    try:
        consolidate(job, lambda: context.get_remaining_time_in_millis() > ENOUGH)
    except SessionNotFound:
        logger.info("the session is gone", extra={"session": job.session})


def _job(event: Mapping[str, Any]) -> Job | None:
    """What the event asks for. None: a turn in which no model ran changes nothing (S5)."""
    match event["detail-type"]:
        case "Turn Finished":
            turn = TurnFinished.model_validate(event["detail"])
            return Job(world=world(MODEL_TIMEOUT), org=turn.organization, session=turn.session) if turn.model else None
        case "Consolidation Requested":
            rest = ConsolidationRequested.model_validate(event["detail"])
            return Job(
                world=world(MODEL_TIMEOUT),
                org=rest.organization,
                session=rest.session,
                until=rest.until,
                forced=rest.forced,
            )
        case other:
            raise ValueError(f"there is nothing to do for {other!r}")
