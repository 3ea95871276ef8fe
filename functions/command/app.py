"""Answers POST, PATCH and DELETE: everything that changes something."""

from collections.abc import Callable, Mapping
from typing import Any

from openbot_memory.http import gateway, requests
from openbot_memory.http.gateway import Answer, Json, Request, Route
from openbot_memory.http.idempotency import carried_out_once
from openbot_memory.http.parse import parse
from openbot_memory.runtime.log import logger
from openbot_memory.runtime.wiring import world
from openbot_memory.use_cases import change_agent, change_session, delete, organization, promote, timeline, turns
from openbot_memory.use_cases.consolidate_session import refresh
from openbot_memory.use_cases.world import Call, World

MODEL_TIMEOUT = 18  # seconds, of a Refresh: with all the rest well under the gateway's 30


def _world() -> World:
    return world(MODEL_TIMEOUT)


_world()  # builds the clients while Lambda loads this, not in the first request


def _post(status: int, use_case: Callable[[Request, Call], Json]) -> Route:
    def route(request: Request) -> Answer:
        return carried_out_once(_world().table, request, status, lambda call: use_case(request, call))

    return route


def _create(request: Request, call: Call) -> Json:
    return change_session.create(_world(), call, parse(requests.Create, request.body()).session())


def _append(request: Request, call: Call) -> Json:
    turn, expected = parse(requests.Turn, request.body()).parts()
    return turns.append(_world(), call, request.id(), turn, expected)


def _change(request: Request, call: Call) -> Json:
    body = parse(requests.Change, request.body())
    command = body.carried_out()
    if command is None:
        return refresh(_world(), call, request.id(), body.seen)
    return change_session.change(_world(), call, request.id(), body.seen, command)


def _fork(request: Request, call: Call) -> Json:
    body = parse(requests.Fork, request.body())
    return timeline.fork(_world(), call, request.id(), body.at, body.id)


def _rewind(request: Request, call: Call) -> Json:
    body = parse(requests.Rewind, request.body())
    return timeline.rewind(_world(), call, request.id(), body.to, body.seen)


def _promote(request: Request, call: Call) -> Json:
    return promote.promote(_world(), call, request.id(), parse(requests.Promote, request.body()).agent)


def _create_agent(request: Request, call: Call) -> Json:
    return change_agent.create(_world(), call, parse(requests.CreateAgent, request.body()).agent())


def _change_agent(request: Request, call: Call) -> Json:
    body = parse(requests.ChangeAgent, request.body())
    return change_agent.change(_world(), call, request.id(), body.expected, body.carried_out())


def _delete(request: Request) -> Answer:
    request.query()
    if request.event.get("body"):
        parse(requests.Nothing, request.body())
    return 200, delete.delete(_world(), Call(caller=request.caller), request.id())


def _configure(request: Request) -> Answer:
    fields = parse(requests.Settings, request.body()).fields()
    return 200, organization.configure(_world(), Call(caller=request.caller), fields)


ROUTES: Mapping[str, Route] = {
    "POST /v1/sessions": _post(201, _create),
    "POST /v1/sessions/{id}/turns": _post(200, _append),
    "POST /v1/sessions/{id}/memory": _post(200, _change),
    "POST /v1/sessions/{id}/fork": _post(201, _fork),
    "POST /v1/sessions/{id}/rewind": _post(200, _rewind),
    "POST /v1/sessions/{id}/promote": _post(200, _promote),
    "DELETE /v1/sessions/{id}": _delete,
    "POST /v1/agents": _post(201, _create_agent),
    "POST /v1/agents/{id}/memory": _post(200, _change_agent),
    "PATCH /v1/organization": _configure,
}


@logger.inject_lambda_context(correlation_id_path="requestContext.requestId")
def handler(event: Mapping[str, Any], _context: object) -> Json:
    return gateway.handle(event, ROUTES)
