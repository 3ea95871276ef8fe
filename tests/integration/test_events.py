"""Events come twice, late, in any order, with more or less in them than expected; the end is the same."""

import copy
import random
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import batched

import pytest
import time_machine
from pydantic import BaseModel, ValidationError
from service import TEMPLATE, Json, Service, context
from test_agents import change
from test_agents import memory as memory_of_agent
from test_removal import delete, erase
from test_timeline import fork, head, rewind

from openbot_memory.domain.rules import Malformed, Proposal
from openbot_memory.models.port import Question
from openbot_memory.runtime.events import ConsolidationRequested, OfAgent, OfSession, TurnFinished

BEGIN = datetime(2026, 12, 1, 12, tzinfo=UTC)

type Delivery = tuple[str, Json]  # a function and an event for it

NOTICES: dict[str, type[BaseModel]] = {
    "Turn Finished": TurnFinished,
    "Consolidation Requested": ConsolidationRequested,
    "Cleaning Requested": OfSession,
    "Deletion Requested": OfSession,
    "Learning Requested": OfSession,
    "Agent Cleaning Requested": OfAgent,
}


def handed_over() -> set[tuple[str, str]]:
    """Functions and the kinds of events that the template's rules hand to them."""
    return {
        (function["Properties"]["CodeUri"].split("/")[1], kind)
        for function in TEMPLATE["Resources"].values()
        if function["Type"] == "AWS::Serverless::Function"
        for rule in function["Properties"].get("Events", {}).values()
        if rule["Type"] == "EventBridgeRule"
        for kind in rule["Properties"]["Pattern"]["detail-type"]
    }


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    """A clock that stands still, so that what is equal looks equal."""
    with time_machine.travel(BEGIN, tick=False) as traveller:
        yield traveller


@pytest.fixture
def played(service: Service, clock: time_machine.Traveller) -> Service:
    """A scenario whose events, of every kind, are all still on the bus; models are `offline`, so they say the same."""
    del clock
    play(service)
    return service


def play(service: Service) -> None:
    """Turns, some left to second events; a rewind, a fork, an erasure, deletions, a Restore of an agent's memory."""
    service.call("PATCH", "/v1/organization", {"agentMemoryModel": "offline"}, caller="admin")
    for agent in ("a-1", "a-2"):
        service.post("/v1/agents", {"name": "Helper", "shared": True, "id": agent})
    change(service, "a-1", {"_tag": "Remember", "key": "old", "content": "Test first.", "kind": "procedure"})
    change(service, "a-1", {"_tag": "Remember", "key": "gone", "content": "Test last.", "kind": "procedure"})
    change(service, "a-1", {"_tag": "Restore", "version": 1})

    for number, session in enumerate(("plain", "taught", "parent", "removed"), 1):
        service.session("offline", id=session, agent=f"a-{number}" if number < 3 else None)
        decided = [f"We decided on the option {session} {n}." for n in "abc"]
        service.turn(session, "t-1", *decided, model="offline")
    for turn in ("t-2", "t-3"):
        service.turn("plain", turn, f"My budget of {turn} is 1500 EUR.", model="offline")
    turns = [copy.deepcopy(event) for event in service.events if event["detail-type"] == "Turn Finished"]
    for event in turns[:2]:  # no time for more than to ask for the rest
        for function in ("consolidate", "learn"):
            service.functions[function].handler(event, context(left=1000))

    before = head(service, "taught")
    service.remember("taught", "left-behind")
    rewind(service, "taught", before)
    service.remember("plain", "private", "Very private words.")
    erase(service, "plain", "private")
    fork(service, "parent", id="child")
    service.turn("child", "t-9", "I prefer the train.", model="offline")
    for session in ("parent", "child", "removed"):
        delete(service, session)


def deliveries(service: Service) -> list[Delivery]:
    """What the rules make of the events on the bus, oldest first; the bus is empty then."""
    rules, events = handed_over(), list(service.events)
    service.events.clear()
    return [
        (function, whole(event, number))
        for number, event in enumerate(events)
        for function in ("consolidate", "learn")
        if (function, event["detail-type"]) in rules
        and (function != "learn" or event["detail"].get("agent", "") is not None)
    ]


def whole(event: Json, number: int) -> Json:
    """As EventBridge delivers it."""
    return event | {"version": "0", "id": f"e-{number}", "time": BEGIN.isoformat(), "resources": []}


def hand_over(service: Service, those: list[Delivery]) -> None:
    for function, event in those:
        service.functions[function].handler(copy.deepcopy(event), context())
    service.deliver()


def shuffled(those: list[Delivery], seed: int) -> list[Delivery]:
    return random.Random(seed).sample(those, len(those))  # noqa: S311 - the same in every run


def rows(service: Service) -> list[Json]:
    found = service.client.scan(TableName="memory")
    assert "LastEvaluatedKey" not in found
    return sorted(found["Items"], key=lambda row: (row["pk"]["S"], row["sk"]["S"]))


def put_back(service: Service, kept: list[Json]) -> None:
    keys = [{"pk": row["pk"], "sk": row["sk"]} for row in rows(service)]
    for name, changes in (
        ("DeleteRequest", [{"Key": key} for key in keys]),
        ("PutRequest", [{"Item": row} for row in kept]),
    ):
        for some in batched(changes, 25, strict=False):
            service.client.batch_write_item(RequestItems={"memory": [{name: change} for change in some]})
    service.model.models.clear()


def end_state(service: Service) -> tuple[list[Json], int]:
    """Every row, with the random part of versions' ids taken out, and how often a model was asked."""
    text = re.sub(r"v-[0-9a-f]{8}", "v-", repr(rows(service)))
    return eval(text), len(service.model.models)  # noqa: S307 - a list of what DynamoDB gave


def test_the_scenario_has_every_kind_of_event(played: Service) -> None:
    there = {(function, event["detail-type"]) for function, event in deliveries(played)}

    assert there == handed_over()
    assert {kind for _, kind in there} == NOTICES.keys()


@pytest.mark.parametrize("seed", range(3))
def test_doubled_events_in_any_order_end_in_the_same_state_for_the_same_price(played: Service, seed: int) -> None:
    """S5, A3, A5: compared with each event once and in order, by every row and by the count of models' answers."""
    events, before = deliveries(played), rows(played)
    hand_over(played, events)
    expected = end_state(played)
    put_back(played, before)

    hand_over(played, [*reversed(events), *events] if seed == 0 else shuffled(events * 2, seed))

    assert end_state(played) == expected


def test_what_comes_a_day_late_changes_no_row_and_asks_no_model(played: Service, clock: time_machine.Traveller) -> None:
    """After a later turn, a rewind, a fork, an erasure, a deletion, and under an id that was given anew."""
    late = deliveries(played)
    hand_over(played, late)
    first = head(played, "plain")
    played.turn("plain", "t-8", "My seat is 12a.", model="offline")
    late += deliveries(played)[:1]
    clock.shift(timedelta(days=1))
    rewind(played, "plain", first)
    fork(played, "plain", id="late-child")
    played.session("offline", id="removed")
    played.turn("removed", "t-1", "My seat is 14b.", model="offline")
    delete(played, "taught")
    erase = {"expected": memory_of_agent(played, "a-1")["version"], "command": {"_tag": "Erase", "key": "old"}}
    played.post("/v1/agents/a-1/memory", erase)
    hand_over(played, deliveries(played))
    settled, asked = end_state(played)

    hand_over(played, shuffled(late * 2, seed=1))

    assert end_state(played) == (settled, asked)
    assert played.entries("removed").keys() == {"seat"}


def test_a_newer_sender_may_say_more(played: Service) -> None:
    """Unknown fields beside and in the detail."""
    events, before = deliveries(played), rows(played)
    hand_over(played, events)
    expected = end_state(played)
    put_back(played, before)

    more: Json = {"newField": {"until": 1}, "forced": True, "replay-name": "r-1"}
    hand_over(played, [(name, more | event | {"detail": more | event["detail"]}) for name, event in events])

    assert end_state(played) == expected


WRONG: dict[str, list[object]] = {
    "session": [None, 7, True, "", "a#b", "a\n", "x" * 65, ["s"], {"id": "s"}],
    "until": [None, 0, -1, 1.5, "2", True, [2]],
    "forced": [None, 0, "true", []],
    "queueEmpty": [None, 1, "true", []],
    "model": [7, True, [], {}],
    "agent": [7, True, "", "a#b", []],
}
WRONG["organization"] = WRONG["session"]


@pytest.mark.parametrize(("function", "kind"), sorted(handed_over()))
def test_a_malformed_event_raises_and_changes_nothing(service: Service, function: str, kind: str) -> None:
    """Every required field, missing and wrong; so it ends where failed events are kept."""
    event = good(service, kind)
    service.events.clear()
    before = rows(service)
    names = [field.alias or name for name, field in NOTICES[kind].model_fields.items()]
    broken = [{name: each for name, each in event["detail"].items() if name != missing} for missing in names]
    wrong = {**WRONG, "agent": [None, *WRONG["agent"]]} if kind == "Agent Cleaning Requested" else WRONG
    broken += [event["detail"] | {name: value} for name in names for value in wrong[name]]

    odd: list[object] = [*broken, None, "text", []]
    for detail in odd:
        with pytest.raises(ValidationError):
            service.functions[function].handler(event | {"detail": detail}, context())
    for other in ("Something Else", "Memory Changed"):
        with pytest.raises(ValueError, match="does not handle"):
            service.functions[function].handler(event | {"detail-type": other}, context())
    for name in ("detail", "detail-type"):
        with pytest.raises(KeyError):
            service.functions[function].handler({key: event[key] for key in event if key != name}, context())

    assert len(broken) > len(names)
    assert (rows(service), service.events, service.model.models) == (before, [], [])
    service.functions[function].handler(event, context())  # the good one is no error


@pytest.mark.parametrize(("function", "kind"), sorted(handed_over()))
def test_an_event_never_reaches_what_another_organization_owns(service: Service, function: str, kind: str) -> None:
    """The organization of the event and an id of another's: that one's rows stay as they are, and no model is asked."""
    event = good(service, kind)
    before = rows(service)

    service.functions[function].handler(event | {"detail": event["detail"] | {"organization": "globex"}}, context())

    assert (rows(service), service.model.models) == (before, [])
    service.functions[function].handler(event, context())
    assert rows(service) != before


def test_an_event_that_comes_again_while_the_model_works_is_not_paid_for_again(service: Service) -> None:
    """S5, A3: the lease; once a session, once its agent."""
    service.call("PATCH", "/v1/organization", {"agentMemoryModel": "durable"}, caller="admin")
    service.post("/v1/agents", {"name": "Helper", "id": "a-1"})
    session = service.session(agent="a-1")
    service.turn(session, "t-1", "One.", "Two.")
    again = deliveries(service)
    delivered = list[str]()

    def meanwhile(_: Question) -> list[Proposal | Malformed]:
        working = service.model.models[-1]
        for function, event in again * 2:
            if (function == "learn") == (working == "durable"):
                delivered.append(function)
                service.functions[function].handler(copy.deepcopy(event), context())
        return []

    service.model.script.put(meanwhile)
    service.model.script.put(meanwhile)
    hand_over(service, again)

    assert sorted(delivered) == ["consolidate", "consolidate", "learn", "learn"]
    assert sorted(service.model.models) == ["durable", "test"]
    assert service.get(f"/v1/sessions/{session}")["memory"]["consolidation"]["waiting"] == 0


def good(service: Service, kind: str) -> Json:
    """An event with work to do: a session with unread items and leftovers, an agent with leftovers."""
    service.call("PATCH", "/v1/organization", {"agentMemoryModel": "durable"}, caller="admin")
    service.post("/v1/agents", {"name": "Helper", "id": "a-1"})
    change(service, "a-1", {"_tag": "Remember", "key": "old", "content": "Test first.", "kind": "procedure"})
    change(service, "a-1", {"_tag": "Remember", "key": "gone", "content": "Test last.", "kind": "procedure"})
    change(service, "a-1", {"_tag": "Restore", "version": 1})
    session = service.session(id="s-1", agent="a-1")
    first = head(service, session)
    service.remember(session, "left-behind")
    rewind(service, session, first)
    service.turn(session, "t-1", "One.", "Two.")
    if kind == "Deletion Requested":
        delete(service, session)
    fields: Json = {"organization": "acme", "session": session, "agent": "a-1", "model": "test", "queueEmpty": True}
    return whole({"detail-type": kind, "detail": fields | {"until": 2, "forced": False}}, 0)
