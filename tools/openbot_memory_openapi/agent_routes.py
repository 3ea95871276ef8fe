"""Declares the routes of agents, of the organization, and of the OpenAPI document itself."""

from typing import Any

from openbot_memory.domain.errors import (
    AgentExists,
    AgentMemoryConflict,
    AgentNotFound,
    KeyReused,
    MemoryFull,
    PersonRequired,
    SecretRefused,
    UnknownKey,
    VersionNotFound,
)
from openbot_memory.http import requests
from openbot_memory_openapi import responses
from openbot_memory_openapi.routing import (
    AgentId,
    From,
    IdempotencyKey,
    Limit,
    LimitOfMemory,
    OfKind,
    OfStatus,
    Search,
    link,
    route,
)

OF_AGENT = {"id": "/agent/id"}
SAME = {"id": "$request.path.id"}
NEXT = SAME | {"cursor": "/cursor"}
SEEN = {"expected": "/version"}
OF_CHANGE = {"Change": link("change_agent_memory", SAME, SEEN)}
OF_VIEW = {
    "Agent": link("agent", OF_AGENT),
    "Memory": link("agent_memory", OF_AGENT),
    "Log": link("agent_log", OF_AGENT),
    "Export": link("export_agent", OF_AGENT),
    "Change": link("change_agent_memory", OF_AGENT, {"expected": "/agent/version"}),
}


@route("POST /v1/agents", AgentExists, KeyReused, status=201, links=OF_VIEW)
def create_agent(body: requests.CreateAgent, key: IdempotencyKey = None) -> responses.AgentView:
    """Make an agent, shared or not."""
    ...


@route("GET /v1/agents", links={"Next": link("agents", {"cursor": "/cursor"})})
def agents(limit: Limit = None, cursor: From = None) -> responses.Agents:
    """List the organization's agents, newest created first."""
    ...


@route("GET /v1/agents/{id}", AgentNotFound, links={"Change": OF_VIEW["Change"]})
def agent(id: AgentId) -> responses.AgentView:
    """See an agent, and the version of its memory."""
    ...


@route("GET /v1/agents/{id}/memory", AgentNotFound, links={"Next": link("agent_memory", NEXT)})
def agent_memory(
    id: AgentId,
    q: Search = None,
    status: OfStatus = None,
    kind: OfKind = None,
    limit: LimitOfMemory = None,
    cursor: From = None,
) -> responses.AgentMemory | responses.FoundEntries:
    """Read what it learned across sessions, or search in it."""
    ...


@route(
    "POST /v1/agents/{id}/memory",
    SecretRefused,
    PersonRequired,
    AgentNotFound,
    VersionNotFound,
    AgentMemoryConflict,
    UnknownKey,
    MemoryFull,
    KeyReused,
    links=OF_CHANGE,
)
def change_agent_memory(id: AgentId, body: requests.ChangeAgent, key: IdempotencyKey = None) -> responses.AgentMemory:
    """Remember, Forget, Erase, or Restore an earlier version. The answer shows only what was changed."""
    ...


@route("GET /v1/agents/{id}/memory/log", AgentNotFound, links={"Next": link("agent_log", NEXT)})
def agent_log(id: AgentId, limit: Limit = None, cursor: From = None) -> responses.AgentLog:
    """Read every version of the memory, newest first."""
    ...


@route("GET /v1/agents/{id}/export", AgentNotFound, links={"Next": link("export_agent", NEXT)})
def export_agent(id: AgentId, cursor: From = None) -> responses.AgentExport:
    """Read all that is kept, in pages."""
    ...


@route("GET /v1/organization")
def organization() -> responses.Organization:
    """Read the organization's settings."""
    ...


@route("PATCH /v1/organization")
def configure_organization(body: requests.Settings) -> responses.Organization:
    """Change any part of them; an administrator may."""
    ...


@route("GET /v1/openapi.json")
def openapi() -> dict[str, Any]:
    """Read this document."""
    ...
