"""Consolidation into an agent's memory: what it learns from one of its sessions (A2-A5)."""

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from openbot_memory.domain.agent import Agent, Progress
from openbot_memory.domain.facts import AgentSource, Fact
from openbot_memory.domain.items import Item
from openbot_memory.domain.rules import MAX_DROPPED, Decision
from openbot_memory.domain.session import Batch, Failure, SessionKind, Tokens, Trigger
from openbot_memory.domain.settings import effective
from openbot_memory.store import keys
from openbot_memory.store.agents import Agents, Learned
from openbot_memory.store.leases import Lease
from openbot_memory.use_cases import metrics
from openbot_memory.use_cases.change_agent import announce
from openbot_memory.use_cases.consolidate import Items, Learner, Work, numbers
from openbot_memory.use_cases.world import Json

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentWork(Work):
    head: Agent
    before: Progress | None  # the row as it was read
    progress: Progress

    def learned(self, progress: Progress) -> Learned:
        """Make this progress the next, on the condition that the row is as it was read."""
        count = self.before.count + 1 if self.before else 1
        return Learned(self.session.id, self.before, replace(progress, count=count))


@dataclass(frozen=True, kw_only=True)
class AgentLearner(Learner[AgentWork]):
    """The memory of a session's agent."""

    for_agent: ClassVar[bool] = True

    @property
    def _agents(self) -> Agents:
        return self.world.agents(self.org)

    def work(self) -> AgentWork | None:
        """Two requests; settings act at once (A3). Raises SessionNotFound, AgentNotFound."""
        session, organization = self.world.sessions(self.org).state(self.session)
        model = organization.agent_memory_model
        generate = effective(organization, session.overrides)["generate"]
        if not (session.agent and model and organization.agent_memory and generate):
            return None
        if session.kind is SessionKind.CHECK:
            return None
        agent, before = self._agents.agent_and_progress(session.agent, session.id)
        progress = before if before and before.born == session.created_at else Progress(born=session.created_at)
        return AgentWork(
            session=session,
            memory=self._agents.memory(agent.id),
            head=agent,
            lease=Lease(
                self.world.table, (keys.agent(self.org, agent.id), keys.agent_lease(session.id)), self.world.random()
            ),
            before=before,
            progress=progress,
            unread=progress.unlearned(session),
            failed=progress.batch,
            error=progress.error,
            model=model,
            instructions=organization.instructions,
            at=agent.later(self.world.now()),
        )

    def source(self, item: Item) -> AgentSource:
        return AgentSource(self.session, item.id)

    def write(
        self,
        work: AgentWork,
        read: Items,
        decision: Decision,
        before: Mapping[str, Fact],
        model: str,
        tokens: Tokens,
    ) -> Json:
        """A version is made only where an entry changed. What was dropped otherwise is only in the log."""
        agent, changes = work.head, decision.changes
        progress = replace(work.progress, learned=work.progress.learned | numbers(read), batch=None, error=None)
        learned = work.learned(progress)
        if changes:
            after = agent.changed(work.at, changes, before)
            dropped = decision.dropped[:MAX_DROPPED]
            version = after.current(Trigger.CONSOLIDATION, changes=changes, dropped=dropped, model=model, tokens=tokens)
            self._agents.commit(agent, after, version, before, learned=learned)
            announce(self.world, self.org, agent.id, version)
        else:
            self._agents.save_progress(agent.id, learned)
        reasons = Counter(str(dropped.reason) for dropped in decision.dropped)
        logger.info("learned", extra=self._named(work) | {"kept": len(changes), "dropped": reasons})
        metrics.dropped(self.world, decision.dropped)
        return {}

    def write_failure(self, work: AgentWork, batch: Batch, error: Failure) -> Mapping[str, object]:
        self._agents.save_progress(work.head.id, work.learned(replace(work.progress, batch=batch, error=error)))
        logger.warning("learning failed: %s", error.message, extra=self._named(work) | {"attempts": error.attempts})
        return {}

    def _named(self, work: AgentWork) -> dict[str, object]:
        return {"session": self.session, "agent": work.head.id}

    def request_rest(self, work: AgentWork) -> None:  # noqa: ARG002 - an agent's progress says what is left
        detail = {"organization": self.org, "session": self.session}
        self.world.bus.put("openbot.memory", "Learning Requested", detail)
