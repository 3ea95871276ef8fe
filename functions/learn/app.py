"""Takes durable experience into an agent's memory (A3). Not yet: it says so, and changes nothing."""

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.logging import Logger

from openbot_memory.notices import TurnFinished

logger = Logger()


@logger.inject_lambda_context
def handler(event: Mapping[str, Any], _context: object) -> None:
    turn = TurnFinished.model_validate(event["detail"])
    logger.info("agents learn nothing yet", extra={"session": turn.session, "agent": turn.agent})
