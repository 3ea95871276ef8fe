"""The error responses of each route, generated from the error types, their messages and their statuses."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, Literal, Union, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

from openbot_memory.domain import errors
from openbot_memory.http.gateway import INTERNAL, RETRY_AFTER, STATUS
from openbot_memory.http.parse import MAX_ISSUES
from openbot_memory.http.requests import Revision, VersionId
from openbot_memory_openapi.responses import Absent, Count

type Json = dict[str, Any]
type Error = type[errors.OpenBotError]


class Issue(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: str
    message: str


class Gateway(BaseModel):
    """What the gateway itself answers, before any function is asked."""

    model_config = ConfigDict(extra="forbid")

    message: str


SEEN = {"head": (VersionId, ...), "revision": (Revision, ...)}
LENGTHS = {"limit": (Count | Absent, None), "length": (Count | Absent, None)}
FIELDS: Mapping[Error, Mapping[str, Any]] = {
    errors.InvalidRequest: {"issues": (list[Issue], Field(min_length=1, max_length=MAX_ISSUES)), **LENGTHS},
    errors.SessionConflict: SEEN,
    errors.AgentMemoryConflict: {"version": (Revision, ...)},
    errors.MemoryFull: {"limit": (Count, ...)},
    errors.TooLarge: LENGTHS,
    errors.ModelFailed: SEEN,
}
EXAMPLES: Mapping[Error, Json] = {
    errors.InvalidRequest: {"issues": [{"path": "command.key", "message": "Field required"}]},
    errors.SessionConflict: {"head": "v-8e02", "revision": 6},
    errors.AgentMemoryConflict: {"version": 5},
    errors.MemoryFull: {"limit": 10_000},
    errors.ModelFailed: {"head": "v-8e02", "revision": 6},
}
EVERYWHERE: tuple[Error, ...] = (errors.InvalidRequest, errors.Unauthorized, errors.Forbidden, errors.Unavailable)
GATEWAY_MESSAGES = {
    401: "Unauthorized",
    403: "Forbidden",
    413: "Request Entity Too Large",
    429: "Too Many Requests",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


def _model(tag: str, fields: Mapping[str, Any]) -> type[BaseModel]:
    own = {"tag": (Literal[tag], Field(alias="_tag")), "message": (str, ...), **fields}
    return cast("Any", create_model)(tag, __config__=ConfigDict(extra="forbid"), **own)


def _with_subclasses(error: Error) -> Iterable[Error]:
    yield error
    for each in error.__subclasses__():
        yield from _with_subclasses(each)


ALL_ERRORS = [
    error for top in STATUS for error in _with_subclasses(top) if error not in {errors.NotFound, errors.Conflict}
]
MODELS = {error: _model(error.__name__, FIELDS.get(error, {})) for error in ALL_ERRORS}
INTERNAL_ERROR = _model(INTERNAL["_tag"], {})


def error_responses(errors_of_route: Iterable[Error]) -> dict[int, Json]:
    """The error responses by status: this route's errors, those of every route, and the gateway's own."""
    by_status: dict[int, list[Error]] = {status: [] for status in GATEWAY_MESSAGES}
    for error in (*EVERYWHERE, *errors_of_route):
        by_status.setdefault(_status(error), []).append(error)
    return {status: _response(status, by_status[status]) for status in sorted(by_status)}


def _status(error: Error) -> int:
    return next(status for kind, status in STATUS.items() if issubclass(error, kind))


def _response(status: int, route_errors: list[Error]) -> Json:
    models = [MODELS[error] for error in route_errors]
    examples: Json = {
        error.__name__: {"value": {"_tag": error.__name__, "message": error.message, **EXAMPLES.get(error, {})}}
        for error in route_errors
    }
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        models.append(INTERNAL_ERROR)
        examples[INTERNAL["_tag"]] = {"value": INTERNAL}
    if status in GATEWAY_MESSAGES:
        models.append(Gateway)
        examples["Gateway"] = {"value": {"message": GATEWAY_MESSAGES[status]}}
    response: Json = {
        "description": HTTPStatus(status).phrase,
        "content": {"application/json": {"model": Union[tuple(models)], "examples": examples}},  # noqa: UP007 - a tuple
    }
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        retry_after = {"description": "Seconds.", "schema": {"type": "integer", "minimum": int(RETRY_AFTER)}}
        response["headers"] = {"Retry-After": retry_after}
    return response
