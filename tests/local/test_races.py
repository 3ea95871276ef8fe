"""Races: threads send requests over HTTP at the same moment, to containers that run in parallel."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import httpx
import pytest
from local_stack import Api, Session, Stack

from openbot_memory_emulator.gateway import outputs

RACERS = 10


@pytest.fixture
def client(api: Api) -> httpx.Client:
    return api("person")


def race(run: Callable[[int], httpx.Response], racers: int = RACERS) -> list[httpx.Response]:
    """Start the requests together; return their responses."""
    start = Barrier(racers)

    def racer(number: int) -> httpx.Response:
        start.wait()
        return run(number)

    with ThreadPoolExecutor(racers) as pool:
        return list(pool.map(racer, range(racers)))


@pytest.fixture(scope="module", autouse=True)
def containers(stack: Stack) -> None:
    """Start as many containers as racers, a few at a time, so that no cold start decides a race."""
    with stack.api("person") as client:
        for racers in range(2, RACERS + 1, 2):
            race(lambda _: client.post("/v1/sessions", json={"model": "offline"}), racers)


def test_of_ten_changes_on_one_head_exactly_one_wins_and_the_others_change_nothing(client: httpx.Client) -> None:
    """S9: never a silent merge."""
    session = Session.begin(client, model="offline")
    seen = session.seen

    def remember(number: int) -> httpx.Response:
        command = {"_tag": "Remember", "key": f"key-{number}", "content": f"By {number}.", "kind": "fact"}
        return client.post(f"{session.path}/memory", json=seen | {"command": command})

    answers = race(remember)

    (winner,) = (number for number, answer in enumerate(answers) if answer.status_code == 200)
    refused = [answer for number, answer in enumerate(answers) if number != winner]
    assert {(answer.status_code, answer.json()["_tag"]) for answer in refused} == {(409, "SessionConflict")}
    assert answers[winner].json() == session.get()
    assert session.entries.keys() == {f"key-{winner}"}
    (row,) = session.log
    assert (row["version"], row["keys"]) == (session.seen["expected"], [f"key-{winner}"])
    assert session.seen["revision"] == seen["revision"] + 1


def test_of_ten_changes_of_one_key_exactly_one_wins(client: httpx.Client) -> None:
    """S9: also where each would write the same fact."""
    session = Session.begin(client, model="offline")
    session.remember("seat", "Ana sits at the window.")
    seen = session.seen

    def remember(number: int) -> httpx.Response:
        command = {"_tag": "Remember", "key": "seat", "content": f"Seat {number}.", "kind": "fact"}
        return client.post(f"{session.path}/memory", json=seen | {"command": command})

    answers = race(remember)

    assert sorted(answer.status_code for answer in answers) == [200] + [409] * (RACERS - 1)
    (winner,) = (number for number, answer in enumerate(answers) if answer.status_code == 200)
    assert session.entries["seat"]["content"] == f"Seat {winner}."
    assert len(session.log) == 2


def test_one_turn_sent_ten_times_at_once_is_appended_once_and_answered_alike(client: httpx.Client) -> None:
    """Neither the repeated turn nor its repeated events change anything."""
    session = Session.begin(client, model="offline")
    item = {"type": "message", "role": "user", "text": "My trip budget is 1500 EUR."}
    turn = {"turn": "t-1", "model": "offline", "items": [item]}

    answers = race(lambda _: client.post(f"{session.path}/turns", json=turn))

    assert [answer.status_code for answer in answers] == [200] * RACERS
    (head,) = {answer.json()["session"]["head"] for answer in answers}
    session.read()
    assert [item["id"] for item in session.get("/items")["items"]] == ["i-01"]
    assert {key: entry["sources"] for key, entry in session.entries.items()} == {"trip-budget": ["i-01"]}
    assert len(session.log) == 1
    assert head != session.seen["expected"]  # that of the consolidation


def test_ten_turns_at_once_are_all_appended_each_item_once(client: httpx.Client) -> None:
    """Turns need not name the head and revision, so none is refused."""
    session = Session.begin(client, model="offline")

    def turn(number: int) -> httpx.Response:
        item = {"type": "message", "role": "user", "text": f"Sentence {number}."}
        return client.post(f"{session.path}/turns", json={"turn": f"t-{number}", "model": None, "items": [item]})

    answers = race(turn)

    assert [answer.status_code for answer in answers] == [200] * RACERS
    items = session.get("/items")["items"]
    assert [item["id"] for item in items] == [f"i-{number:02d}" for number in range(1, RACERS + 1)]
    assert {item["text"] for item in items} == {f"Sentence {number}." for number in range(RACERS)}


def test_ten_requests_with_one_idempotency_key_create_one_session(client: httpx.Client, stack: Stack) -> None:
    """All get the first response."""
    body, key = {"model": "of-the-race"}, {"Idempotency-Key": "race"}

    answers = race(lambda _: client.post("/v1/sessions", json=body, headers=key))

    assert [answer.status_code for answer in answers] == [201] * RACERS
    assert all(answer.json() == answers[0].json() for answer in answers)
    pages = stack.config.client("dynamodb").get_paginator("scan").paginate(TableName=outputs(stack.config)["TableName"])
    rows = [row for page in pages for row in page["Items"]]  # earlier tests may have filled more than one page
    of_sessions = {row["pk"]["S"] for row in rows if "SESSION#" in row["pk"]["S"] and "of-the-race" in str(row)}
    assert len(of_sessions) == 1
