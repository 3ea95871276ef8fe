"""Anything that may happen to sessions, in any order, compared after each step with the reference (S1 to S12).

The profile `ci` plays the same few sequences each time, in about a minute. Many new ones, for as long as one likes:

    HYPOTHESIS_PROFILE=long pytest tests/integration/test_stateful.py
"""

import itertools
import queue
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple, cast

import strategies
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from reference import LIMITS, Json, Proposed, Seen, Session, State
from service import PRINCIPALS, Reply, Service, table_properties

from openbot_memory.domain.errors import ModelFailed, Unavailable
from openbot_memory.domain.rules import Malformed, Proposal
from openbot_memory.models.port import Question
from openbot_memory.runtime import wiring

LONG = settings.get_current_profile_name() == "long"
SIZE = settings(
    phases=[Phase.generate, Phase.shrink],
    max_examples=2_000 if LONG else 8,
    stateful_step_count=60 if LONG else 40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
MOST = 3  # sessions at a time
FAILURE = "The model did not answer in time."
BY = {name: {"type": who["type"], "id": who["id"]} for name, who in PRINCIPALS.items()}
REASONS = (
    "no-unread-source second-change-of-key retracted changed-meanwhile secret too-long invalid preference-without-user "
    "memory-full unknown-key unreadable"
).split()  # the other two are for agents alone (A2, A4)
REFUSALS = (
    "SessionConflict UnknownKey SecretRefused InvalidRequest MemoryFull VersionNotFound SessionExists SessionNotFound "
    "KeyReused Forbidden ModelFailed"
).split()
OFTEN = "turn turn turn deliver deliver deliver_all remember remember forget refresh fork rewind rewind".split()
SELDOM = "create delete erase configure organization outage turn_again request_again".split()
MEANWHILE = "remember forget erase configure turn fork rewind delete organization event_again".split()
HITS = Counter[str]()  # of rules, reasons and refusals


class Sent(NamedTuple):
    """A request with an Idempotency-Key, and its answer."""

    path: str
    body: Json
    caller: str
    headers: Json
    reply: Reply


class Job(NamedTuple):
    """What is at work: which session is read, by an event or a Refresh (`forced`), up to which item."""

    session: str
    forced: bool = False
    until: int | None = None


class Answered(NamedTuple):
    """What a model was asked and said, which the service is about to apply. `proposals` None: it failed."""

    batch: list[str]
    snapshot: State
    model: str
    proposals: list[Proposed] | None


class Sessions(RuleBasedStateMachine):
    """Each rule does one thing through the service and to the reference. What varies is drawn as it is needed."""

    def __init__(self, service: Service) -> None:
        super().__init__()
        self.service = service
        service.client.delete_table(TableName="memory")
        service.client.create_table(TableName="memory", **table_properties())
        service.events.clear()
        service.requests.clear()
        service.model.script = queue.Queue()
        service.model.script.put(self.answer)
        self.sessions = dict[str, Session]()
        self.defaults = {"use": True, "generate": True}
        self.used = list[str]()
        self.kept = list[Sent]()
        self.numbers = itertools.count(1)
        self.job: Job | None = None
        self.answered: Answered | None = None
        self.failed = self.busy = False
        self.outages = 0  # so many of the next answers are failures

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        self.draw = data.draw
        self.create()

    @rule()
    def something_happens(self) -> None:
        self.one_of(OFTEN + SELDOM)

    def one_of(self, names: Sequence[str]) -> None:
        """Let one of these happen that can happen now."""
        full, alone = len(self.sessions) == MOST, len(self.sessions) == 1
        possible = {
            "create": not full,
            "fork": not full,
            "delete": not alone,
            "deliver": bool(self.service.events),
            "deliver_all": bool(self.service.events),
            "request_again": bool(self.kept),
            "turn_again": any(session.turns for session in self.sessions.values()),
        }
        name = self.draw(st.sampled_from([name for name in names if possible.get(name, True)]), "what")
        HITS[name] += 1
        getattr(self, name)()

    # Sessions

    def create(self) -> None:
        body = {"model": self.draw(strategies.models), "id": self.free_or_taken()}
        reply = self.send("POST", "/v1/sessions", body)
        if not self.refused(reply, {"SessionExists"} if body["id"] in self.sessions else set()):
            self.sessions[body["id"]] = Session.begun(reply.body, self.used)

    def fork(self) -> None:
        session, name = self.session(), self.free_or_taken()
        at = self.draw(st.none() | self.versions(session))
        body = {"id": name} | ({"at": at} if at else {})
        reply = self.send("POST", f"/v1/sessions/{session.id}/fork", body)
        due = {"VersionNotFound"} if at and at not in session.versions else set[str]()
        if not self.refused(reply, due | ({"SessionExists"} if name in self.sessions else set())):
            self.sessions[name] = session.fork(reply.body, at or session.head, BY["person"])
            self.shows(reply, self.sessions[name])

    def rewind(self) -> None:
        session = self.session()
        to = self.draw(self.versions(session))
        seen, due = self.seen(session)
        reply = self.send("POST", f"/v1/sessions/{session.id}/rewind", {"to": to, **seen})
        if not self.refused(reply, due | (set() if to in session.versions else {"VersionNotFound"}), session):
            session.rewind(Seen.of(reply.body), to, BY["person"])
            self.shows(reply, session)

    def delete(self) -> None:
        session, caller = self.session(), self.draw(st.sampled_from(["admin", "host", "person", "agent"]))
        reply = self.send("DELETE", f"/v1/sessions/{session.id}", {}, caller)
        if not self.refused(reply, {"Forbidden"} if caller in {"person", "agent"} else set()):
            del self.sessions[session.id]
            self.refused(self.service.call("GET", f"/v1/sessions/{session.id}/memory"), {"SessionNotFound"})

    def organization(self) -> None:
        switches = self.draw(strategies.switches(st.booleans()))
        reply = self.send("PATCH", "/v1/organization", {"memory": switches}, "admin")
        self.defaults |= switches
        assert reply.body["memory"] == {**self.defaults, "instructions": ""}

    # Changes by hand

    def remember(self) -> None:
        self.change({"_tag": "Remember", **self.draw(strategies.remembered)})

    def forget(self) -> None:
        self.change({"_tag": "Forget", "key": self.draw(strategies.keys)})

    def configure(self) -> None:
        self.change({"_tag": "Configure", **self.draw(strategies.switches(st.booleans() | st.none()))})

    def erase(self) -> None:
        self.change({"_tag": "Erase", "key": self.draw(strategies.good_keys)})

    def change(self, command: Json) -> None:
        session, caller = self.session(), self.draw(strategies.callers)
        seen, due = self.seen(session)
        path = f"/v1/sessions/{session.id}/memory"
        reply = self.send("POST", path, {**seen, "command": command}, caller)
        nothing_to_do = command["_tag"] == "Erase" and session.has_erased(command["key"])
        if self.refused(reply, set() if nothing_to_do else due | session.refusals(command), session):
            return
        if nothing_to_do:
            self.shows(reply, session)
            return
        if command["_tag"] == "Configure":
            session.configure(Seen.of(reply.body), {name: value for name, value in command.items() if name != "_tag"})
        else:
            session.change(Seen.of(reply.body), BY[caller], command)
        self.shows(reply, session)

    # Turns

    def turn(self) -> None:
        session, turn = self.session(), {"turn": f"t-{next(self.numbers)}", **self.draw(strategies.turns)}
        seen, due = self.seen(session) if self.chance(3) else ({}, set[str]())
        reply = self.send("POST", f"/v1/sessions/{session.id}/turns", turn | seen)
        if not self.refused(reply, due, session):
            session.turn(reply.body, turn)
            self.shows(reply, session)

    def turn_again(self) -> None:
        session = self.session()
        if not session.turns:
            return
        turn, answer = session.turns[self.draw(st.sampled_from(list(session.turns)), "turn")]
        other = {"queueEmpty": False} if self.chance(3) else {}
        reply = self.send("POST", f"/v1/sessions/{session.id}/turns", turn | other)
        assert self.refused(reply, {"KeyReused"} if other else set()) or reply.body == answer

    def request_again(self) -> None:
        path, body, caller, headers, reply = self.kept[self.draw(st.integers(0, len(self.kept) - 1), "request")]
        if self.chance(3):
            other = self.service.call("POST", "/v1/sessions", {"model": "x"}, caller=caller, headers=headers)
            self.refused(other, {"KeyReused"})
        else:
            assert self.service.call("POST", path, body, caller=caller, headers=headers)[:2] == reply[:2]

    # Consolidation

    def deliver(self) -> None:
        """Events come late, out of order and more than once."""
        at = self.draw(st.integers(0, len(self.service.events) - 1), "event")
        event = self.service.events[at]
        if not self.chance(4):
            del self.service.events[at]
        self.started_by(event)

    def deliver_all(self) -> None:
        while self.service.events:
            self.started_by(self.service.events.pop(0))

    def started_by(self, event: Json) -> None:
        detail = event["detail"]
        job = Job(detail["session"], detail.get("forced", False), detail.get("until"))
        reads = detail.get("model") or "until" in detail
        self.at_work(job if reads else None, lambda: self.service.started_by(event))
        session = self.sessions.get(job.session)
        assert not (reads and session) or self.failed or not session.batch(self.defaults, *job[1:])

    def refresh(self) -> None:
        session = self.session()
        seen, due = self.seen(session)
        calls = 1 if session.now.waiting and not due else 0
        before = len(self.service.model.questions)
        body = {**seen, "command": {"_tag": "Refresh"}}
        path = f"/v1/sessions/{session.id}/memory"
        reply = self.at_work(Job(session.id, forced=True), lambda: self.send("POST", path, body))
        assert len(self.service.model.questions) == before + calls
        due |= {"ModelFailed"} if self.failed else set()
        if not self.refused(reply, due if session.id in self.sessions else {"SessionNotFound"}, session):
            self.shows(reply, session)

    def outage(self) -> None:
        self.outages = self.draw(st.integers(1, 12))
        for _ in range(self.outages):
            self.refresh()
        self.outages = 0

    def at_work[T](self, job: Job | None, work: Callable[[], T]) -> T:
        self.job, self.failed = job, False
        outcome = work()
        self.applied()
        self.job = None
        return outcome

    def answer(self, question: Question) -> list[Proposal | Malformed]:
        """The model: it must be asked as the rules say, takes its time, and answers anything."""
        self.service.model.script.put(self.answer)
        self.applied()
        assert self.job
        assert not self.busy, "one call at a time"
        session = self.sessions[self.job.session]
        batch = session.batch(self.defaults, *self.job[1:])
        model = session.model if self.job.forced else session.now.model or session.model
        assert ([item.id for item in question.items], self.service.model.models[-1]) == (batch, model)
        known = [fact.key for fact in question.known]
        assert known == [fact.key for fact in session.now.newest][: len(known)]
        snapshot = session.now
        if self.chance(3):
            self.meanwhile()
        if self.outages or self.chance(6):
            self.outages -= self.outages > 0
            self.answered = Answered(batch, snapshot, model, None)
            raise ModelFailed(FAILURE)
        others = [item["id"] for each in self.sessions.values() for item in each.now.items]
        proposals = self.draw(strategies.proposals(batch, others))
        HITS["answers"] += 1
        HITS["proposals"] += len(proposals)
        self.answered = Answered(batch, snapshot, model, proposals)
        return [strategies.as_the_model_says(each) for each in proposals]

    def meanwhile(self) -> None:
        """What happens while the model works."""
        self.busy = True
        self.one_of(MEANWHILE)
        self.as_the_reference()
        self.busy = False

    def event_again(self) -> None:
        for event in [
            event for event in self.service.events if self.job and event["detail"]["session"] == self.job.session
        ]:
            with suppress(Unavailable):  # it finds a part being read, and is tried again after that
                self.service.started_by(event)

    def applied(self) -> None:
        """Apply to the reference what the service has done with the model's last answer."""
        done, self.answered = self.answered, None
        self.failed = False
        session = self.sessions.get(self.job.session) if self.job else None
        if not (done and session and self.job):
            return
        unread = session.unread(self.defaults, *self.job[1:])
        read = [name for name in done.batch if name in unread]
        if not read:
            return
        seen = Seen.of(self.service.get(f"/v1/sessions/{session.id}"))
        if done.proposals is None:
            self.failed = session.fail(seen, read, FAILURE, done.model)
        else:
            session.learn(seen, read, done.snapshot.entries, done.proposals, done.model)

    # What is compared

    @invariant()
    def as_the_reference(self) -> None:
        HITS["steps"] += 1
        HITS["sessions"] += len(self.sessions)
        self.service.events[:] = [event for event in self.service.events if event["detail-type"] != "Memory Changed"]
        for session in self.sessions.values():
            path = f"/v1/sessions/{session.id}"
            assert self.service.get(path) == session.view(self.defaults)
            assert self.service.get(f"{path}/memory") == session.memory(self.defaults)
            assert self.service.get(f"{path}/instructions") == session.instructions(self.defaults)
            assert self.all(f"{path}/items", "items") == list(session.now.items)
            assert self.all(f"{path}/memory/log", "log") == session.log

    def teardown(self) -> None:
        for session in self.sessions.values():
            HITS.update(
                drop["reason"]
                for row in self.all(f"/v1/sessions/{session.id}/memory/log", "log")
                for drop in row["dropped"]
            )

    def all(self, path: str, name: str) -> list[Json]:
        page = self.service.get(f"{path}?limit=500")
        found = page[name]
        while page["cursor"]:
            page = self.service.get(f"{path}?limit=500&cursor={page['cursor']}")
            found += page[name]
        return found

    def shows(self, reply: Reply, session: Session) -> None:
        assert reply.body == session.view(self.defaults)

    def refused(self, reply: Reply, due: set[str], session: Session | None = None) -> bool:
        """Whether it is refused, which it must be if any refusal is due; the step's end shows that nothing changed."""
        tag = reply.body.get("_tag")
        assert (tag in due) if due else (tag is None), (reply, due)
        if tag in {"SessionConflict", "ModelFailed"} and session:
            assert (reply.body["head"], reply.body["revision"]) == (session.head, session.revision)
        HITS[str(tag)] += 1
        return bool(due)

    # What is drawn

    def session(self) -> Session:
        return self.sessions[self.draw(st.sampled_from(list(self.sessions)), "session")]

    def versions(self, session: Session) -> st.SearchStrategy[str]:
        return strategies.mostly(list(session.versions), self.used)

    def free_or_taken(self) -> str:
        """An id for a new session."""
        return next(iter(self.sessions)) if self.sessions and self.chance(8) else f"s-{next(self.numbers)}"

    def seen(self, session: Session) -> tuple[Json, set[str]]:
        """What was last seen of a session, and whether a conflict is due, because it is stale (S9)."""
        seen = {"expected": session.head, "revision": session.revision}
        if not self.chance(8):
            return seen, set()
        other = next((version for version in self.used if version != session.head), "v-0")
        stale = self.draw(st.sampled_from([{"expected": other}, {"revision": session.revision - 1}]))
        return seen | stale, {"SessionConflict"}

    def send(self, method: str, path: str, body: Json, caller: str = "person") -> Reply:
        """One request, sometimes with an Idempotency-Key."""
        headers = {"idempotency-key": f"k-{next(self.numbers)}"} if method == "POST" and self.chance(4) else {}
        reply = self.service.call(method, path, body, caller=caller, headers=headers)
        if headers and reply.status in {200, 201}:
            self.kept.append(Sent(path, body, caller, headers, reply))
        return reply

    def chance(self, of: int) -> bool:
        return self.draw(st.integers(1, of), "once in so many") == of


def test_sessions_are_as_the_reference_says(service: Service) -> None:
    for name, limit in LIMITS.items():
        object.__setattr__(wiring.rules(), name, limit)
    run_state_machine_as_test(cast("type[Sessions]", lambda: Sessions(service)), settings=SIZE)
    missed = {*OFTEN, *SELDOM, *((*REASONS, *REFUSALS) if LONG else ())} - HITS.keys()
    assert not missed  # a few sequences meet each kind of step, many meet each refusal and each reason to drop, too
