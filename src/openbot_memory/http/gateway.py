"""An API Gateway event (HTTP API, payload 2.0) becomes a call of a use case; its answer or error becomes the response.

Routes are found by the `routeKey` that the gateway has matched already. Powertools' resolver would match again, and
with validation it imports pydantic, which the reading path does without: 0.1 s more of a cold start.
"""

import json
import logging
import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from openbot_memory.domain import errors
from openbot_memory.domain.ids import identifier
from openbot_memory.domain.session import Principal, PrincipalType
from openbot_memory.runtime.log import unexpected
from openbot_memory.runtime.metrics import emit

logger = logging.getLogger(__name__)

type Json = dict[str, Any]
type Answer = tuple[int, Json]
type Route = Callable[["Request"], Answer]

STATUS: Mapping[type[errors.OpenBotError], int] = {
    errors.InvalidRequest: 400,
    errors.Unauthorized: 401,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.TooLarge: 413,
    errors.KeyReused: 422,
    errors.ModelFailed: 502,
    errors.Unavailable: 503,
}
INTERNAL: Json = {"_tag": "InternalError", "message": "The service failed unexpectedly. The failure is logged."}
RETRY_AFTER = "1"  # seconds
DEEPEST = 64  # levels of a body
LARGEST = 5 * 1024 * 1024  # bytes of a body; Lambda takes 6 MB, in which the body's quotation marks are escaped


@dataclass(frozen=True, slots=True)
class Request:
    """An event of the gateway, whose parts are checked as they are read."""

    event: Mapping[str, Any]

    @property
    def caller(self) -> Principal:
        """Who calls, from the authorizer. Raises Unauthorized where the event did not pass it."""
        context = self.event["requestContext"].get("authorizer", {}).get("lambda")
        if not context:
            raise errors.Unauthorized
        return Principal(
            organization=context["organization"],
            type=PrincipalType(context["type"]),
            id=context["id"],
            name=context["name"],
            admin=context["admin"] == "true",
        )

    @property
    def path(self) -> str:
        return self.event["rawPath"]

    def header(self, name: str) -> str | None:
        """By its name in small letters, as HTTP APIs send them."""
        return self.event.get("headers", {}).get(name)

    def id(self, name: str = "id") -> str:
        """An id of the path. Raises InvalidRequest unless it is one."""
        return identifier(self.event["pathParameters"][name], name)

    def query(self, *allowed: str) -> dict[str, str]:
        """The query's parameters. Raises InvalidRequest for one that is not allowed here."""
        given: dict[str, str] = self.event.get("queryStringParameters") or {}
        for name in given.keys() - set(allowed):
            raise errors.InvalidRequest.at(name, "This route has no such parameter.")
        return given

    def body(self) -> object:
        """The JSON body. Raises TooLarge, and InvalidRequest, also for NaN, endless numbers and surrogates."""
        kind, _, _ = (self.header("content-type") or "").partition(";")
        if kind.strip().lower() != "application/json":
            raise errors.InvalidRequest.at("content-type", "The body must be application/json.")
        try:
            raw = self.event.get("body") or ""
            text = b64decode(raw).decode() if self.event.get("isBase64Encoded") else raw
            _check_size(text)
            _check_depth(text)
            body: object = json.loads(text, parse_constant=_refuse, parse_float=_finite)
        except ValueError as error:
            raise errors.InvalidRequest.at("", f"The body is not valid JSON: {_reason(error)}.") from None
        for path in _surrogates(body):
            raise errors.InvalidRequest.at(path, "The text holds a lone surrogate.")
        return body


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    return number if abs(number) != float("inf") else _refuse("a number beyond the range of a double")


def _check_size(text: str) -> None:
    size = len(text.encode(errors="surrogatepass"))
    if size > LARGEST:
        raise errors.TooLarge("A body has at most 5 MB.", limit=LARGEST, length=size)


def _check_depth(text: str) -> None:
    """Count brackets outside of strings, before a parser descends into them."""
    depth = 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', text, re.DOTALL):
        depth += (match[0] in "[{") - (match[0] in "]}")
        if depth > DEEPEST:
            raise ValueError(f"it is nested deeper than {DEEPEST} levels")


def _surrogates(value: object, path: str = "") -> Iterator[str]:
    """Yield the paths of texts that cannot be written in UTF-8."""
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
            yield path
    elif isinstance(value, dict):
        for name, each in cast("Json", value).items():
            inside = f"{path}.{name}".removeprefix(".")
            yield from _surrogates(name, inside.encode(errors="replace").decode())
            yield from _surrogates(each, inside)
    elif isinstance(value, list):
        for at, each in enumerate(cast("list[object]", value)):
            yield from _surrogates(each, f"{path}.{at}")


def _reason(error: Exception) -> str:
    return str(error) if type(error) in {ValueError, json.JSONDecodeError} else "it cannot be read"


def handle(event: Mapping[str, Any], routes: Mapping[str, Route]) -> Json:
    """Answer one event. Every error has the one public shape, and says nothing internal."""
    try:
        status, answer = routes[event["routeKey"]](Request(event))
    except errors.OpenBotError as error:
        status, answer = _refused(error)
    except Exception as error:  # noqa: BLE001 - nothing internal leaves
        logger.error("request failed", extra=unexpected(error))  # noqa: TRY400 - its words may quote the request
        status, answer = 500, INTERNAL
    headers = {"content-type": "application/json"} | ({"retry-after": RETRY_AFTER} if status == STATUS_BUSY else {})
    return {"statusCode": status, "headers": headers, "body": json.dumps(answer, ensure_ascii=False)}


STATUS_BUSY = STATUS[errors.Unavailable]


def _refused(error: errors.OpenBotError) -> Answer:
    status = next(code for kind, code in STATUS.items() if isinstance(error, kind))
    level = logging.WARNING if status >= STATUS_BUSY - 1 else logging.INFO
    logger.log(level, "refused: %s", error.tag, extra=unexpected(error.__cause__) if error.__cause__ else None)
    if isinstance(error, errors.SessionConflict | errors.AgentMemoryConflict):
        emit({"Conflicts": 1})
    return status, {"_tag": error.tag, "message": str(error), **error.fields}
