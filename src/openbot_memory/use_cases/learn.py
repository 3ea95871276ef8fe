"""Learning: what an agent keeps of a session for its later ones (A2-A5), when its queue is empty.

session, agent, progress -> lease -> one bounded batch -> model -> rules on the newest memory -> one write
"""

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from openbot_memory.domain.agent import Agent, Progress
from openbot_memory.domain.batches import after_failure, bounded, failure, next_batch
from openbot_memory.domain.errors import ModelFailed
from openbot_memory.domain.facts import AgentSource, Fact
from openbot_memory.domain.items import Item, ItemType
from openbot_memory.domain.ranges import Ranges
from openbot_memory.domain.rules import (
    MAX_DROPPED,
    Decision,
    Evidence,
    Newest,
    Snapshot,
    decide,
    proposed_keys,
)
from openbot_memory.domain.session import Session, SessionKind, Tokens, Trigger, Version
from openbot_memory.domain.settings import effective
from openbot_memory.models.port import Answer, Question
from openbot_memory.store import keys
from openbot_memory.store.agents import Agents, Learned
from openbot_memory.store.leases import Lease
from openbot_memory.use_cases import measures
from openbot_memory.use_cases.agents import announce, made
from openbot_memory.use_cases.evidence import cited, forgotten, shown
from openbot_memory.use_cases.ports import World, until_committed

logger = logging.getLogger(__name__)

LEASE = 55_000  # ms; over before Lambda tries the event of a worker that died again, a minute later


class Lesson(NamedTuple):
    """What there is to learn now. `model` None: nothing is to be learned."""

    session: Session
    agent: Agent
    before: Progress | None
    model: str

    @property
    def progress(self) -> Progress:
        fresh = self.before is None or self.before.born != self.session.created_at
        return Progress(born=self.session.created_at) if fresh or self.before is None else self.before

    @property
    def numbers(self) -> Ranges:
        return self.progress.unlearned(self.session)

    def learned(self, progress: Progress) -> Learned:
        """Make this progress the next, whatever stands there now."""
        count = self.before.count + 1 if self.before else 1
        return Learned(self.session.id, self.before, replace(progress, count=count))


@dataclass(frozen=True, slots=True)
class Student:
    """A session's agent."""

    world: World
    org: str
    session: str

    @property
    def agents(self) -> Agents:
        return self.world.agents(self.org)

    def lesson(self) -> Lesson | None:
        """Two requests; settings act at once (A3). Raises SessionNotFound, AgentNotFound."""
        session, organization = self.world.sessions(self.org).state(self.session)
        model = organization.agent_memory_model
        generate = effective(organization, session.overrides)["generate"]
        if not (session.agent and model and organization.agent_memory and generate):
            return None
        if session.kind is SessionKind.CHECK:
            return None
        agent, progress = self.agents.agent_and_progress(session.agent, session.id)
        return Lesson(session, agent, progress, model)

    def lease(self, agent: str) -> Lease:
        key = keys.agent(self.org, agent), keys.learning(self.session)
        return Lease(self.world.table, key, self.world.random())


def learn(student: Student, enough_time: Callable[[], bool]) -> None:
    """Learn from what is new, batch by batch. Whoever holds the lease looks again after it, so no event is lost.

    Raises Unavailable: then the event is tried again.
    """
    while (lesson := student.lesson()) and lesson.numbers:
        if not enough_time():
            detail = {"organization": student.org, "session": student.session}
            student.world.bus.put("openbot.memory", "Learning Requested", detail)
            return
        with student.lease(lesson.agent.id).taken(student.world.now(), LEASE) as held:
            if not held or not learn_batch(student):
                return


def learn_batch(student: Student) -> bool:
    """Ask the model once about the next batch, and write what comes of it. False if it failed."""
    lesson = student.lesson()
    if lesson is None or not lesson.numbers:
        return True
    items = _next_items(student, lesson)
    offered = tuple(item for item in items if item.type is not ItemType.MEMORY)  # S11
    memory = student.agents.memory(lesson.agent.id)
    known, snapshot = shown(memory, lesson.agent, student.world.rules.max_length)
    question = Question(
        items=offered, known=known, forgotten=forgotten(memory), today=student.world.now(), for_agent=True
    )
    try:
        answer = _ask(student, lesson.model, question)
    except ModelFailed as error:
        message = str(error)
        until_committed(lambda: _record_failure(student, items, message))
        return False
    if version := until_committed(lambda: _apply(student, items, snapshot, lesson.model, answer)):
        announce(student.world, student.org, lesson.agent.id, version)
    return True


def _next_items(student: Student, lesson: Lesson) -> list[Item]:
    numbers = next_batch(lesson.progress.batch, lesson.numbers)
    items = bounded(student.world.history(student.org).items(lesson.session, numbers))
    if not items:
        raise LookupError(f"the items {numbers} of a session are not in the table")
    return items


def _ask(student: Student, model: str, question: Question) -> Answer:
    """Raises ModelFailed. Hand-made changes alone are no question."""
    if not question.items:
        return Answer(proposals=(), tokens=Tokens())
    return measures.ask(student.world, model, question)


def _still_new(lesson: Lesson | None, items: list[Item]) -> dict[str, Item]:
    """Those of the batch that are in the timeline and not learned from, now that the model has answered."""
    numbers = lesson.numbers if lesson else Ranges()
    return {item.id: item for item in items if item.number in numbers}


def _apply(student: Student, items: list[Item], snapshot: Snapshot, model: str, answer: Answer) -> Version | None:
    """Decide on the newest memory and write once. Raises Stale: decide again, with the same answer."""
    lesson = student.lesson()
    new = _still_new(lesson, items)
    if lesson is None or not new:
        return None
    agent, agents = lesson.agent, student.agents
    before = agents.memory(agent.id).facts(agent, proposed_keys(answer.proposals))
    at = agent.later(student.world.now())
    decision = _decide(student, lesson, new, snapshot, answer, before, at)
    learned = lesson.learned(
        replace(lesson.progress, learned=lesson.progress.learned | _numbers(new), batch=None, error=None)
    )
    version = None
    if decision.changes:
        after = agent.changed(at, decision.changes, before)
        version = made(
            after,
            Trigger.CONSOLIDATION,
            changes=decision.changes,
            dropped=decision.dropped[:MAX_DROPPED],
            model=model,
            tokens=answer.tokens,
        )
        agents.commit(agent, after, version, before, learned=learned)
    else:
        agents.learn_nothing(agent.id, learned)
    _tell(student, lesson, decision)
    return version


def _decide(
    student: Student,
    lesson: Lesson,
    new: dict[str, Item],
    snapshot: Snapshot,
    answer: Answer,
    before: dict[str, Fact],
    at: int,
) -> Decision:
    agent, session, world = lesson.agent, lesson.session, student.world
    evidence = Evidence(
        unread=new,
        read=cited(world.history(student.org), session, answer.proposals, new),
        source=lambda item: AgentSource(session.id, item.id),
        durable_only=True,
    )
    newest = Newest(facts=before, keys=agent.tally.keys, generation=agent.generation, step=agent.version + 1, at=at)
    return decide(answer.proposals, evidence, snapshot, newest, world.rules, world.holds_secret)


def _numbers(items: dict[str, Item]) -> Ranges:
    return Ranges.of(item.number for item in items.values())


def _tell(student: Student, lesson: Lesson, decision: Decision) -> None:
    """The log of functions is the only place that shows what was dropped where nothing changed."""
    reasons = Counter(str(dropped.reason) for dropped in decision.dropped)
    told = {"session": student.session, "agent": lesson.agent.id, "kept": len(decision.changes), "dropped": reasons}
    logger.info("learned", extra=told)
    measures.dropped(student.world, decision.dropped)


def _record_failure(student: Student, items: list[Item], message: str) -> None:
    """Keep the error and what to try again. An item that failed too often is passed over (S8)."""
    lesson = student.lesson()
    new = _still_new(lesson, items)
    if lesson is None or not new:
        return
    progress, numbers = lesson.progress, _numbers(new)
    batch = after_failure(progress.batch, numbers)
    error = failure(progress.error, message, lesson.agent.later(student.world.now()))
    told = {"session": student.session, "agent": lesson.agent.id, "attempts": error.attempts}
    logger.warning("learning failed: %s", message, extra=told)
    if batch is None:
        logger.warning("passed over: unreadable", extra=told | {"items": list(new)})
        progress = replace(progress, learned=progress.learned | numbers, batch=None, error=None)
    else:
        progress = replace(progress, batch=batch, error=error)
    student.agents.learn_nothing(lesson.agent.id, lesson.learned(progress))
