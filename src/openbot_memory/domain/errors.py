"""Everything that can be refused, as one tree. The edge maps each class to a status; the core knows no status.

OpenBotError
├── InvalidRequest        malformed or out of bounds
│   └── SecretRefused     a credential in a Remember (S7)
├── Unauthorized
├── Forbidden
│   └── PersonRequired    only a person brings a retracted entry back (A4)
├── NotFound
│   └── SessionNotFound, AgentNotFound, VersionNotFound
├── Conflict
│   ├── SessionConflict, AgentMemoryConflict    stale `expected` or `revision` (S9, A8)
│   ├── SessionExists, AgentExists
│   ├── UnknownKey        a Forget of a key that was never there (S10)
│   └── MemoryFull
├── TooLarge
├── KeyReused             the same turn or Idempotency-Key with another body
├── ModelFailed           of a Refresh (S10)
└── Unavailable           try again later
"""

from enum import StrEnum
from typing import ClassVar


class OpenBotError(Exception):
    """A refusal with its public `message` and the `fields` that help the caller."""

    message: ClassVar[str] = "The request cannot be carried out."

    def __init__(self, message: str | None = None, **fields: object) -> None:
        super().__init__(message or self.message)
        self.fields = fields

    @property
    def tag(self) -> str:
        return type(self).__name__


class InvalidRequest(OpenBotError):
    """Malformed input; `issues` name the fields by path."""

    message = "The request is not valid."

    @classmethod
    def at(cls, path: str, message: str, **fields: object) -> "InvalidRequest":
        return cls(message, issues=[{"path": path, "message": message}], **fields)


class SecretRefused(InvalidRequest):
    message = "The text looks like it holds a credential, and memory never keeps one."


class Unauthorized(OpenBotError):
    message = "A valid token is needed."


class Forbidden(OpenBotError):
    message = "The token does not allow this."


class PersonRequired(Forbidden):
    message = "Only a person can bring a forgotten entry back."


class NotFound(OpenBotError):
    message = "There is no such thing here."


class SessionNotFound(NotFound):
    message = "There is no such session."


class AgentNotFound(NotFound):
    message = "There is no such agent."


class VersionNotFound(NotFound):
    message = "The session never had this version."


class Conflict(OpenBotError):
    pass


class SessionConflict(Conflict):
    message = "The session has changed since it was read. Read it again and retry."


class AgentMemoryConflict(Conflict):
    message = "The agent's memory has changed since it was read. Read it again and retry."


class SessionExists(Conflict):
    message = "A session with this id exists."


class AgentExists(Conflict):
    message = "An agent with this id exists."


class UnknownKey(Conflict):
    message = "There is no fact with this key."


class MemoryFull(Conflict):
    message = "The memory holds as many keys as it may."


class TooLarge(OpenBotError):
    message = "The request is too large."


class KeyReused(OpenBotError):
    message = "The same key was used before with another request."


class FailureCause(StrEnum):
    """What made a model fail: it decides whether the items are used up by it, and whether the event is tried again."""

    CONTENT = "content"  # what the items say can have caused it
    SERVICE = "service"  # access, configuration, quota
    PASSING = "passing"  # throttling, time-outs, outages: it may pass by itself


class ModelFailed(OpenBotError):
    message = "The model failed."

    def __init__(
        self, message: str | None = None, cause: FailureCause = FailureCause.CONTENT, **fields: object
    ) -> None:
        super().__init__(message, **fields)
        self.cause = cause


class Unavailable(OpenBotError):
    message = "The service is busy. Try again in a moment."
