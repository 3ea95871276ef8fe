"""Delete a session, or erase a fact, for good."""

from openbot_memory.domain.errors import Forbidden, SessionNotFound
from openbot_memory.domain.session import PrincipalType
from openbot_memory.store.removal import Removal
from openbot_memory.use_cases.cleaning import ask_for_deletion
from openbot_memory.use_cases.ports import Call, Json, World, until_committed


def delete(world: World, call: Call, identifier: str) -> Json:
    """Delete a session: from now on it is unknown, and its rows go. Asked again while they go, it is answered alike.

    Raises Forbidden unless an administrator or a host asks, SessionNotFound, Unavailable.
    """
    if not (call.caller.admin or call.caller.type is PrincipalType.HOST):
        raise Forbidden
    removal = Removal(world.table, call.org)

    def begin() -> None:
        try:
            session = world.sessions(call.org).state(identifier).session
        except SessionNotFound:
            if removal.deleted_at(identifier) is None:
                raise
        else:
            removal.begin(session, world.now())

    until_committed(begin)
    ask_for_deletion(world, call.org, identifier)
    return {"session": {"id": identifier, "deleted": True}}
