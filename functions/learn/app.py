"""Consolidates an agent's memory when a turn has finished and the agent's queue is empty (A3)."""

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from openbot_memory.domain.errors import NotFound
from openbot_memory.runtime.events import OfAgent, OfSession, TurnFinished
from openbot_memory.runtime.log import logger
from openbot_memory.runtime.wiring import world
from openbot_memory.use_cases.consolidate import consolidate
from openbot_memory.use_cases.consolidate_agent import AgentLearner
from openbot_memory.use_cases.delete import clean_agent

MODEL_TIMEOUT = 40  # seconds
ENOUGH = (MODEL_TIMEOUT + 15) * 1000  # ms that one more batch may take


@logger.inject_lambda_context(correlation_id_path="id")
def handler(event: Mapping[str, Any], context: LambdaContext) -> None:
    match event["detail-type"]:
        case "Agent Cleaning Requested":
            agent = OfAgent.model_validate(event["detail"])
            clean_agent(world(MODEL_TIMEOUT), agent.organization, agent.agent)
        case "Turn Finished":
            turn = TurnFinished.model_validate(event["detail"])
            if turn.model and turn.agent and turn.queue_empty:
                _learn(turn, context)
        case "Learning Requested":
            _learn(OfSession.model_validate(event["detail"]), context)
        case other:
            raise ValueError(f"this function does not handle {other!r} events")


def _learn(wanted: OfSession, context: LambdaContext) -> None:
    learner = AgentLearner(world=world(MODEL_TIMEOUT), org=wanted.organization, session=wanted.session)
    try:
        consolidate(learner, lambda: context.get_remaining_time_in_millis() > ENOUGH)
    except NotFound as gone:
        logger.info("the session or its agent is gone: %s", gone.tag, extra={"session": wanted.session})
