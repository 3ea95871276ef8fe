"""Declares a route as one typed function, whose annotations are the request and the response."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from inspect import getdoc
from typing import Annotated, Any, cast

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.openapi.params import Header, Path, Query
from pydantic import WithJsonSchema

from openbot_memory.domain.errors import TooLarge
from openbot_memory.domain.facts import Kind, Status
from openbot_memory.http.idempotency import LONGEST_KEY
from openbot_memory.http.queries import LONGEST_PAGE, LONGEST_QUERY, MOST_DIGITS
from openbot_memory.http.requests import Id
from openbot_memory.use_cases.pages import PAGE
from openbot_memory_openapi.error_responses import Error, error_responses

type Json = dict[str, Any]

app = APIGatewayHttpResolver()

SessionId = Annotated[Id, Path(description="The session.")]
AgentId = Annotated[Id, Path(description="The agent.")]

Limit = Annotated[
    int | None,
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": LONGEST_PAGE}),
    Query(description=f"How many at most; {PAGE} unless it is given."),
]
LimitOfMemory = Annotated[
    int | None,
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": LONGEST_PAGE}),
    Query(description="How many at most. Without it, and without a cursor, everything that fits an answer comes."),
]
From = Annotated[
    str | None,
    WithJsonSchema({"type": "string", "minLength": 1}),
    Query(description="The `cursor` of the page before."),
]
OfStatus = Annotated[
    Status | None, WithJsonSchema({"type": "string", "enum": list(Status)}), Query(description="Only these.")
]
OfKind = Annotated[
    Kind | None, WithJsonSchema({"type": "string", "enum": list(Kind)}), Query(description="Only these.")
]
OfAgent = Annotated[Id | None, Query(description="Only this agent's.")]
Search = Annotated[
    str | None,
    WithJsonSchema({"type": "string", "maxLength": LONGEST_QUERY, "pattern": r"[^\s\u001c-\u001f\u0085]"}),
    Query(description="Only what is near to these words: best first, active unless `status` says otherwise, in pages."),
]
Topic = Annotated[
    str | None,
    WithJsonSchema({"type": "string", "maxLength": LONGEST_QUERY, "pattern": r"[^\s\u001c-\u001f\u0085]"}),
    Query(
        description="What the turn is about, such as the user's message: the facts nearest to it have half the text."
    ),
]
Number = WithJsonSchema({"type": "integer", "minimum": 0, "maximum": 10**MOST_DIGITS - 1})
IdempotencyKey = Annotated[
    str | None,
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[ -~]*$"}),
    Header(
        alias="Idempotency-Key",
        description="The same key with the same request within a day gives the first answer again and changes nothing.",
    ),
]


def route[F: Callable[..., object]](
    rule: str, *errors: Error, status: int = HTTPStatus.OK, links: Mapping[str, Json] | None = None
) -> Callable[[F], F]:
    """Declare `METHOD /path`. The return type is the response; the docstring is the description."""
    method, _, path = rule.partition(" ")

    def declare(function: F) -> F:
        summary, _, description = (getdoc(function) or "").partition("\n\n")
        too_large = [TooLarge] if method in {"POST", "PATCH"} else []
        success: Json = {"description": HTTPStatus(status).phrase} | ({"links": links} if links else {})
        app.route(
            path.replace("{", "<").replace("}", ">"),
            method,
            summary=summary,
            description=description.replace("\n", " ") or None,
            operation_id=function.__name__,
            tags=[path.split("/")[2].partition(".")[0]],
            responses=cast("Any", {status: success} | error_responses([*errors, *too_large])),
        )(function)
        return function

    return declare


def link(operation: str, parameters: Mapping[str, str], body: Mapping[str, str] | None = None) -> Json:
    """An OpenAPI link: an operation that can follow, its parameters taken from the response's body or the request."""
    linked: Json = {"operationId": operation, "parameters": _expressions(parameters)}
    return linked | ({"requestBody": _expressions(body)} if body else {})


def _expressions(given: Mapping[str, str]) -> Json:
    return {name: path if path.startswith("$") else f"$response.body#{path}" for name, path in given.items()}
