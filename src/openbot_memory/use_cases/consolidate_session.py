"""Consolidation into a session's own memory, after a turn and as a Refresh (S5-S8, S10)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from openbot_memory.domain.errors import Unavailable
from openbot_memory.domain.facts import Fact
from openbot_memory.domain.items import Item
from openbot_memory.domain.ranges import Ranges
from openbot_memory.domain.rules import MAX_DROPPED, Decision
from openbot_memory.domain.session import Batch, Expected, Failure, Session, Tokens, Trigger, advance
from openbot_memory.domain.settings import Organization, effective
from openbot_memory.store import keys
from openbot_memory.store.leases import Lease
from openbot_memory.use_cases import metrics
from openbot_memory.use_cases.change_session import announce
from openbot_memory.use_cases.consolidate import PARTIAL, POLL, REFRESH_LEASE, Items, Learner, Work, numbers, read_batch
from openbot_memory.use_cases.views import session_view
from openbot_memory.use_cases.world import Call, Json, Keep, World, keep_nothing

REFRESH_WAIT = 5_000  # ms that a Refresh waits for another consolidation


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionWork(Work):
    organization: Organization

    @property
    def view(self) -> Json:
        return session_view(self.session, self.organization)


@dataclass(frozen=True, kw_only=True)
class SessionLearner(Learner[SessionWork]):
    """`forced`: a Refresh, with the session's model, whether `generate` is on or not (S10). `keep`: its record.

    `until`: the last item to read, None for all.
    """

    for_agent: ClassVar[bool] = False
    forced: bool = False
    until: int | None = None
    keep: Keep = keep_nothing

    def work(self) -> SessionWork:
        sessions, partial = self.world.sessions(self.org), PARTIAL if self.forced or self.until is not None else ""
        session, organization = sessions.state(self.session)
        return SessionWork(
            session=session,
            organization=organization,
            memory=sessions.memory(session.id),
            head=session,
            lease=Lease(self.world.table, (sessions.pk(session.id), keys.LEASE), partial + self.world.random()),
            unread=self._unread(session, organization),
            failed=session.batch,
            error=session.error,
            model=session.model if self.forced else session.turn_model or session.model,
            instructions=organization.instructions,
            at=session.later(self.world.now()),
        )

    def _unread(self, session: Session, organization: Organization) -> Ranges:
        if not self.forced and not effective(organization, session.overrides)["generate"]:
            return Ranges()
        last = session.timeline.items.last if self.forced else session.timeline.readable
        return session.timeline.unread.upto(last if self.until is None else min(last, self.until))

    def source(self, item: Item) -> str:
        return item.id

    def write(
        self,
        work: SessionWork,
        read: Items,
        decision: Decision,
        before: Mapping[str, Fact],
        model: str,
        tokens: Tokens,
    ) -> Json:
        session, changes = work.session, decision.changes
        timeline = replace(session.timeline, processed=session.timeline.processed | numbers(read))
        head = self.world.version_id(session.step + 1)
        after = replace(
            advance(session, head=head, at=work.at, timeline=timeline, changes=changes, before=before),
            tokens=session.tokens.plus(tokens),
            last_run=work.at,
            error=None,
            batch=None,
        )
        dropped = decision.dropped[:MAX_DROPPED]
        version = after.current(Trigger.CONSOLIDATION, changes=changes, dropped=dropped, model=model, tokens=tokens)
        view = session_view(after, work.organization)
        self.world.sessions(self.org).commit(
            session, after, facts=changes, facts_before=before, version=version, also=self.keep(view)
        )
        metrics.dropped(self.world, decision.dropped)
        if changes:
            announce(self.world, self.org, after, version.keys, Trigger.CONSOLIDATION)
        return view

    def write_failure(self, work: SessionWork, batch: Batch, error: Failure) -> Mapping[str, object]:
        """The head stays, for no version was made."""
        session = work.session
        after = replace(session, error=error, batch=batch, revision=session.revision + 1, updated_at=error.at)
        self.world.sessions(self.org).commit(session, after)
        return {"head": after.head, "revision": after.revision}

    def request_rest(self, work: SessionWork) -> None:
        until = work.unread.last
        detail = {"organization": self.org, "session": self.session, "until": until, "forced": self.forced}
        self.world.bus.put("openbot.memory", "Consolidation Requested", detail)


def refresh(world: World, call: Call, identifier: str, expected: Expected) -> Json:
    """Read one batch now (S10); the rest is left to an event. Raises SessionConflict, ModelFailed, Unavailable."""
    learner = SessionLearner(world=world, org=call.org, session=identifier, forced=True, keep=call.keep)
    until = world.now() + REFRESH_WAIT
    while (work := _checked(learner, expected)).unread:
        with work.lease.taken(world.now(), REFRESH_LEASE) as held:
            if held and (view := read_batch(learner, _checked(learner, expected))):
                if view["memory"]["consolidation"]["waiting"]:
                    learner.request_rest(learner.work())
                return view
        if held:
            work = learner.work()  # somebody else has read the batch meanwhile
            break
        if world.now() > until:
            raise Unavailable("The session's memory is being consolidated. Try again in a moment.")
        world.table.sleep(POLL)
    world.keep(call.keep(work.view))
    return work.view


def _checked(learner: SessionLearner, expected: Expected) -> SessionWork:
    """Raises SessionConflict."""
    work = learner.work()
    expected.check(work.session)
    return work
