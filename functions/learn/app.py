"""Takes durable experience into an agent's memory when a turn has finished and its queue is empty (A3)."""

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from openbot_memory.domain.errors import NotFound
from openbot_memory.log import logger
from openbot_memory.notices import OfAgent, OfSession, TurnFinished
from openbot_memory.use_cases.cleaning import clean_agent
from openbot_memory.use_cases.learn import Student, learn
from openbot_memory.wiring import world

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
            raise ValueError(f"there is nothing to do for {other!r}")


def _learn(wanted: OfSession, context: LambdaContext) -> None:
    student = Student(world(MODEL_TIMEOUT), wanted.organization, wanted.session)
    try:
        learn(student, lambda: context.get_remaining_time_in_millis() > ENOUGH)
    except NotFound as gone:
        logger.info("nothing to learn from or for: %s", gone.tag, extra={"session": wanted.session})
