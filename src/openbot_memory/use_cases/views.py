"""What the API shows of a session, an item, a fact, a version: plain JSON values from domain values."""

from openbot_memory.domain.facts import Fact
from openbot_memory.domain.items import Item, ItemType, item_id
from openbot_memory.domain.session import Failure, Principal, Session, Version
from openbot_memory.domain.settings import Organization, effective
from openbot_memory.use_cases.ports import Json


def session_view(session: Session, organization: Organization) -> Json:
    origin = session.forked_from
    return {
        "session": {
            "id": session.id,
            "head": session.head,
            "revision": session.revision,
            "agent": session.agent,
            "model": session.model,
            "kind": str(session.kind),
            "forkedFrom": {"session": origin.session, "version": origin.version} if origin else None,
            "createdAt": session.created_at,
            "updatedAt": session.updated_at,
        },
        "memory": {
            **settings_view(session, organization),
            "consolidation": {
                "waiting": len(session.timeline.unread),
                "lastRun": session.last_run,
                "error": _error(session.error),
                "tokens": session.tokens._asdict(),
            },
        },
    }


def settings_view(session: Session, organization: Organization) -> Json:
    return {"settings": effective(organization, session.overrides), "overrides": session.overrides}


def memory_view(session: Session, organization: Organization, facts: list[Fact]) -> Json:
    """S1; `error` stands there only while the last consolidation failed."""
    view: Json = {
        "entries": {fact.key: fact_view(fact) for fact in facts},
        "processed": [item_id(number) for number in session.timeline.processed],
        **settings_view(session, organization),
    }
    return view | ({"error": _error(session.error)} if session.error else {})


def _error(failure: Failure | None) -> Json | None:
    return failure._asdict() if failure else None


def fact_view(fact: Fact) -> Json:
    view: Json = {
        "key": fact.key,
        "content": fact.content,
        "kind": str(fact.kind),
        "sources": [source if isinstance(source, str) else source._asdict() for source in fact.sources],
        "updatedAt": fact.updated_at,
        "status": str(fact.status),
    }
    return view | ({"person": fact.person._asdict()} if fact.person else {})


def item_view(item: Item) -> Json:
    view: Json = {"id": item.id, "type": str(item.type), **item.body, "at": item.at}
    if item.type is ItemType.MEMORY:
        return view
    return view | {"turn": item.turn, "person": item.person._asdict() if item.person else None}


def version_view(version: Version) -> Json:
    view: Json = {
        "version": version.id,
        "at": version.at,
        "trigger": str(version.trigger),
        "keys": [fact.key for fact in version.changes],
        "dropped": [{"key": key, "reason": str(reason)} for key, reason in version.dropped],
        "model": version.model,
        "tokens": version.tokens._asdict() if version.tokens else None,
    }
    return view | ({"by": principal_view(version.by)} if version.by else {})


def principal_view(by: Principal) -> Json:
    return {"type": str(by.type), "id": by.id}


def organization_view(organization: Organization) -> Json:
    return {
        "memory": {"use": organization.use, "generate": organization.generate},
        "agentMemory": organization.agent_memory,
        "agentMemoryModel": organization.agent_memory_model,
    }
