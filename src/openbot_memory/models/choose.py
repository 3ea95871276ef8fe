"""Finds the model that a name means."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from openbot_memory.models.bedrock import Bedrock
from openbot_memory.models.offline import Offline
from openbot_memory.models.port import Answer, Question

OFFLINE = "offline"


class Models:
    """`offline`, or else the id of a model or of an inference profile of Amazon Bedrock."""

    def __init__(self, make_client: Callable[[], Any]) -> None:
        self._make_client = make_client

    @cached_property
    def _bedrock(self) -> Bedrock:
        return Bedrock(self._make_client())  # made when first asked: it slows a cold start

    def propose(self, model: str, question: Question) -> Answer:
        """Ask the model once. Raises ModelFailed."""
        chosen = Offline() if model == OFFLINE else self._bedrock
        return chosen.propose(model, question)
