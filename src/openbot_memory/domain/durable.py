"""Promotion of a session's facts to an agent (A10), and the restoring of an agent's earlier version."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from openbot_memory.domain import rules
from openbot_memory.domain.facts import DURABLE, AgentSource, Fact, Kind
from openbot_memory.domain.items import Item, ItemType
from openbot_memory.domain.rules import Decision, Drop, Dropped, HoldsSecret, MemoryRules, Newest, Reason


def promote(
    session: str,
    facts: Iterable[Fact],
    items: Mapping[str, Item],
    newest: Newest,
    limits: MemoryRules,
    holds_secret: HoldsSecret,
) -> Decision:
    """A session's active durable facts as entries (A10); `items` are their sources. The newer `updatedAt` wins."""
    accepted, dropped, added = list[Fact](), list[Dropped](), 0
    for fact in facts:
        entry = newest.facts.get(fact.key)
        if not fact.active or fact.kind not in DURABLE or (entry and _newer(entry, fact)):
            continue
        try:
            _check(fact, entry, [items[source] for source in _own(fact) if source in items], limits, holds_secret)
            rules.check_not_forgotten(fact, entry, newest)
            if entry is None and newest.keys + added >= limits.max_keys:
                raise Drop(Reason.MEMORY_FULL)
        except Drop as drop:
            dropped.append(Dropped(fact.key, drop.reason))
        else:
            added += entry is None
            accepted.append(_entry(session, fact, items, newest.step))
    return Decision(rules.in_order(accepted), tuple(dropped))


def _newer(entry: Fact, fact: Fact) -> bool:
    """Also where it is as new: so a second promotion changes nothing."""
    return entry.active and entry.updated_at >= fact.updated_at


def _own(fact: Fact) -> list[str]:
    return [source for source in fact.sources if isinstance(source, str)]


def _check(fact: Fact, entry: Fact | None, items: list[Item], limits: MemoryRules, holds_secret: HoldsSecret) -> None:
    """Raises Drop."""
    if entry and not entry.active:
        raise Drop(Reason.RETRACTED)
    if len(fact.content) > limits.max_content:
        raise Drop(Reason.TOO_LONG)
    if rules.reveals(fact.key, fact.content, holds_secret):
        raise Drop(Reason.SECRET)
    if not (fact.supported and any(rules.supports(item, limits) for item in items)):
        raise Drop(Reason.ONLY_APP_RESULTS)
    said = any(item.from_user or item.type is ItemType.MEMORY for item in items)
    if fact.kind is Kind.PREFERENCE and not said:
        raise Drop(Reason.PREFERENCE_WITHOUT_USER)


def _entry(session: str, fact: Fact, items: Mapping[str, Item], step: int) -> Fact:
    own = [source for source in _own(fact) if source in items]
    return Fact(
        key=fact.key,
        content=fact.content,
        kind=fact.kind,
        sources=tuple(AgentSource(session, source) for source in own),
        updated_at=fact.updated_at,
        step=step,
        person=rules.one_person(items[source] for source in own),
    )


def restored(then: Mapping[str, Fact], now: Mapping[str, Fact], step: int) -> tuple[Fact, ...]:
    """The entries of an earlier version that are not so now, as changes of a new one. They show what they showed."""
    changes = (replace(fact, step=step) for fact in then.values() if not _alike(fact, now.get(fact.key)))
    return rules.in_order(changes)


def _alike(one: Fact, other: Fact | None) -> bool:
    return other is not None and replace(one, step=0, order=0) == replace(other, step=0, order=0)
