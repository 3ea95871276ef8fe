"""Declares the routes of sessions."""

from openbot_memory.domain.errors import (
    AgentNotFound,
    KeyReused,
    MemoryFull,
    ModelFailed,
    SecretRefused,
    SessionConflict,
    SessionExists,
    SessionNotFound,
    UnknownKey,
    VersionNotFound,
)
from openbot_memory.http import requests
from openbot_memory_openapi import responses
from openbot_memory_openapi.routing import (
    From,
    IdempotencyKey,
    Limit,
    LimitOfMemory,
    OfAgent,
    OfKind,
    OfStatus,
    Search,
    SessionId,
    Topic,
    link,
    route,
)

SEEN = {"expected": "/session/head", "revision": "/session/revision"}
OF_SESSION = {"id": "/session/id"}
OF_VIEW = {
    "Session": link("session", OF_SESSION),
    "Memory": link("memory", OF_SESSION),
    "Log": link("log", OF_SESSION),
    "Items": link("items", OF_SESSION),
    "Instructions": link("instructions", OF_SESSION),
    "Export": link("export_session", OF_SESSION),
    "Turn": link("append_turn", OF_SESSION),
    "SeenTurn": link("append_turn", OF_SESSION, SEEN),
    "Change": link("change_memory", OF_SESSION, SEEN),
    "Fork": link("fork", OF_SESSION),
    "Rewind": link("rewind", OF_SESSION, SEEN | {"to": "/session/head"}),
    "Promote": link("promote", OF_SESSION),
}
SAME = {"id": "$request.path.id"}
NEXT = SAME | {"cursor": "/cursor"}
DELETE = {"Delete": link("delete_session", OF_SESSION)}


@route("POST /v1/sessions", AgentNotFound, SessionExists, KeyReused, status=201, links=OF_VIEW | DELETE)
def create_session(body: requests.Create, key: IdempotencyKey = None) -> responses.SessionView:
    """Begin a session."""
    ...


@route("GET /v1/sessions", AgentNotFound, links={"Next": link("sessions", {"cursor": "/cursor"})})
def sessions(agent: OfAgent = None, limit: Limit = None, cursor: From = None) -> responses.Sessions:
    """List the organization's sessions, newest created first."""
    ...


@route("GET /v1/sessions/{id}", SessionNotFound)
def session(id: SessionId) -> responses.SessionView:
    """See its head, revision, settings and the state of its consolidation."""
    ...


@route("DELETE /v1/sessions/{id}", SessionNotFound)
def delete_session(id: SessionId) -> responses.DeletedSession:
    """Delete it for good; an administrator or a host may.

    Forks keep what they need. Asked again while the rows go, it is answered alike.
    """
    ...


@route("POST /v1/sessions/{id}/turns", SessionNotFound, SessionConflict, KeyReused, links=OF_VIEW)
def append_turn(id: SessionId, body: requests.Turn, key: IdempotencyKey = None) -> responses.SessionView:
    """Append a finished, cancelled or failed turn; the same turn again changes nothing.

    It holds at most 1000 items of 256 KB each, and any request at most 5 MB.
    """
    ...


@route("GET /v1/sessions/{id}/items", SessionNotFound, links={"Next": link("items", NEXT)})
def items(id: SessionId, limit: Limit = None, cursor: From = None) -> responses.Items:
    """Read the history, oldest first."""
    ...


@route("GET /v1/sessions/{id}/memory", SessionNotFound, links={"Next": link("memory", NEXT)})
def memory(
    id: SessionId,
    q: Search = None,
    status: OfStatus = None,
    kind: OfKind = None,
    limit: LimitOfMemory = None,
    cursor: From = None,
) -> responses.Memory | responses.FoundFacts:
    """Read the facts, or search in them."""
    ...


@route(
    "POST /v1/sessions/{id}/memory",
    SecretRefused,
    SessionNotFound,
    SessionConflict,
    UnknownKey,
    MemoryFull,
    KeyReused,
    ModelFailed,
    links=OF_VIEW,
)
def change_memory(id: SessionId, body: requests.Change, key: IdempotencyKey = None) -> responses.SessionView:
    """Remember, Forget, Erase, Configure or Refresh, decided on what was last seen."""
    ...


@route("GET /v1/sessions/{id}/memory/log", SessionNotFound, links={"Next": link("log", NEXT)})
def log(id: SessionId, limit: Limit = None, cursor: From = None) -> responses.Log:
    """Read every change of the memory, newest first, and what was dropped and why."""
    ...


@route("GET /v1/sessions/{id}/instructions", SessionNotFound)
def instructions(id: SessionId, q: Topic = None) -> responses.Instructions:
    """Read the text for the model's next turn, with what its agent knows."""
    ...


@route(
    "POST /v1/sessions/{id}/fork",
    SessionNotFound,
    VersionNotFound,
    SessionExists,
    KeyReused,
    status=201,
    links=OF_VIEW,
)
def fork(id: SessionId, body: requests.Fork, key: IdempotencyKey = None) -> responses.SessionView:
    """Begin a new session with the history and memory of a version."""
    ...


@route(
    "POST /v1/sessions/{id}/rewind",
    SessionNotFound,
    VersionNotFound,
    SessionConflict,
    KeyReused,
    links=OF_VIEW,
)
def rewind(id: SessionId, body: requests.Rewind, key: IdempotencyKey = None) -> responses.SessionView:
    """Go back, or forward again, to any version, in one step."""
    ...


@route("POST /v1/sessions/{id}/promote", SessionNotFound, AgentNotFound, KeyReused)
def promote(id: SessionId, body: requests.Promote, key: IdempotencyKey = None) -> responses.Promoted:
    """Take the session's durable facts into an agent's memory. A host may not."""
    ...


@route("GET /v1/sessions/{id}/export", SessionNotFound, links={"Next": link("export_session", NEXT)})
def export_session(id: SessionId, cursor: From = None) -> responses.SessionExport:
    """Read all that is kept, in pages."""
    ...
