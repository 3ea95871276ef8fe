"""The design's budgets, by counting requests and units: cost follows the change, not the memory or the history."""

from collections import Counter
from dataclasses import replace
from itertools import count, pairwise

from capacity import Ledger, row_size
from service import Json, Service

from openbot_memory.domain.facts import Fact, Kind
from openbot_memory.domain.session import Tally
from openbot_memory.runtime import wiring
from openbot_memory.store.sessions import Sessions

SMALL, LARGE = 10, 1000  # facts
turns = count(1)


def with_facts(service: Service, count: int) -> str:
    """A session with so many facts, written at once: through the routes it would take moto minutes."""
    identifier, sessions = service.session(), Sessions(wiring.table(), "acme")
    session = sessions.state(identifier).session
    facts = [
        Fact(key=f"point-{at:04d}", content="What is known.", kind=Kind.FACT, sources=(), updated_at=at, step=1)
        for at in range(count)
    ]
    sessions.memory(identifier).write_ahead(session.generation, facts)
    sessions.commit(session, replace(session, tally=Tally().after(facts, {})))
    return identifier


def turn(service: Service, session: str, items: int = 1, model: str | None = "test") -> Json:
    return service.turn(session, f"t-{next(turns)}", *(f"Text number {at}." for at in range(items)), model=model)


def counted(service: Service, method: str, path: str, body: object = None, caller: str = "person") -> Counter[str]:
    """The DynamoDB requests of one request to the API."""
    before = len(service.requests)
    reply = service.call(method, path, body, caller=caller)
    assert reply.status in {200, 201}, reply
    return Counter(name for name, _ in service.requests[before:])


def units(service: Service, before: int) -> int:
    """The write units of all requests from that on."""
    ledger = Ledger()
    taken = [ledger.write(asked) if "Write" in name else 0 for name, asked in service.requests]
    return sum(taken[before:])


def seen(service: Service, session: str, **body: object) -> Json:
    view = service.get(f"/v1/sessions/{session}")["session"]
    return {"expected": view["head"], "revision": view["revision"]} | body


def remember(key: str) -> Json:
    return {"_tag": "Remember", "key": key, "content": "As it is now.", "kind": "fact"}


def test_a_reading_route_takes_one_query_and_few_reads(service: Service) -> None:
    session = with_facts(service, SMALL)
    turn(service, session)
    budgets: dict[str, Json] = {
        "": {"BatchGetItem": 1},
        "/memory": {"BatchGetItem": 1, "Query": 1},
        "/memory?limit=5": {"BatchGetItem": 2, "Query": 1},
        "/items?limit=5": {"BatchGetItem": 1, "Query": 1},
        "/memory/log?limit=5": {"BatchGetItem": 1, "Query": 1},
        "/instructions": {"BatchGetItem": 1, "Query": 1},
        "/instructions?q=point": {"BatchGetItem": 1, "Query": 1},
        "/memory?q=point&limit=5": {"Query": 1},
    }

    assert {path: counted(service, "GET", f"/v1/sessions/{session}{path}") for path in budgets} == budgets


def test_a_command_takes_one_round_of_reads_and_one_transaction(service: Service) -> None:
    session = with_facts(service, SMALL)
    change = {"BatchGetItem": 1, "Query": 1, "TransactWriteItems": 1}
    budgets = [
        (remember("point-0001"), change),
        (remember("new"), change),
        ({"_tag": "Forget", "key": "point-0001"}, change),
        ({"_tag": "Configure", "use": False}, {"BatchGetItem": 1, "TransactWriteItems": 1}),
        ({"_tag": "Refresh"}, {"BatchGetItem": 1}),  # with nothing to read
    ]
    for command, requests in budgets:
        body = seen(service, session, command=command)
        assert counted(service, "POST", f"/v1/sessions/{session}/memory", body) == requests, command


def test_settings_take_one_read_and_one_transaction(service: Service) -> None:
    path, body = "/v1/organization", {"memory": {"use": False}}
    assert counted(service, "PATCH", path, body, caller="admin") == {"BatchGetItem": 1, "TransactWriteItems": 1}


def test_a_command_costs_the_same_write_units_beside_few_facts_and_many(service: Service) -> None:
    commands = (remember("point-0001"), {"_tag": "Forget", "key": "point-0001"}, {"_tag": "Configure", "use": True})
    costs = list[list[int]]()
    for facts in (SMALL, LARGE):
        session, cost = with_facts(service, facts), list[int]()
        for command in commands:
            before = len(service.requests)
            assert service.change(session, command).status == 200
            cost.append(units(service, before))
        costs.append(cost)

    assert costs[0] == costs[1]
    remembered, forgotten, configured = costs[0]
    assert max(remembered, configured) <= 12
    assert forgotten <= 16  # with the marks by which it is known again in another dress (S6)


def test_instructions_read_as_many_facts_of_a_large_memory_as_of_a_larger_one(service: Service) -> None:
    limits = list[int]()
    for facts in (400, LARGE):
        session = with_facts(service, facts)
        before = len(service.requests)
        service.get(f"/v1/sessions/{session}/instructions")
        limits += [asked["Limit"] for name, asked in service.requests[before:] if name == "Query"]

    assert len(limits) == 2
    assert limits[0] == limits[1] < 400


def test_every_query_of_a_page_is_bounded_by_the_page(service: Service) -> None:
    session = with_facts(service, 100)
    turn(service, session, 20)
    before = len(service.requests)
    for path in ("/memory?limit=5", "/items?limit=5", "/memory/log?limit=5"):
        service.get(f"/v1/sessions/{session}{path}")

    limits = [asked.get("Limit", 10**6) for name, asked in service.requests[before:] if name == "Query"]
    assert len(limits) <= 4
    assert max(limits) <= 6


def test_a_long_turn_costs_one_unit_an_item_and_a_constant(service: Service) -> None:
    session, constants = with_facts(service, SMALL), list[int]()
    for items in (200, 1000):
        before = len(service.requests)
        turn(service, session, items)
        names = Counter(name for name, _ in service.requests[before:])
        assert names == {"BatchGetItem": 1, "TransactWriteItems": 2, "BatchWriteItem": items // 25}
        constants.append(units(service, before) - items)

    assert constants[0] == constants[1] <= 20


def test_a_short_turn_is_one_transaction_that_costs_twice_the_units(service: Service) -> None:
    session = with_facts(service, SMALL)
    before = len(service.requests)

    turn(service, session, 20)

    assert [name for name, _ in service.requests[before:]] == ["BatchGetItem", "TransactWriteItems"]
    assert units(service, before) <= 2 * 20 + 8


def test_a_batch_takes_one_model_call_and_as_many_requests_as_any_other(service: Service) -> None:
    session = with_facts(service, SMALL)
    calls = len(service.model.questions)

    turn(service, session, 250)
    (event,) = (each for each in service.events if each["detail-type"] == "Turn Finished")
    service.events.clear()
    before = len(service.requests)
    service.started_by(event)

    questions = service.model.questions[calls:]
    assert [len(question.items) for question in questions] == [50] * 5
    begun = [at for at, (_, asked) in enumerate(service.requests[before:]) if _claims(asked)]
    taken = [after - at for at, after in pairwise(begun)]
    assert len(begun) == 5
    assert len(set(taken)) == 1
    assert taken[0] <= 12


def _claims(asked: Json) -> bool:
    """The transaction that takes the lease, with which a batch begins."""
    return any(write.get("Put", {}).get("Item", {}).get("sk") == {"S": "W"} for write in asked.get("TransactItems", []))


def test_sizes_are_counted_as_published() -> None:
    """Names and texts in UTF-8, numbers by pairs of digits, 3 bytes for a list or map and 1 for each element."""
    assert row_size({"pk": {"S": "é"}, "n": {"N": "1234"}, "b": {"BOOL": True}}) == (2 + 2) + (1 + 3) + (1 + 1)
    assert row_size({"l": {"L": [{"S": "ab"}, {"N": "-1"}]}, "m": {"M": {"k": {"S": ""}}}}) == (4 + 3 + 4) + (4 + 2)
