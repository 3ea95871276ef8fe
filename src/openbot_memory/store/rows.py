"""Domain values as rows and back. What is only carried along (item bodies, answers) is kept as JSON text."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from openbot_memory.domain.agent import Agent, Progress
from openbot_memory.domain.facts import AgentSource, Fact, Kind, Person, Source, Status
from openbot_memory.domain.items import Item, ItemType
from openbot_memory.domain.ranges import Ranges
from openbot_memory.domain.rules import Dropped, Reason
from openbot_memory.domain.session import (
    Batch,
    Failure,
    Origin,
    Principal,
    PrincipalType,
    Session,
    SessionKind,
    Tally,
    Timeline,
    Tokens,
    Trigger,
    Version,
)
from openbot_memory.domain.settings import Organization
from openbot_memory.store import keys
from openbot_memory.store.table import Row


def organization_row(org: str, settings: Organization, revision: int) -> Row:
    pk, sk = keys.organization(org)
    return {
        "pk": pk,
        "sk": sk,
        "revision": revision,
        "use": settings.use,
        "generate": settings.generate,
        "agent_memory": settings.agent_memory,
        "agent_memory_model": settings.agent_memory_model,
    }


def to_organization(row: Row | None) -> Organization:
    fields = {name: value for name, value in (row or {}).items() if name not in {"pk", "sk", "revision"}}
    return Organization(**fields)


def session_row(pk: str, session: Session) -> Row:
    return {
        "pk": pk,
        "sk": keys.HEAD,
        "id": session.id,
        "agent": session.agent,
        "model": session.model,
        "kind": str(session.kind),
        "head": session.head,
        "revision": session.revision,
        "step": session.step,
        "generation": session.generation,
        "next_item": session.next_item,
        **_timeline(session.timeline),
        **asdict(session.tally),
        "overrides": session.overrides,
        "turn_model": session.turn_model,
        "tokens": list(session.tokens),
        "last_run": session.last_run,
        **_failed(session.batch, session.error),
        "forked_from": list(session.forked_from) if session.forked_from else None,
        "created_at": session.created_at,
        "updated_at": session.updated_at,
    }


def to_session(row: Row) -> Session:
    batch, error = _to_failed(row)
    return Session(
        id=row["id"],
        agent=row.get("agent"),
        model=row["model"],
        kind=SessionKind(row["kind"]),
        head=row["head"],
        revision=row["revision"],
        step=row["step"],
        generation=row["generation"],
        next_item=row["next_item"],
        timeline=_to_timeline(row),
        tally=_to_tally(row),
        overrides=row["overrides"],
        turn_model=row.get("turn_model"),
        tokens=Tokens(*row["tokens"]),
        last_run=row.get("last_run"),
        error=error,
        batch=batch,
        forked_from=Origin(*row["forked_from"]) if row.get("forked_from") else None,
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def _to_tally(row: Row) -> Tally:
    return Tally(keys=row["keys"], active=row["active"], characters=row["characters"])


def _failed(batch: Batch | None, error: Failure | None) -> Row:
    """What to try again (S8)."""
    return {
        "batch": [str(batch.items), batch.failures] if batch else None,
        "error": list(error) if error else None,
    }


def _to_failed(row: Row) -> tuple[Batch | None, Failure | None]:
    batch, error = row.get("batch"), row.get("error")
    return Batch(Ranges.parse(batch[0]), batch[1]) if batch else None, Failure(*error) if error else None


def _timeline(timeline: Timeline) -> Row:
    return {
        "items": str(timeline.items),
        "steps": str(timeline.steps),
        "processed": str(timeline.processed),
        "readable": timeline.readable,
    }


def _to_timeline(row: Row) -> Timeline:
    return Timeline(
        items=Ranges.parse(row["items"]),
        steps=Ranges.parse(row["steps"]),
        processed=Ranges.parse(row["processed"]),
        readable=row["readable"],
    )


def _fact(fact: Fact) -> Row:
    return {
        "key": fact.key,
        "content": fact.content,
        "kind": str(fact.kind),
        **_sources(fact.sources),
        "updated_at": fact.updated_at,
        "status": str(fact.status),
        "step": fact.step,
        "order": fact.order,
        "person": list(fact.person) if fact.person else None,
        "supported": None if fact.supported else False,
    }


def _sources(sources: tuple[Source, ...]) -> Row:
    """An entry's sources are items of one session, so that is written once."""
    items = [source if isinstance(source, str) else source.item for source in sources]
    return {"sources": items, "session": next((s.session for s in sources if isinstance(s, AgentSource)), None)}


def to_fact(row: Mapping[str, Any]) -> Fact:
    session = row.get("session")
    return Fact(
        key=row["key"],
        content=row["content"],
        kind=Kind(row["kind"]),
        sources=tuple(AgentSource(session, item) if session else item for item in row["sources"]),
        updated_at=row["updated_at"],
        status=Status(row["status"]),
        step=row["step"],
        order=row["order"],
        person=Person(*row["person"]) if row.get("person") else None,
        supported=row.get("supported", True),
    )


def fact_row(pk: str, generation: str, fact: Fact, base: int = 0) -> Row:
    """`base`: the revision that a rewind or fork started from, by which its leftovers are known."""
    row = {"pk": pk, "sk": keys.fact(fact.key, generation), "generation": generation, "base": base, **_fact(fact)}
    return row | ({"recency": recency(generation, fact)} if fact.active else {})


def erased_row(pk: str, stub: Fact) -> Row:
    return {"pk": pk, "sk": f"{keys.ERASED}{stub.key}", **_fact(stub)}


def recency(generation: str, fact: Fact) -> str:
    """Sorts as S4 orders, read from the end: time, step, and within one change the lesser key last."""
    return f"{generation}#{fact.updated_at:015d}#{fact.step:012d}#{99_999 - fact.order:05d}"


def changes(changed: Iterable[Fact], removed: Iterable[str] = ()) -> Row:
    """What a version did to facts; also a part of it, where it does not fit one row."""
    return {"changes": [_fact(fact) for fact in changed], "removed": list(removed)}


def agent_row(pk: str, agent: Agent) -> Row:
    """Its place in the index is before all its entries, so that one Query reads both."""
    return {
        "pk": pk,
        "sk": keys.HEAD,
        "recency": keys.FIRST,
        "id": agent.id,
        "name": agent.name,
        "shared": agent.shared,
        "version": agent.version,
        "generation": agent.generation,
        **asdict(agent.tally),
        "created_at": agent.created_at,
        "updated_at": agent.updated_at,
    }


def to_agent(row: Row) -> Agent:
    return Agent(
        id=row["id"],
        name=row["name"],
        shared=row["shared"],
        version=row["version"],
        generation=row["generation"],
        tally=_to_tally(row),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def progress_row(pk: str, session: str, progress: Progress) -> Row:
    return {
        "pk": pk,
        "sk": keys.progress(session),
        "born": progress.born,
        "count": progress.count,
        "learned": str(progress.learned),
        **_failed(progress.batch, progress.error),
    }


def to_progress(row: Row) -> Progress:
    batch, error = _to_failed(row)
    learned = Ranges.parse(row["learned"])
    return Progress(born=row["born"], count=row["count"], learned=learned, batch=batch, error=error)


def version_row(pk: str, version: Version) -> Row:
    return {
        "pk": pk,
        "sk": keys.version(version.step, turn=version.trigger is Trigger.TURN),
        "id": version.id,
        "step": version.step,
        "at": version.at,
        "trigger": str(version.trigger),
        **_timeline(version.timeline),
        "turn_model": version.turn_model,
        **changes(version.changes, version.removed),
        "by": [str(version.by.type), version.by.id, version.by.name] if version.by else None,
        "dropped": [[key, str(reason)] for key, reason in version.dropped],
        "model": version.model,
        "tokens": list(version.tokens) if version.tokens else None,
    }


def to_version(row: Row) -> Version:
    by = row.get("by")
    return Version(
        id=row["id"],
        step=row["step"],
        at=row["at"],
        trigger=Trigger(row["trigger"]),
        timeline=_to_timeline(row),
        turn_model=row.get("turn_model"),
        changes=tuple(map(to_fact, row["changes"])),
        removed=tuple(row["removed"]),
        by=Principal(organization="", type=PrincipalType(by[0]), id=by[1], name=by[2]) if by else None,
        dropped=tuple(Dropped(key, Reason(reason)) for key, reason in row["dropped"]),
        model=row.get("model"),
        tokens=Tokens(*row["tokens"]) if row.get("tokens") else None,
    )


def item_row(pk: str, item: Item) -> Row:
    return {
        "pk": pk,
        "sk": keys.item(item.number),
        "number": item.number,
        "type": str(item.type),
        "at": item.at,
        "text": item.body.get("text"),  # by itself: escaped in JSON, control characters would take six times the room
        "body": json.dumps({k: v for k, v in item.body.items() if k != "text"}, ensure_ascii=False),
        "turn": item.turn,
        "person": list(item.person) if item.person else None,
    }


def to_item(row: Row) -> Item:
    return Item(
        number=row["number"],
        type=ItemType(row["type"]),
        at=row["at"],
        body=json.loads(row["body"]) | ({"text": row["text"]} if "text" in row else {}),
        turn=row.get("turn"),
        person=Person(*row["person"]) if row.get("person") else None,
    )
