"""Search and lists over real HTTP: what a client writes into a query arrives as it was meant."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from local_stack import Api, Session

CONTENTS = {
    "Budget & Reise": "Höchstens 1.500 € für die Reise, +10 % Reserve.",
    "hotel": "旅館は札幌の駅前が良い。",
    "c#": "She writes C# and F#, a=b?",
}


@pytest.fixture
def known(api: Api) -> Session:
    session = Session.begin(api("person"), model="offline")
    for key, content in CONTENTS.items():
        session.remember(key, content)
    return session


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("Budget & Reisekosten", "Budget & Reise"),
        ("札幌 旅館", "hotel"),
        ("C#, a=b?", "c#"),
        ("+10 % reserve", "Budget & Reise"),
    ],
)
def test_a_query_with_delimiters_of_urls_finds_its_fact(known: Session, query: str, found: str) -> None:
    answer = known.client.get(f"{known.path}/memory", params={"q": query}).raise_for_status().json()

    assert answer["found"][0] == found
    assert answer["entries"][found]["content"] == CONTENTS[found]


def test_a_query_in_which_a_plus_stands_for_a_blank_is_read_so(known: Session) -> None:
    assert known.client.get(f"{known.path}/memory?q=reise+reserve").json()["found"] == ["Budget & Reise"]


def test_sessions_created_at_once_are_all_listed_and_a_deleted_one_leaves_at_once(api: Api) -> None:
    admin = api("admin")
    agent = admin.post("/v1/agents", json={"name": "Helper"}).json()["agent"]["id"]

    def create(_number: int) -> str:
        return api("admin").post("/v1/sessions", json={"model": "offline", "agent": agent}).json()["session"]["id"]

    with ThreadPoolExecutor(8) as pool:
        ids = set(pool.map(create, range(24)))

    def listed() -> list[str]:
        sessions = admin.get(f"/v1/sessions?agent={agent}&limit=500").raise_for_status().json()["sessions"]
        return [each["id"] for each in sessions]

    assert sorted(listed()) == sorted(ids)
    deleted = ids.pop()
    admin.request("DELETE", f"/v1/sessions/{deleted}", json={}).raise_for_status()
    assert sorted(listed()) == sorted(ids)
