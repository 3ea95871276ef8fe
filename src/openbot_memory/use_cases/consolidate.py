"""Consolidation: a session's unread items are read by a model, and what it proposes becomes facts (S5-S8).

    state -> lease -> one bounded batch -> model -> rules on the newest memory -> one conditional write

Nothing is held over the model's call but the lease, and that only saves money: the write is right without it.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import NamedTuple

from openbot_memory.domain.batches import after_failure, bounded, failure, next_batch
from openbot_memory.domain.errors import ModelFailed, Unavailable
from openbot_memory.domain.facts import Fact
from openbot_memory.domain.items import Item
from openbot_memory.domain.ranges import Ranges
from openbot_memory.domain.rules import (
    MAX_DROPPED,
    Decision,
    Dropped,
    Evidence,
    Newest,
    Reason,
    Snapshot,
    decide,
    proposed_keys,
)
from openbot_memory.domain.session import Expected, Session, Tokens, Trigger, advance
from openbot_memory.domain.settings import effective
from openbot_memory.models.port import Answer, Question
from openbot_memory.store import keys
from openbot_memory.store.leases import Lease
from openbot_memory.store.sessions import SessionState
from openbot_memory.use_cases import measures
from openbot_memory.use_cases.change import announce, made
from openbot_memory.use_cases.evidence import cited, forgotten, shown
from openbot_memory.use_cases.ports import Call, Json, Keep, World, keep_nothing, until_committed
from openbot_memory.use_cases.views import session_view

EVENT_LEASE = 55_000  # ms; over before Lambda tries the event of a worker that died again, a minute later
REFRESH_LEASE = 28_000
REFRESH_WAIT = 5_000  # ms that a Refresh waits for another consolidation
POLL = 0.25  # seconds
PARTIAL = "partial-"  # begins the name of a holder who does not look at all that is unread


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Which session's items are to be read. `forced`: a Refresh, with the session's model, `generate` or not (S10)."""

    world: World
    org: str
    session: str
    forced: bool = False
    until: int | None = None  # the last item to read; None for all

    def state(self) -> SessionState:
        return self.world.sessions(self.org).state(self.session)

    def unread(self, state: SessionState) -> Ranges:
        """What there is to read now."""
        session = state.session
        if not self.forced and not effective(state.organization, session.overrides)["generate"]:
            return Ranges()
        last = session.timeline.items.last if self.forced else session.timeline.readable
        return session.timeline.unread.upto(last if self.until is None else min(last, self.until))

    def model(self, session: Session) -> str:
        return session.model if self.forced else session.turn_model or session.model

    @property
    def partial(self) -> bool:
        """Whether more may be unread than this job looks at."""
        return self.forced or self.until is not None

    def lease(self, length: int) -> AbstractContextManager[bool]:
        """Hold the session's lease for up to `length` ms. Yields False where another holds it."""
        return self._lease((PARTIAL if self.partial else "") + self.world.random()).taken(self.world.now(), length)

    def holder_sees_all(self) -> bool:
        """Whether the lease's holder looks again after it. False: there is none any more.

        One that does not, or only at a part, is waited for. Raises Unavailable where that takes too long.
        """
        for _ in range(int(REFRESH_LEASE / 1000 / POLL)):
            holder = self._lease("").taken_by()
            if not (holder and holder.startswith(PARTIAL)):
                return holder is not None
            self.world.table.sleep(POLL)
        raise Unavailable("A part of the session's items is being read.")

    def _lease(self, holder: str) -> Lease:
        return Lease(self.world.table, (keys.session(self.org, self.session), keys.LEASE), holder)

    def ask_for_the_rest(self, state: SessionState) -> None:
        """Leave what is still unread to an event. Raises Unavailable: then this one is tried again."""
        until = self.unread(state).last
        detail = {"organization": self.org, "session": self.session, "until": until, "forced": self.forced}
        self.world.bus.put("openbot.memory", "Consolidation Requested", detail)


class Outcome(NamedTuple):
    state: SessionState
    view: Json
    failed: str | None = None


def consolidate(job: Job, enough_time: Callable[[], bool]) -> None:
    """Read what is unread, batch by batch. Whoever holds the lease looks again after it, so no event is lost.

    Raises Unavailable: then the event is tried again.
    """
    while job.unread(state := job.state()):
        if not enough_time():
            job.ask_for_the_rest(state)
            return
        with job.lease(EVENT_LEASE) as held:
            if held and read_batch(job).failed:
                return
        if not held and job.holder_sees_all():
            return


def refresh(world: World, call: Call, identifier: str, expected: Expected) -> Json:
    """Read one batch now (S10); the rest is left to an event. Raises SessionConflict, ModelFailed, Unavailable."""
    job = Job(world=world, org=call.org, session=identifier, forced=True)
    end = world.now() + REFRESH_WAIT
    while True:
        state = job.state()
        expected.check(state.session)
        if not job.unread(state):
            return _unchanged(job, state, call.keep).view
        with job.lease(REFRESH_LEASE) as held:
            if held:
                outcome = read_batch(job, call.keep, expected)
                break
        if world.now() > end:
            raise Unavailable("The session's memory is being consolidated. Try again in a moment.")
        world.table.sleep(POLL)
    session = outcome.state.session
    if outcome.failed:
        raise ModelFailed(outcome.failed, head=session.head, revision=session.revision)
    if job.unread(outcome.state):
        job.ask_for_the_rest(outcome.state)
    return outcome.view


def read_batch(job: Job, keep: Keep = keep_nothing, expected: Expected | None = None) -> Outcome:
    """Ask the model once about the next batch, and write what comes of it, whatever happened meanwhile."""
    state = job.state()
    if expected:
        expected.check(state.session)
    items = _next_items(job, state)
    if not items:
        return _unchanged(job, state, keep)
    measures.waiting(job.world, len(job.unread(state)), items)
    memory = job.world.sessions(job.org).memory(job.session)
    known, snapshot = shown(memory, state.session, job.world.rules.max_length)
    model = job.model(state.session)
    question = Question(items=tuple(items), known=known, forgotten=forgotten(memory), today=job.world.now())
    try:
        answer = measures.ask(job.world, model, question)
    except ModelFailed as error:
        message = str(error)
        return until_committed(lambda: _record_failure(job, items, model, message, keep))
    outcome, changed = until_committed(lambda: _apply(job, items, snapshot, model, answer, keep))
    if changed:
        announce(job.world, job.org, outcome.view, changed, Trigger.CONSOLIDATION)
    return outcome


def _next_items(job: Job, state: SessionState) -> list[Item]:
    numbers = next_batch(state.session.batch, job.unread(state))
    items = bounded(job.world.history(job.org).items(state.session, numbers))
    if numbers and not items:
        raise LookupError(f"the items {numbers} of a session are not in the table")
    return items


def _unchanged(job: Job, state: SessionState, keep: Keep) -> Outcome:
    view = session_view(*state)
    job.world.keep(keep(view))
    return Outcome(state, view)


def _still_unread(job: Job, state: SessionState, items: list[Item]) -> dict[str, Item]:
    """Those of the batch that are in the timeline and unread, now that the model has answered."""
    unread = job.unread(state)
    return {item.id: item for item in items if item.number in unread}


def _apply(
    job: Job, items: list[Item], snapshot: Snapshot, model: str, answer: Answer, keep: Keep
) -> tuple[Outcome, list[str]]:
    """Decide on the newest memory and write once. Raises Stale: decide again, with the same answer."""
    state = job.state()
    session, unread = state.session, _still_unread(job, state, items)
    if not unread:
        return _unchanged(job, state, keep), []
    before = job.world.sessions(job.org).memory(session.id).facts(session, proposed_keys(answer.proposals))
    at = session.later(job.world.now())
    decision = decide(
        answer.proposals,
        Evidence(unread=unread, read=cited(job.world.history(job.org), session, answer.proposals, unread)),
        snapshot,
        Newest(facts=before, keys=session.tally.keys, generation=session.generation, step=session.step + 1, at=at),
        job.world.rules,
        job.world.holds_secret,
    )
    outcome = _commit(job, state, unread, decision, before, at, model, answer.tokens, keep)
    return outcome, [fact.key for fact in decision.changes]


def _commit(
    job: Job,
    state: SessionState,
    read: dict[str, Item],
    decision: Decision,
    before: dict[str, Fact],
    at: int,
    model: str,
    tokens: Tokens,
    keep: Keep,
) -> Outcome:
    session, changes = state.session, decision.changes
    processed = session.timeline.processed | Ranges.of(item.number for item in read.values())
    after = replace(
        advance(
            session,
            head=job.world.version_id(session.step + 1),
            at=at,
            timeline=replace(session.timeline, processed=processed),
            changes=changes,
            before=before,
        ),
        tokens=session.tokens.plus(tokens),
        last_run=at,
        error=None,
        batch=None,
    )
    version = made(
        after,
        Trigger.CONSOLIDATION,
        changes=changes,
        dropped=decision.dropped[:MAX_DROPPED],
        model=model,
        tokens=tokens,
    )
    view = session_view(after, state.organization)
    job.world.sessions(job.org).commit(
        session, after, facts=changes, facts_before=before, version=version, also=keep(view)
    )
    measures.dropped(job.world, decision.dropped)
    return Outcome(SessionState(after, state.organization), view)


def _record_failure(job: Job, items: list[Item], model: str, message: str, keep: Keep) -> Outcome:
    """Keep the error and what to try again; the head stays. An item that failed too often is passed over (S8)."""
    state = job.state()
    session, unread = state.session, _still_unread(job, state, items)
    if not unread:
        return _unchanged(job, state, keep)
    at = session.later(job.world.now())
    batch = after_failure(session.batch, Ranges.of(item.number for item in unread.values()))
    if batch is None:
        passed_over = Decision((), tuple(Dropped(name, Reason.UNREADABLE) for name in unread))
        return _commit(job, state, unread, passed_over, {}, at, model, Tokens(), keep)
    after = replace(
        session,
        error=failure(session.error, message, at),
        batch=batch,
        revision=session.revision + 1,
        updated_at=at,
    )
    job.world.sessions(job.org).commit(session, after)
    state = SessionState(after, state.organization)
    return Outcome(state, session_view(*state), message)
