"""GET: everything that only reads. It imports no request models, no model and no search for secrets."""

from collections.abc import Callable, Mapping
from typing import Any

from aws_lambda_powertools.logging import Logger

from openbot_memory.http import gateway, queries
from openbot_memory.http.gateway import Answer, Json, Request, Route
from openbot_memory.use_cases import read
from openbot_memory.use_cases.ports import Reader
from openbot_memory.wiring import reader

logger = Logger()


def _route(answer: Callable[[Reader, str, Request], Json]) -> Route:
    def route(request: Request) -> Answer:
        return 200, answer(reader(), request.caller.organization, request)

    return route


ROUTES: Mapping[str, Route] = {
    "GET /v1/sessions/{id}": _route(lambda reader, org, request: read.session(reader, org, request.id())),
    "GET /v1/sessions/{id}/memory": _route(
        lambda reader, org, request: read.memory(reader, org, request.id(), queries.wanted(request))
    ),
    "GET /v1/sessions/{id}/memory/log": _route(
        lambda reader, org, request: read.log(reader, org, request.id(), queries.page(request))
    ),
    "GET /v1/sessions/{id}/items": _route(
        lambda reader, org, request: read.items(reader, org, request.id(), queries.page(request))
    ),
    "GET /v1/sessions/{id}/instructions": _route(
        lambda reader, org, request: read.instructions(reader, org, request.id())
    ),
    "GET /v1/organization": _route(lambda reader, org, _: read.organization(reader, org)),
}


@logger.inject_lambda_context
def handler(event: Mapping[str, Any], _context: object) -> Json:
    return gateway.handle(event, ROUTES)
