"""What fails for a while: a 503 says that the same request again sees to the rest, and no event is lost."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import EndpointConnectionError
from moto.core.botocore_stubber import MockRawResponse
from service import Json, Service, context
from test_removal import delete, everything, rows
from test_timeline import fork

from openbot_memory.domain.errors import Unavailable
from openbot_memory.domain.rules import Malformed, Proposal
from openbot_memory.models.port import Question
from openbot_memory.runtime import wiring

KEY = {"idempotency-key": "k-1"}
TURN: Json = {"turn": "t-1", "model": "test", "items": [{"type": "message", "role": "user", "text": "I like tea."}]}


@pytest.fixture
def bus_fails(service: Service) -> Callable[[bool], None]:
    """Let the bus take nothing from now on, or everything again."""
    buses: list[Any] = [wiring.world(service.functions[name].MODEL_TIMEOUT).bus for name in ("command", "consolidate")]

    def fail(**_: object) -> None:
        raise EndpointConnectionError(endpoint_url="http://gone")

    def switch(fails: bool) -> None:  # noqa: FBT001
        for bus in buses:
            events = bus.client.meta.events
            if fails:
                events.register_first("provide-client-params.events.PutEvents", fail, unique_id="fail")
            else:
                events.unregister("provide-client-params.events.PutEvents", unique_id="fail")

    return switch


def named(service: Service, name: str) -> list[Json]:
    return [event for event in service.events if event["detail-type"] == name]


def test_what_a_gateway_on_the_way_answers_is_an_outage_and_no_error_of_ours(service: Service) -> None:
    """No stack trace for a mere fault: an answer in HTML has a status, and no code."""
    session = service.session()

    def bad_gateway(request: AWSPreparedRequest, **_: object) -> AWSResponse:
        raw: Any = MockRawResponse("<html>Bad Gateway</html>")
        return AWSResponse(request.url, 502, HTTPHeaders(), raw)

    service.client_of_functions.meta.events.register_first("before-send.dynamodb", bad_gateway)

    reading = service.call("GET", f"/v1/sessions/{session}")
    writing = service.call("POST", f"/v1/sessions/{session}/turns", TURN)

    assert [reading.status, writing.status] == [503, 503]


def test_a_turn_with_an_idempotency_key_succeeds_only_when_its_event_is_on_the_bus(
    service: Service, bus_fails: Callable[[bool], None]
) -> None:
    session = service.session()
    path = f"/v1/sessions/{session}/turns"
    bus_fails(True)  # noqa: FBT003

    assert [service.call("POST", path, TURN, headers=KEY).status for _ in range(2)] == [503, 503]

    bus_fails(False)  # noqa: FBT003
    service.events.clear()
    first, again = (service.call("POST", path, TURN, headers=KEY) for _ in range(2))
    assert (first.status, first.body) == (200, again.body)
    assert named(service, "Turn Finished")
    assert len(service.get(f"/v1/sessions/{session}/items")["items"]) == 1


def test_an_erase_succeeds_only_when_its_cleaning_is_asked_for(
    service: Service, bus_fails: Callable[[bool], None]
) -> None:
    """The same request again asks again, and changes nothing more."""
    session = service.session()
    service.remember(session, "a", "Very private words.")
    seen = service.get(f"/v1/sessions/{session}")["session"]
    path, command = f"/v1/sessions/{session}/memory", {"_tag": "Erase", "key": "a"}
    erase = {"expected": seen["head"], "revision": seen["revision"], "command": command}
    service.events.clear()
    bus_fails(True)  # noqa: FBT003

    assert service.call("POST", path, erase).status == 503

    bus_fails(False)  # noqa: FBT003
    service.turn(session, "t-1", "Something came in between.", model=None)
    assert service.call("POST", path, erase).status == 200
    service.deliver()
    assert "private" not in everything(service)
    log = service.get(f"/v1/sessions/{session}/memory/log")["log"]
    assert [row["keys"] for row in log] == [["a"], ["a"]]


def test_an_erase_of_an_agents_entry_succeeds_only_when_its_cleaning_is_asked_for(
    service: Service, bus_fails: Callable[[bool], None]
) -> None:
    service.post("/v1/agents", {"id": "a-1", "name": "Helper"})
    command = {"_tag": "Remember", "key": "a", "content": "Very private words.", "kind": "decision"}
    service.post("/v1/agents/a-1/memory", {"expected": 0, "command": command})
    erase = {"expected": 1, "command": {"_tag": "Erase", "key": "a"}}
    service.events.clear()
    bus_fails(True)  # noqa: FBT003

    assert service.call("POST", "/v1/agents/a-1/memory", erase).status == 503

    bus_fails(False)  # noqa: FBT003
    assert service.call("POST", "/v1/agents/a-1/memory", erase).status == 200
    service.deliver()
    assert "private" not in everything(service)
    assert service.get("/v1/agents/a-1")["agent"]["version"] == 2


def test_what_a_consolidation_leaves_over_is_not_lost_with_an_event(
    service: Service, bus_fails: Callable[[bool], None]
) -> None:
    """It raises, so that Lambda tries its event again."""
    session = service.session()
    service.turn(session, "t-1", *(f"Sentence {n}." for n in range(60)))
    (event,) = named(service, "Turn Finished")
    service.events.clear()
    bus_fails(True)  # noqa: FBT003

    with pytest.raises(Unavailable):
        service.functions["consolidate"].handler(event, hurried())

    bus_fails(False)  # noqa: FBT003
    service.started_by(event)
    assert waiting(service, session) == 0


def test_a_turn_that_comes_while_a_refresh_works_is_read(service: Service) -> None:
    """The Refresh does not look again, so the turn's event is tried again after it."""
    session = service.session()
    service.turn(session, "t-1", "One.")
    service.events.clear()
    refused = list[Json]()
    service.model.script.put(another_turn(service, session, refused))

    reply = service.change(session, {"_tag": "Refresh"})

    assert reply.status == 200
    assert len(refused) == 1
    service.started_by(refused[0])
    assert waiting(service, session) == 0


def test_a_turn_that_comes_while_a_part_is_read_is_read(service: Service) -> None:
    """What a Refresh has left over is read up to its last item, and no further."""
    session = service.session()
    service.turn(session, "t-1", *(f"Sentence {n}." for n in range(60)))
    service.events.clear()
    assert service.change(session, {"_tag": "Refresh"}).status == 200
    (rest,) = named(service, "Consolidation Requested")
    refused = list[Json]()
    service.model.script.put(another_turn(service, session, refused))

    service.started_by(rest)

    assert (len(refused), waiting(service, session)) == (1, 1)
    service.started_by(refused[0])
    assert waiting(service, session) == 0


def test_a_deleted_fork_whose_last_step_failed_still_lets_its_parent_go(
    service: Service, bus_fails: Callable[[bool], None]
) -> None:
    """The parent's deletion is asked for before the fork is forgotten."""
    session = service.session()
    child = fork(service, session)
    delete(service, session)
    service.deliver()
    delete(service, child)
    (event,) = named(service, "Deletion Requested")
    service.events.clear()
    bus_fails(True)  # noqa: FBT003

    with pytest.raises(Unavailable):
        service.started_by(event)

    bus_fails(False)  # noqa: FBT003
    service.started_by(event)
    service.deliver()
    assert [rows(service, each) for each in (session, child)] == [[], []]


def hurried() -> Any:  # noqa: ANN401
    """With time for one batch."""
    left = iter([120_000, 0])
    how = context()
    how.get_remaining_time_in_millis = lambda: next(left)
    return how


def another_turn(
    service: Service, session: str, refused: list[Json]
) -> Callable[[Question], list[Proposal | Malformed]]:
    def work(_: Question) -> list[Proposal | Malformed]:
        service.turn(session, "t-2", "Two.")
        (event,) = (each for each in named(service, "Turn Finished") if each["detail"]["turn"] == "t-2")
        try:
            service.started_by(event)
        except Unavailable:
            refused.append(event)
        return []

    return work


def waiting(service: Service, session: str) -> int:
    return service.get(f"/v1/sessions/{session}")["memory"]["consolidation"]["waiting"]
