"""What the API shows of a session, an item, a fact, a version: plain JSON values from domain values."""

import json
from collections.abc import Iterable

from openbot_memory.domain.agent import Agent
from openbot_memory.domain.facts import Fact
from openbot_memory.domain.items import Item, ItemType, item_id
from openbot_memory.domain.session import Failure, Principal, Session, Trigger, Version
from openbot_memory.domain.settings import Organization, effective
from openbot_memory.use_cases.world import Json


def session_in_list(session: Session) -> Json:
    origin = session.forked_from
    return {
        "id": session.id,
        "head": session.head,
        "revision": session.revision,
        "agent": session.agent,
        "model": session.model,
        "kind": str(session.kind),
        "forkedFrom": {"session": origin.session, "version": origin.version} if origin else None,
        "createdAt": session.created_at,
        "updatedAt": session.updated_at,
    }


def session_view(session: Session, organization: Organization) -> Json:
    return {
        "session": session_in_list(session),
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


def memory_view(session: Session, organization: Organization, facts: Iterable[Json]) -> Json:
    """S1, of facts' views; `error` stands there only while the last consolidation failed."""
    view: Json = {
        "entries": {fact["key"]: fact for fact in facts},
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
    only_apps = {"onlyApps": True} if fact.only_apps else {}
    return view | ({"person": fact.person._asdict()} if fact.person else {}) | only_apps


def agent_in_list(agent: Agent) -> Json:
    return {
        "id": agent.id,
        "name": agent.name,
        "shared": agent.shared,
        "version": agent.version,
        "createdAt": agent.created_at,
    }


def agent_view(agent: Agent) -> Json:
    return {"agent": agent_in_list(agent)}


def entries_view(agent: Agent, entries: Iterable[Json]) -> Json:
    """A1, of entries' views; also of a change: only what was changed."""
    return {"entries": {entry["key"]: entry for entry in entries}, "version": agent.version}


def agent_version_view(version: Version) -> Json:
    """A9."""
    view: Json = {"version": version.step, "at": version.at, "trigger": str(version.trigger), "keys": version.keys}
    if version.trigger is Trigger.CONSOLIDATION:
        view |= {"model": version.model, "tokens": version.tokens._asdict() if version.tokens else None}
    if version.dropped:
        view["dropped"] = _dropped(version)
    return view | ({"by": principal_view(version.by)} if version.by else {})


def _dropped(version: Version) -> list[Json]:
    return [{"key": key, "reason": str(reason)} for key, reason in version.dropped]


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
        "keys": version.keys,
        "dropped": _dropped(version),
        "model": version.model,
        "tokens": version.tokens._asdict() if version.tokens else None,
    }
    return view | ({"by": principal_view(version.by)} if version.by else {})


def principal_view(by: Principal) -> Json:
    return {"type": str(by.type), "id": by.id}


def organization_view(organization: Organization) -> Json:
    return {
        "memory": {
            "use": organization.use,
            "generate": organization.generate,
            "instructions": organization.instructions,
        },
        "agentMemory": organization.agent_memory,
        "agentMemoryModel": organization.agent_memory_model,
    }


LARGEST = 4_000_000  # bytes of one list in an answer, as Lambda counts them; it sends at most 6 MB


def fitting_in(views: Iterable[Json], room: int = LARGEST) -> list[Json]:
    """As many as fit an answer, at least one."""
    fitting = list[Json]()
    for view in views:
        room -= _size_when_sent(view)
        if fitting and room < 0:
            break
        fitting.append(view)
    return fitting


def _size_when_sent(view: Json) -> int:
    """Of JSON as a text within JSON, where each quotation mark and backslash takes one byte more."""
    text = json.dumps(view, ensure_ascii=False)
    return len(text.encode()) + text.count('"') + text.count("\\")
