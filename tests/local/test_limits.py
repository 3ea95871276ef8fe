"""Requests over a limit are refused with a message over HTTP, and are never a server error."""

import pytest
from local_stack import Json, Session


def items(count: int, length: int) -> list[Json]:
    return [{"type": "message", "role": "user", "text": "x" * length} for _ in range(count)]


def turn(session: Session, **fields: object) -> tuple[int, Json]:
    body: Json = {"turn": "t-1", "model": None, "items": [], **fields}
    answer = session.client.post(f"{session.path}/turns", json=body)
    return answer.status_code, answer.json()


def test_a_turn_of_five_megabytes_is_stored_completely(session: Session) -> None:
    status, view = turn(session, items=items(20, 250_000))

    assert (status, view["memory"]["consolidation"]["waiting"]) == (200, 20)
    first = session.get("/items")
    rest = session.get(f"/items?cursor={first['cursor']}")
    assert [len(item["text"]) for item in first["items"] + rest["items"]] == [250_000] * 20
    assert (len(rest["items"]) > 0, rest["cursor"]) == (True, None)  # a response holds less than a request


@pytest.mark.parametrize(
    ("count", "length", "limit"), [(1, 256 * 1024 + 1, 256 * 1024), (1001, 1, 1000)], ids=["a long item", "many items"]
)
def test_a_turn_over_a_limit_is_413_with_the_limit(session: Session, count: int, length: int, limit: int) -> None:
    status, refusal = turn(session, items=items(count, length))

    assert (status, refusal["_tag"], refusal["limit"]) == (413, "TooLarge", limit)
    assert session.consolidation["waiting"] == 0


@pytest.mark.parametrize("body", ["[" * 100_000, '{"model": ' * 5_000, '{"model": 1' + "0" * 100_000 + "}"])
def test_deeply_nested_and_endless_json_is_400(session: Session, body: str) -> None:
    answer = session.client.post("/v1/sessions", content=body, headers={"content-type": "application/json"})

    assert (answer.status_code, answer.json()["_tag"]) == (400, "InvalidRequest")


def test_many_unknown_query_parameters_are_400(session: Session) -> None:
    query = "&".join(f"p{number}={number}" for number in range(500))
    answer = session.client.get(f"{session.path}/items?{query}")

    assert (answer.status_code, answer.json()["_tag"]) == (400, "InvalidRequest")


@pytest.mark.parametrize("length", [256, 8_000])
def test_a_long_header_is_400(session: Session, length: int) -> None:
    answer = session.client.post("/v1/sessions", json={"model": "offline"}, headers={"idempotency-key": "x" * length})

    assert (answer.status_code, answer.json()["_tag"]) == (400, "InvalidRequest")
