"""Answers GET. It imports no pydantic, no model and no detection of credentials, for the sake of its cold start."""

from collections.abc import Callable, Mapping
from typing import Any

from openbot_memory.http import gateway, openapi, queries
from openbot_memory.http.gateway import Answer, Json, Request, Route
from openbot_memory.runtime.log import logger
from openbot_memory.runtime.wiring import reader
from openbot_memory.use_cases import export, instructions, lists, read
from openbot_memory.use_cases.world import Reader

reader()  # builds the client while Lambda loads this, where it has a whole processor; a request has a share of one


def _openapi(request: Request) -> Answer:
    request.query()
    return 200, openapi.document()


def _organization(request: Request) -> Answer:
    return 200, read.organization(reader(), request.caller.organization)


def _route[Q](answer: Callable[[Reader, str, str, Q], Json], query: Callable[[Request], Q]) -> Route:
    """The route of one session or agent whose query string `query` reads."""

    def route(request: Request) -> Answer:
        asked = query(request)
        return 200, answer(reader(), request.caller.organization, request.id(), asked)

    return route


def _list[Q](answer: Callable[[Reader, str, Q], Json], query: Callable[[Request], Q]) -> Route:
    """The route of a list of the organization's."""
    return lambda request: (200, answer(reader(), request.caller.organization, query(request)))


def _plain(answer: Callable[[Reader, str, str], Json]) -> Route:
    return _route(lambda reader, org, identifier, _: answer(reader, org, identifier), Request.query)


ROUTES: Mapping[str, Route] = {
    "GET /v1/sessions": _list(lists.sessions, queries.page_of_sessions),
    "GET /v1/sessions/{id}": _plain(read.session),
    "GET /v1/sessions/{id}/memory": _route(read.session_memory, queries.wanted),
    "GET /v1/sessions/{id}/memory/log": _route(read.session_log, queries.page),
    "GET /v1/sessions/{id}/items": _route(read.items, queries.page),
    "GET /v1/sessions/{id}/instructions": _route(instructions.instructions, queries.search),
    "GET /v1/sessions/{id}/export": _route(export.session, queries.cursor),
    "GET /v1/agents": _list(lists.agents, queries.page),
    "GET /v1/agents/{id}": _plain(read.agent),
    "GET /v1/agents/{id}/memory": _route(read.agent_memory, queries.wanted),
    "GET /v1/agents/{id}/memory/log": _route(read.agent_log, queries.page),
    "GET /v1/agents/{id}/export": _route(export.agent, queries.cursor),
    "GET /v1/organization": _organization,
    "GET /v1/openapi.json": _openapi,
}


@logger.inject_lambda_context(correlation_id_path="requestContext.requestId")
def handler(event: Mapping[str, Any], _context: object) -> Json:
    return gateway.handle(event, ROUTES)
