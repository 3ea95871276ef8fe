"""The shapes of refusals, made from the errors' own names, messages and statuses."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, Literal, Union, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

from openbot_memory.domain import errors
from openbot_memory.http.gateway import INTERNAL, RETRY_AFTER, STATUS
from openbot_memory.http.requests import MAX_ISSUES, Revision, VersionId
from openbot_memory_local.openapi.answers import Absent, Count

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
OF_GATEWAY = {
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


def _all(error: Error) -> Iterable[Error]:
    yield error
    for each in error.__subclasses__():
        yield from _all(each)


TREE = [error for top in STATUS for error in _all(top) if error not in {errors.NotFound, errors.Conflict}]
MODELS = {error: _model(error.__name__, FIELDS.get(error, {})) for error in TREE}
INTERNAL_ERROR = _model(INTERNAL["_tag"], {})


def responses(refused: Iterable[Error]) -> dict[int, Json]:
    """The answers by their statuses: of these errors, of those that any route may have, and of the gateway."""
    by_status: dict[int, list[Error]] = {status: [] for status in OF_GATEWAY}
    for error in (*EVERYWHERE, *refused):
        by_status.setdefault(_status(error), []).append(error)
    return {status: _response(status, by_status[status]) for status in sorted(by_status)}


def _status(error: Error) -> int:
    return next(status for kind, status in STATUS.items() if issubclass(error, kind))


def _response(status: int, refused: list[Error]) -> Json:
    models = [MODELS[error] for error in refused]
    examples: Json = {
        error.__name__: {"value": {"_tag": error.__name__, "message": error.message, **EXAMPLES.get(error, {})}}
        for error in refused
    }
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        models.append(INTERNAL_ERROR)
        examples[INTERNAL["_tag"]] = {"value": INTERNAL}
    if status in OF_GATEWAY:
        models.append(Gateway)
        examples["Gateway"] = {"value": {"message": OF_GATEWAY[status]}}
    response: Json = {
        "description": HTTPStatus(status).phrase,
        "content": {"application/json": {"model": Union[tuple(models)], "examples": examples}},  # noqa: UP007 - a tuple
    }
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        waits = {"description": "Seconds.", "schema": {"type": "integer", "minimum": int(RETRY_AFTER)}}
        response["headers"] = {"Retry-After": waits}
    return response
