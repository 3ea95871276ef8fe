"""Domain values as rows of the table, and back.

A row has an attribute for each field of its dataclass; None is left out. Ranges are written as text, named tuples as
lists, a timeline and a tally as attributes of the row itself, and item bodies as JSON.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

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


def _fields(value: Any) -> Row:  # noqa: ANN401 - any dataclass
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def _read[T](cls: type[T], row: Mapping[str, Any], /, **converters: Callable[[Any], Any]) -> T:
    """The dataclass of a row's attributes; a converter makes what is no plain value."""
    names: Iterable[str] = cast("Any", cls).__dataclass_fields__
    given = {name: row[name] for name in names if name in row}
    return cls(**given | {name: convert(given[name]) for name, convert in converters.items() if name in given})


def _tuple[T](kind: Callable[..., T]) -> Callable[[Any], T]:
    return lambda values: kind(*values)


# Settings


def organization_row(org: str, settings: Organization, revision: int) -> Row:
    pk, sk = keys.organization(org)
    return {"pk": pk, "sk": sk, "revision": revision, **_fields(settings)}


def to_organization(row: Row | None) -> Organization:
    return _read(Organization, row or {})


# Sessions


def session_row(pk: str, session: Session) -> Row:
    return {
        "pk": pk,
        "sk": keys.HEAD,
        **_fields(session),
        **_timeline(session.timeline),
        **_tally(session.tally),
        **_batch(session.batch),
    }


def to_session(row: Row) -> Session:
    return _read(
        Session,
        row | {"timeline": row, "tally": row},
        kind=SessionKind,
        timeline=_to_timeline,
        tally=_to_tally,
        tokens=_tuple(Tokens),
        error=_tuple(Failure),
        batch=_to_batch,
        forked_from=_tuple(Origin),
    )


def _timeline(timeline: Timeline) -> Row:
    ranges = {name: str(getattr(timeline, name)) for name in ("items", "steps", "processed")}
    return {**ranges, "readable": timeline.readable, "timeline": None}


def _to_timeline(row: Row) -> Timeline:
    return _read(Timeline, row, items=Ranges.parse, steps=Ranges.parse, processed=Ranges.parse)


def _tally(tally: Tally) -> Row:
    return {**_fields(tally), "tally": None}


def _to_tally(row: Row) -> Tally:
    return _read(Tally, row)


def _batch(batch: Batch | None) -> Row:
    return {"batch": [str(batch.items), batch.failures] if batch else None}


def _to_batch(values: Any) -> Batch:  # noqa: ANN401
    return Batch(Ranges.parse(values[0]), values[1])


# Facts and entries


def fact_row(pk: str, generation: str, fact: Fact, base: int = 0) -> Row:
    """`base`: the revision that a rewind or fork started from, by which its leftovers are known."""
    place = {"pk": pk, "sk": keys.fact(fact.key, generation), "recency": recency(generation, fact)}
    return {**place, "generation": generation, "base": base, **_fact(fact)}


def mark_row(pk: str, generation: str, digest: str, fact: Fact, base: int = 0) -> Row:
    """Says which forgotten fact has a digest; whether it still is forgotten, that fact's own row tells (S6)."""
    place = {"pk": pk, "sk": keys.mark(digest, generation), "generation": generation, "base": base}
    return {**place, "key": fact.key, "step": fact.step}


def recency(generation: str, fact: Fact) -> str:
    """Sorts as S4 orders, read from the end: time, step, and within one change the lesser key last.

    The forgotten facts of a generation come behind its active ones.
    """
    place = f"{generation}{keys.ACTIVE if fact.active else keys.FORGOTTEN}"
    return f"{place}{fact.updated_at:015d}#{fact.step:012d}#{99_999 - fact.order:05d}"


def tombstone_row(pk: str, tombstone: Fact) -> Row:
    return {"pk": pk, "sk": f"{keys.TOMBSTONES}{tombstone.key}", **_fact(tombstone)}


def _fact(fact: Fact) -> Row:
    """What is as usual is left out."""
    unusual = {"only_apps": fact.only_apps or None, "supported": None if fact.supported else False}
    return {**_fields(fact), **_sources(fact.sources), **unusual, "marks": fact.marks or None}


def _sources(sources: tuple[Source, ...]) -> Row:
    """An entry's sources are items of one session, so that is written once."""
    items = [source if isinstance(source, str) else source.item for source in sources]
    return {"sources": items, "session": next((s.session for s in sources if isinstance(s, AgentSource)), None)}


def to_fact(row: Mapping[str, Any]) -> Fact:
    session = row.get("session")
    return _read(
        Fact,
        row,
        kind=Kind,
        sources=lambda items: tuple(AgentSource(session, item) if session else item for item in items),
        status=Status,
        person=_tuple(Person),
        marks=tuple,
    )


# Agents


def agent_row(pk: str, agent: Agent) -> Row:
    """It comes before all its entries in the index, so that one Query reads both."""
    return {"pk": pk, "sk": keys.HEAD, "recency": keys.FIRST, **_fields(agent), **_tally(agent.tally)}


def to_agent(row: Row) -> Agent:
    return _read(Agent, row | {"tally": row}, tally=_to_tally)


def progress_row(pk: str, session: str, progress: Progress) -> Row:
    learned = {"learned": str(progress.learned)}
    return {"pk": pk, "sk": keys.progress(session), **_fields(progress), **learned, **_batch(progress.batch)}


def to_progress(row: Row) -> Progress:
    return _read(Progress, row, learned=Ranges.parse, batch=_to_batch, error=_tuple(Failure))


# History


def version_row(pk: str, version: Version) -> Row:
    return {
        "pk": pk,
        "sk": keys.version(version.step, turn=version.trigger is Trigger.TURN),
        **_fields(version),
        **_timeline(version.timeline),
        **changes(version.changes, version.removed),
        "by": [version.by.type, version.by.id, version.by.name] if version.by else None,
    }


def changes(changed: Iterable[Fact], removed: Iterable[str] = ()) -> Row:
    """What a version did to facts; also a part of it, where it does not fit one row."""
    return {"changes": [_fact(fact) for fact in changed], "removed": list(removed)}


def to_version(row: Row) -> Version:
    return _read(
        Version,
        row | {"timeline": row},
        trigger=Trigger,
        timeline=_to_timeline,
        changes=lambda facts: tuple(map(to_fact, facts)),
        removed=tuple,
        by=lambda by: Principal(organization="", type=PrincipalType(by[0]), id=by[1], name=by[2]),
        dropped=lambda dropped: tuple(Dropped(key, Reason(reason)) for key, reason in dropped),
        tokens=_tuple(Tokens),
    )


def item_row(pk: str, item: Item) -> Row:
    """The text stands beside the JSON: escaped in it, control characters would take six times the room."""
    rest = {name: value for name, value in item.body.items() if name != "text"}
    body = {"text": item.body.get("text"), "body": json.dumps(rest, ensure_ascii=False)}
    return {"pk": pk, "sk": keys.item(item.number), **_fields(item), **body}


def to_item(row: Row) -> Item:
    text = {"text": row["text"]} if "text" in row else {}
    return _read(Item, row, type=ItemType, body=lambda body: json.loads(body) | text, person=_tuple(Person))
