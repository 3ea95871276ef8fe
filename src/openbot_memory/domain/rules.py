"""The rules that every change of memory goes through, whoever proposes it (S4, S6, S7, A2, A4)."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

from openbot_memory.domain.credentials import HoldsSecret, or_says_again
from openbot_memory.domain.errors import InvalidRequest
from openbot_memory.domain.facts import DURABLE, Fact, Kind, Person, Source, Status, clean_content, clean_key
from openbot_memory.domain.items import FROM_APPS, Item, ItemType
from openbot_memory.domain.lookalike import sought
from openbot_memory.domain.text import LONGEST_FRAME, LONGEST_HEADING

MAX_WRITES = 96  # of the facts of one change: with its other rows it fits a transaction, which has 100
MAX_CHANGES_BYTES = 280_000  # of the facts of one change: with up to 100 dropped keys they fit a row, which has 400 KB
FACT_OVERHEAD = 250  # bytes of a fact in a version's row beside key, content and sources
MAX_DROPPED = 100  # named in a version's row; the rest is counted in the log


class Reason(StrEnum):
    """Why a proposal was dropped."""

    NO_UNREAD_SOURCE = "no-unread-source"
    SECOND_CHANGE = "second-change-of-key"
    RETRACTED = "retracted"
    CHANGED_MEANWHILE = "changed-meanwhile"
    SECRET = "secret"  # noqa: S105 - the name of a reason
    TOO_LONG = "too-long"
    INVALID = "invalid"
    PREFERENCE_WITHOUT_USER = "preference-without-user"
    ONLY_APP_RESULTS = "only-app-results"
    KIND_NOT_DURABLE = "kind-not-durable"
    MEMORY_FULL = "memory-full"
    UNKNOWN_KEY = "unknown-key"
    UNREADABLE = "unreadable"
    TOO_MANY = "too-many"


class Dropped(NamedTuple):
    key: str
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRules:
    """A server's limits. Raises ValueError where one fact of the longest content might not fit the text (S4)."""

    max_length: int = 8000  # code points of a memory text
    max_content: int = 2000  # code points of one content
    max_keys: int = 10_000  # active and retracted, of one memory
    assistant_supports: bool = True  # whether an assistant's message alone supports an agent's entry (A4)

    def __post_init__(self) -> None:
        least = LONGEST_HEADING + LONGEST_FRAME + self.max_content
        if self.max_content < 1 or self.max_length < least:
            raise ValueError(f"A fact of {self.max_content} characters needs a text of at least {least}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What a model proposes: to remember (with content and kind) or to forget (`content` None) a key."""

    key: str
    sources: tuple[str, ...]
    content: str | None = None
    kind: Kind = Kind.FACT


class Malformed(NamedTuple):
    """A proposal that has not the asked-for shape; dropped alone (S6)."""

    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What the model saw: the step of the memory then, and the step of each fact that it was shown."""

    step: int
    generation: str
    shown: Mapping[str, int] = field(default_factory=dict[str, int])

    def outdated(self, key: str, fact: Fact | None, generation: str) -> bool:
        """Whether the key changed since (S5). After a rewind only facts that the model saw count as unchanged."""
        if fact is None:
            return key in self.shown
        return fact.step > self.step or (generation != self.generation and self.shown.get(key) != fact.step)


@dataclass(frozen=True, slots=True, kw_only=True)
class Newest:
    """The newest state of the memory that proposals are applied to."""

    facts: Mapping[str, Fact]  # of the proposed keys
    keys: int  # how many the memory holds
    generation: str
    step: int  # of the change to be made
    at: int  # ms
    salt: str = ""  # of the digests by which forgotten facts are found: the organization
    forgotten: Collection[str] = ()  # of these digests, those that a forgotten fact has


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The items that a proposal may name: those read now, and others of the same history."""

    unread: Mapping[str, Item]
    read: Mapping[str, Item]
    source: Callable[[Item], Source] = lambda item: item.id
    durable_only: bool = False  # an agent's memory: A2, A4
    only_outside: Callable[[str, str, list[Item]], bool] = lambda _key, _content, _cited: False  # see domain/outside.py

    def of(self, proposal: Proposal) -> list[Item]:
        """The named items that exist and are no hand-made changes (S6, S11), each once."""
        named = (self.unread.get(name) or self.read.get(name) for name in dict.fromkeys(proposal.sources))
        return [item for item in named if item and item.type is not ItemType.MEMORY]


class Decision(NamedTuple):
    changes: tuple[Fact, ...]
    dropped: tuple[Dropped, ...]


class Drop(Exception):
    def __init__(self, reason: Reason) -> None:
        self.reason = reason


def proposed_keys(proposals: Iterable[Proposal | Malformed]) -> list[str]:
    """The valid keys of the proposals, each once, normalized."""
    keys = dict[str, None]()
    for proposal in proposals:
        try:
            keys[clean_key(proposal.key)] = None
        except InvalidRequest:
            continue
    return list(keys)


def decide(
    proposals: Sequence[Proposal | Malformed],
    evidence: Evidence,
    snapshot: Snapshot,
    newest: Newest,
    rules: MemoryRules,
    holds_secret: HoldsSecret,
) -> Decision:
    """Apply the proposals to the newest memory; one that breaks a rule is dropped alone, with its reason (S6)."""
    holds_secret = or_says_again(holds_secret, (item.text for item in evidence.unread.values()))
    accepted = dict[str, Fact]()
    dropped = list[Dropped]()
    writes, room, added = 0, MAX_CHANGES_BYTES, 0
    for proposal in proposals:
        key = proposal.key
        try:
            fact = _judge(proposal, evidence, rules, holds_secret, newest)
            key = fact.key
            if key in accepted:
                raise Drop(Reason.SECOND_CHANGE)
            fact = _against(fact, newest, snapshot)
            new = key not in newest.facts
            if writes + writes_of(fact) > MAX_WRITES or size_of(fact) > room:
                raise Drop(Reason.TOO_MANY)
            if new and newest.keys + added >= rules.max_keys:
                raise Drop(Reason.MEMORY_FULL)
        except Drop as drop:
            dropped.append(Dropped(_shown_key(key, holds_secret), drop.reason))
        else:
            accepted[key] = fact
            writes, room, added = writes + writes_of(fact), room - size_of(fact), added + new
    return Decision(in_order(accepted.values()), tuple(dropped))


def writes_of(fact: Fact) -> int:
    """How many writes a fact takes in the transaction of its change: its row, and the marks of a forgotten one (S6)."""
    return 1 if fact.active else 4


def size_of(fact: Fact) -> int:
    """About how many bytes a fact takes in the row of its version."""
    sources = sum(len(source) if isinstance(source, str) else len(source.item) for source in fact.sources)
    return FACT_OVERHEAD + len(fact.key.encode()) + len(fact.content.encode()) + sources + 3 * len(fact.sources)


def in_order(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts of one change, by key, each with its place, which breaks the tie of equal times in the text (S4)."""
    return tuple(replace(fact, order=at) for at, fact in enumerate(sorted(facts, key=lambda fact: fact.key)))


def _judge(
    proposal: Proposal | Malformed, evidence: Evidence, rules: MemoryRules, holds_secret: HoldsSecret, newest: Newest
) -> Fact:
    """Check what can be seen without the memory: shape, limits, secrets, sources, kind."""
    if isinstance(proposal, Malformed):
        raise Drop(Reason.INVALID)
    forget = proposal.content is None
    if not forget and len(proposal.content or "") > rules.max_content:
        raise Drop(Reason.TOO_LONG)
    try:
        key = clean_key(proposal.key)
        content = "" if proposal.content is None else clean_content(proposal.content, rules.max_content)
    except InvalidRequest:
        raise Drop(Reason.INVALID) from None
    if reveals(key, content, holds_secret):
        raise Drop(Reason.SECRET)
    items = evidence.of(proposal)
    if not any(item.id in evidence.unread for item in items):
        raise Drop(Reason.NO_UNREAD_SOURCE)
    if not forget and proposal.kind is Kind.PREFERENCE and not any(item.from_user for item in items):
        raise Drop(Reason.PREFERENCE_WITHOUT_USER)
    only_apps = all(item.type in FROM_APPS for item in items) or (
        not forget and evidence.only_outside(key, content, items)
    )
    supported = not only_apps and any(supports(item, rules) for item in items if item.id in evidence.unread)
    if evidence.durable_only and not forget and proposal.kind not in DURABLE:
        raise Drop(Reason.KIND_NOT_DURABLE)
    if evidence.durable_only and not supported:
        raise Drop(Reason.ONLY_APP_RESULTS)
    return Fact(
        key=key,
        content=content,
        kind=proposal.kind,
        sources=tuple(evidence.source(item) for item in items),
        updated_at=newest.at,
        status=Status.RETRACTED if forget else Status.ACTIVE,
        step=newest.step,
        person=None if only_apps else one_person(items),
        only_apps=only_apps,
        supported=supported,
    )


def supports(item: Item, rules: MemoryRules) -> bool:
    """Whether an item is enough for an agent to keep something (A4); what an app said never is."""
    return item.type not in FROM_APPS and (item.from_person or rules.assistant_supports)


def one_person(items: Iterable[Item]) -> Person | None:
    """Whose words the items are, if one person has said all that persons say in them (S2, A4)."""
    speakers = {item.speaker.id if item.speaker else None: item.speaker for item in items if item.from_person}
    return next(iter(speakers.values())) if len(speakers) == 1 else None


def _against(fact: Fact, newest: Newest, snapshot: Snapshot) -> Fact:
    """Check what needs the memory as it is now. A forgotten fact keeps its content and kind, for people to see."""
    before = newest.facts.get(fact.key)
    if before and not before.active:
        raise Drop(Reason.RETRACTED)
    if snapshot.outdated(fact.key, before, newest.generation):
        raise Drop(Reason.CHANGED_MEANWHILE)
    if fact.active:
        check_not_forgotten(fact, before, newest)
        return fact
    if before is None:
        raise Drop(Reason.UNKNOWN_KEY)
    return replace(fact, content=before.content, kind=before.kind, person=before.person, only_apps=before.only_apps)


def check_not_forgotten(fact: Fact, before: Fact | None, newest: Newest) -> None:
    """Raises Drop for what was forgotten, in whatever dress. An active fact keeps its key, look-alike or not."""
    if not newest.forgotten:
        return
    key, contents = sought(fact.key, fact.content, fact.person, newest.salt)
    if (before is None and key in newest.forgotten) or not contents.isdisjoint(newest.forgotten):
        raise Drop(Reason.RETRACTED)


def digests(
    proposals: Iterable[Proposal | Malformed], evidence: Evidence, rules: MemoryRules, salt: str
) -> Iterator[str]:
    """The digests by which proposals are compared with forgotten facts, made only as they are asked for."""
    for proposal in proposals:
        if (
            isinstance(proposal, Proposal)
            and proposal.content is not None
            and len(proposal.content) <= rules.max_content
        ):
            key, contents = sought(proposal.key, proposal.content, one_person(evidence.of(proposal)), salt)
            yield key
            yield from contents


def _shown_key(key: str, holds_secret: HoldsSecret) -> str:
    """The key for the log: never a secret, never long, always storable."""
    if holds_secret(key):
        return ""
    return key.encode(errors="replace").decode()[:128]


def reveals(key: str, content: str, holds_secret: HoldsSecret) -> bool:
    """Whether key, content or both together hold a credential (S7): `password` as key makes its content one."""
    return holds_secret(key) or holds_secret(content) or holds_secret(f"{key}: {content}")
