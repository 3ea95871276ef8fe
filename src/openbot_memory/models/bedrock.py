"""Asks a model of Amazon Bedrock through the Converse API: one call, with one tool that the model must use."""

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError
from botocore.parsers import ResponseParserError

from openbot_memory.domain.errors import FailureCause, ModelFailed
from openbot_memory.domain.session import Tokens
from openbot_memory.models.port import Answer, Question
from openbot_memory.models.prompt import TOOL, instructions, items, known, proposals, schema

logger = logging.getLogger(__name__)

MAX_TOKENS = 4096  # of an answer; about 40 changes
COMPLETE = {"tool_use", "end_turn"}  # the stop reasons of a whole answer: providers differ in theirs for a forced call
CACHING = re.compile(  # models that refuse no cache point
    r"\b(?:anthropic\.claude-(?:3-5-haiku|3-7-sonnet|(?:haiku|sonnet|opus)-4)|amazon\.nova-(?:micro|lite|pro|premier)-)"
)

NO_ANSWER = "The model could not be asked."
BUSY, ABSENT, LATE = "The model is too busy.", "The model is not available.", "The model did not answer in time."
FAILURES = {  # in our words: what Bedrock says may quote the request (S7)
    "ThrottlingException": (BUSY, FailureCause.PASSING),
    "ServiceUnavailableException": (ABSENT, FailureCause.PASSING),
    "ModelNotReadyException": (ABSENT, FailureCause.PASSING),
    "ModelTimeoutException": (LATE, FailureCause.PASSING),
    "ServiceQuotaExceededException": ("The model's quota is used up.", FailureCause.SERVICE),
    "AccessDeniedException": ("The service may not use this model.", FailureCause.SERVICE),
    "ResourceNotFoundException": ("There is no such model.", FailureCause.SERVICE),
    "ValidationException": ("The model does not take this request.", FailureCause.SERVICE),
}
UNKNOWN_REFUSALS = {400, 401, 403, 404, 405}  # of an error without a row above; other statuses may pass by themselves
TOO_LONG = re.compile(r"too (?:long|large|many)|exceed|maximum|limit", re.IGNORECASE)  # of a ValidationException


@dataclass(frozen=True, slots=True)
class Bedrock:
    client: Any  # botocore's client of bedrock-runtime, without retries: S8 allows one call per batch

    def propose(self, model: str, question: Question) -> Answer:
        """Ask once. Raises ModelFailed."""
        tool = {"name": TOOL, "description": "Change the memory.", "inputSchema": {"json": schema(question)}}
        try:
            response = self.client.converse(
                modelId=model,
                system=[{"text": instructions(question)}],
                messages=[{"role": "user", "content": list(_content(model, question))}],
                inferenceConfig={"maxTokens": MAX_TOKENS},
                toolConfig={"tools": [{"toolSpec": tool}], "toolChoice": {"tool": {"name": TOOL}}},
            )
        except (ClientError, BotoCoreError, ResponseParserError) as error:
            logger.info("the model failed: %s", _name(error))
            raise _failure(error) from error
        return Answer(proposals=proposals(_input(response)), tokens=_tokens(response))


def _content(model: str, question: Question) -> Iterator[Mapping[str, Any]]:
    """What the last call sent as well comes first, up to the cache point. Bedrock caches no beginning that is short."""
    yield {"text": known(question)}
    if CACHING.search(model):
        yield {"cachePoint": {"type": "default"}}
    yield {"text": items(question)}


def _name(error: Exception) -> str:
    return error.response.get("Error", {}).get("Code", "") if isinstance(error, ClientError) else type(error).__name__


def _failure(error: Exception) -> ModelFailed:
    """The failure in our words, and whether the request, the configuration or an outage has caused it (S8)."""
    name = "ModelTimeoutException" if isinstance(error, ReadTimeoutError) else _name(error)
    status = (
        error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) if isinstance(error, ClientError) else 0
    )
    unknown = FailureCause.SERVICE if status in UNKNOWN_REFUSALS else FailureCause.PASSING
    message, cause = FAILURES.get(name, (NO_ANSWER, unknown))
    if name == "ValidationException" and TOO_LONG.search(str(error)):
        return ModelFailed("The request is too long for the model.", FailureCause.CONTENT)
    return ModelFailed(message, cause)


def _input(response: Mapping[str, Any]) -> object:
    """The input of the one call of the tool; text beside it is ignored. Raises ModelFailed."""
    ended = response.get("stopReason")
    if ended == "max_tokens":
        raise ModelFailed("The model's answer was cut off.")
    content = response.get("output", {}).get("message", {}).get("content", [])
    calls = [block["toolUse"] for block in content if "toolUse" in block]
    if ended not in COMPLETE or len(calls) != 1 or calls[0]["name"] != TOOL:
        raise ModelFailed("The model did not answer as it was asked.")
    return calls[0]["input"]


def _tokens(response: Mapping[str, Any]) -> Tokens:
    """The tokens used, with those read from or written to the cache, which `inputTokens` leaves out."""
    usage = response.get("usage", {})
    read = (usage.get(f"{kind}InputTokens", 0) for kind in ("cacheRead", "cacheWrite"))
    return Tokens(usage.get("inputTokens", 0) + sum(read), usage.get("outputTokens", 0))
