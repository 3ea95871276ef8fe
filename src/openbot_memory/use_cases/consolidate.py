"""Consolidation: a model reads unread items and proposes changes to a memory (S5-S8, A2-A5).

One algorithm for two memories, a session's own and its agent's; a `Learner` is what differs between them.

    claim     a lease, so that an event that comes twice does not pay the model twice
    read      one bounded batch of unread items, the oldest first
    ask       the model, once, showing it the newest facts that the memory holds
    decide    by the rules, on the newest memory, whatever happened meanwhile
    write     once, on the condition that nothing changed since; or record the failure

Nothing is held over the model's call but the lease, and that only saves money: the write is right without it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from openbot_memory.domain.batches import after_failure, bounded, failure, next_batch
from openbot_memory.domain.errors import FailureCause, ModelFailed, Unavailable
from openbot_memory.domain.facts import Fact, Source
from openbot_memory.domain.items import Item, ItemType, item_number
from openbot_memory.domain.outside import Outside
from openbot_memory.domain.ranges import Ranges
from openbot_memory.domain.ranking import newest_and_nearest
from openbot_memory.domain.rules import (
    Decision,
    Dropped,
    Evidence,
    Malformed,
    Newest,
    Proposal,
    Reason,
    Snapshot,
    decide,
    digests,
    proposed_keys,
)
from openbot_memory.domain.session import Batch, Failure, Session, Tokens
from openbot_memory.models.port import Answer, Question
from openbot_memory.store.leases import Lease
from openbot_memory.store.memory import Head, Memory
from openbot_memory.use_cases import metrics
from openbot_memory.use_cases.world import Json, World, until_committed

EVENT_LEASE = 55_000  # ms; over before Lambda tries the event of a function that died again, a minute later
REFRESH_LEASE = 28_000  # ms
POLL = 0.25  # seconds
PARTIAL = "partial-"  # begins the name of a lease holder that does not look at all unread items
MOST_FORGOTTEN = 100  # keys that the model is told not to propose again
MAX_CITED = 100  # items already read that proposals may name; others count as unknown

type Items = Mapping[str, Item]  # by id


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What there is to read for a memory, as of one read of the table."""

    session: Session
    memory: Memory[Any]  # that learns
    head: Head  # of that memory
    lease: Lease  # with a new name for its holder
    unread: Ranges
    failed: Batch | None
    error: Failure | None
    model: str
    instructions: str  # the organization's own, for the model
    at: int  # ms, the time of the change to be made


@dataclass(frozen=True, kw_only=True)
class Learner[W: Work](ABC):
    """A memory that learns from a session's items."""

    world: World
    org: str
    session: str
    for_agent: ClassVar[bool]

    @abstractmethod
    def work(self) -> W | None:
        """Read what there is to do now. None: nothing may be learned."""

    @abstractmethod
    def source(self, item: Item) -> Source:
        """How a fact names the item that it was learned from."""

    @abstractmethod
    def write(
        self, work: W, read: Items, decision: Decision, before: Mapping[str, Fact], model: str, tokens: Tokens
    ) -> Json:
        """Apply a decision and mark the items as read, in one transaction. Returns a Refresh's answer. Raises Stale."""

    @abstractmethod
    def write_failure(self, work: W, batch: Batch, error: Failure) -> Mapping[str, object]:
        """Store the error, and the batch to try again. Returns the fields of a Refresh's error. Raises Stale."""

    @abstractmethod
    def request_rest(self, work: W) -> None:
        """Leave what is still unread to another event. Raises Unavailable."""


def consolidate[W: Work](learner: Learner[W], enough_time: Callable[[], bool]) -> None:
    """Read what is unread, batch by batch. Whoever holds the lease looks again after it, so no event is lost.

    Raises Unavailable: then the event is tried again, so that a conversation's last turn is read after an outage, too.
    """
    while (work := learner.work()) and work.unread:
        if not enough_time():
            learner.request_rest(work)
            return
        with work.lease.taken(learner.world.now(), EVENT_LEASE) as held:
            if held:
                try:
                    read_batch(learner, learner.work())
                except ModelFailed as failed:
                    if failed.cause is FailureCause.PASSING:
                        raise Unavailable(str(failed)) from None
                    return
        if not held and _holder_looks_again(learner.world, work.lease):
            return


def _holder_looks_again(world: World, lease: Lease) -> bool:
    """Whether the lease's holder will look at what is unread. False: nobody holds it any more.

    A Refresh does not look again, nor does a holder that reads only a part: it is waited for. Raises Unavailable
    where that takes too long.
    """
    for _ in range(int(REFRESH_LEASE / 1000 / POLL)):
        holder = lease.taken_by()
        if not (holder and holder.startswith(PARTIAL)):
            return holder is not None
        world.table.sleep(POLL)
    raise Unavailable("A part of the session's items is being read.")


def read_batch[W: Work](learner: Learner[W], work: W | None) -> Json | None:
    """Ask the model once about the next batch, and write what comes of it, whatever happened meanwhile.

    Returns a Refresh's answer, None where nothing was left to read. Raises ModelFailed when the failure is stored.
    """
    if work is None or not work.unread:
        return None
    items, model = _next_items(learner, work), work.model
    offered = tuple(item for item in items if item.type is not ItemType.MEMORY)  # changes by hand never are (S11)
    shown = _shown(learner, work, offered)
    question = Question(
        items=offered,
        known=shown.newest,
        near=shown.near,
        today=learner.world.now(),
        forgotten=tuple(work.memory.forgotten_keys(work.head, MOST_FORGOTTEN)),
        instructions=work.instructions,
        for_agent=learner.for_agent,
    )
    try:
        answer = metrics.ask(learner.world, model, question) if offered else Answer(proposals=(), tokens=Tokens())
    except ModelFailed as error:
        failed = error
        return until_committed(lambda: _record_failure(learner, items, model, failed))
    outside = Outside.of(items)
    return until_committed(lambda: _apply(learner, items, outside, shown.snapshot, model, answer))


def _next_items[W: Work](learner: Learner[W], work: W) -> list[Item]:
    wanted = next_batch(work.failed, work.unread)
    items = bounded(learner.world.history(learner.org).items(work.session, wanted))
    if not items:
        raise LookupError(f"the items {wanted} of a session are not in the table")
    if not learner.for_agent:
        metrics.waiting(learner.world, len(work.unread), items)
    return items


class _Shown(NamedTuple):
    """The facts that the model is shown, and which state of each they are (S5)."""

    newest: tuple[Fact, ...]
    near: tuple[Fact, ...]
    snapshot: Snapshot


def _shown[W: Work](learner: Learner[W], work: W, items: Iterable[Item]) -> _Shown:
    """The newest facts, in as many characters as a memory text has.

    Of a memory that does not fit, they are the newest and those nearest to the items, so that the model finds the key
    of an old fact that a new message is about (S7).
    """
    every = list(work.memory.newest(work.head, work.head.tally.characters))
    query = "\n".join(item.text for item in items)
    newest, near = newest_and_nearest(every, query, learner.world.rules.max_length)
    steps = {fact.key: fact.step for fact in (*newest, *near)}
    snapshot = Snapshot(step=work.head.step, generation=work.head.generation, shown=steps)
    return _Shown(tuple(newest), tuple(near), snapshot)


def _apply[W: Work](
    learner: Learner[W], items: Iterable[Item], outside: Outside, snapshot: Snapshot, model: str, answer: Answer
) -> Json | None:
    """Decide on the newest memory and write once. Raises Stale: decide again, with the same answer."""
    work, unread = _still_unread(learner, items)
    if work is None or not unread:
        return None
    head, world = work.head, learner.world
    before = work.memory.facts(head, proposed_keys(answer.proposals))
    cited = _cited(learner, work, answer.proposals, unread)
    evidence = Evidence(
        unread=unread,
        read=cited,
        source=learner.source,
        durable_only=learner.for_agent,
        only_outside=outside.only_outside,
    )
    decision = decide(
        answer.proposals,
        evidence,
        snapshot,
        Newest(
            facts=before,
            keys=head.tally.keys,
            generation=head.generation,
            step=head.step + 1,
            at=work.at,
            salt=learner.org,
            forgotten=work.memory.forgotten(head, digests(answer.proposals, evidence, world.rules, learner.org)),
        ),
        world.rules,
        world.holds_secret,
    )
    return learner.write(work, unread, decision, before, model, answer.tokens)


def _still_unread[W: Work](learner: Learner[W], items: Iterable[Item]) -> tuple[W | None, Items]:
    """The work as it is now, and the items of the batch that are still unread and in the timeline."""
    work = learner.work()
    return work, {item.id: item for item in items if work and item.number in work.unread}


def _cited[W: Work](learner: Learner[W], work: W, proposals: Iterable[Proposal | Malformed], unread: Items) -> Items:
    """The items already read that proposals name, as far as they belong to this history (S6)."""
    named = {name for each in proposals if isinstance(each, Proposal) for name in each.sources} - unread.keys()
    wanted = Ranges.of(number for name in named if (number := item_number(name))) & work.session.timeline.items
    return learner.world.history(learner.org).some(work.session, wanted.first(MAX_CITED))


def _record_failure[W: Work](
    learner: Learner[W], items: Iterable[Item], model: str, failed: ModelFailed
) -> Json | None:
    """Store the error and what to try again. An item that failed too often is passed over (S8).

    Raises ModelFailed when it is stored, Stale.
    """
    work, unread = _still_unread(learner, items)
    if work is None or not unread:
        return None
    batch = after_failure(work.failed, numbers(unread), failed.cause)
    if batch is None:
        passed_over = Decision((), tuple(Dropped(name, Reason.UNREADABLE) for name in unread))
        return learner.write(work, unread, passed_over, {}, model, Tokens())
    error = failure(work.error, str(failed), work.at)
    raise ModelFailed(str(failed), failed.cause, **learner.write_failure(work, batch, error))


def numbers(items: Items) -> Ranges:
    """The items' numbers."""
    return Ranges.of(item.number for item in items.values())
