"""Search: `q` on a memory's GET finds what is near, best first; `q` on the instructions tells it beside the newest."""

from collections.abc import Iterator
from itertools import chain
from urllib.parse import quote

import pytest
from service import Json, Service

from openbot_memory.domain.rules import Malformed, Proposal
from openbot_memory.models.port import Question
from openbot_memory.runtime import wiring
from openbot_memory.store.sessions import Sessions

FACTS = {
    "trip-budget": "Am Ende sind höchstens 1.500 EUR da.",
    "train": "Ana books the train journeys on Fridays.",
    "hotel": "旅館は札幌の駅前が良い。",
    "seat": "Ana sits at the window.",
}


def made(service: Service, facts: dict[str, str] = FACTS) -> str:
    session = service.session()
    for key, content in facts.items():
        service.remember(session, key, content)
    return f"/v1/sessions/{session}"


def pages(service: Service, path: str) -> Iterator[Json]:
    cursor = ""
    while True:
        page = service.get(f"{path}{cursor}")
        yield page
        if page["cursor"] is None:
            return
        cursor = f"&cursor={page['cursor']}"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("budget", ["trip-budget"]),
        ("train journeys budget", ["train", "trip-budget"]),
        ("1500", ["trip-budget"]),
        ("journey", ["train"]),
        ("札幌の旅館", ["hotel"]),
        ("WINDOWS", ["seat"]),
        ("zzz", []),
    ],
)
def test_a_search_names_the_keys_best_first(service: Service, query: str, found: list[str]) -> None:
    session = made(service)

    answer = service.get(f"{session}/memory?q={quote(query)}")

    assert (answer["found"], list(answer["entries"]), answer["cursor"]) == (found, found, None)
    assert answer["entries"] == {key: service.get(f"{session}/memory")["entries"][key] for key in found}


def test_a_forgotten_fact_is_found_only_by_its_status(service: Service) -> None:
    session = made(service)
    service.forget(session.rpartition("/")[2], "train")

    assert service.get(f"{session}/memory?q=train")["found"] == []
    assert service.get(f"{session}/memory?q=train&status=retracted")["found"] == ["train"]


def test_a_search_takes_the_kind_as_well(service: Service) -> None:
    session = made(service)
    service.remember(session.rpartition("/")[2], "train-rule", "No train before eight.", kind="decision")

    assert service.get(f"{session}/memory?q=train&kind=decision")["found"] == ["train-rule"]


def test_an_agents_memory_is_searched_alike(service: Service) -> None:
    agent = service.post("/v1/agents", {"name": "Helper"})["agent"]["id"]
    for version, (key, content) in enumerate(FACTS.items()):
        command = {"_tag": "Remember", "key": key, "content": content, "kind": "decision"}
        service.post(f"/v1/agents/{agent}/memory", {"expected": version, "command": command})

    answer = service.get(f"/v1/agents/{agent}/memory?q=budget")

    assert (answer["found"], answer["version"], answer["cursor"]) == (["trip-budget"], len(FACTS), None)


def test_pages_of_a_search_hold_each_fact_once_best_first(service: Service) -> None:
    session = made(service, {f"tea-{number}": "The tea is hot. " * number for number in range(1, 8)})
    whole = service.get(f"{session}/memory?q=tea")["found"]

    found = [page["found"] for page in pages(service, f"{session}/memory?q=tea&limit=3")]

    assert [len(page) for page in found] == [3, 3, 1]
    assert [*chain(*found)] == whole
    assert len(set(whole)) == 7


def test_a_cursor_is_refused_once_the_memory_changed_or_for_another_search(service: Service) -> None:
    """Ranks move with every change, so a page could otherwise repeat a fact or leave one out."""
    session = made(service, {f"tea-{number}": "The tea is hot." for number in range(4)})
    cursor = service.get(f"{session}/memory?q=tea&limit=2")["cursor"]

    def refused(query: str) -> list[str]:
        reply = service.call("GET", f"{session}/memory?{query}&cursor={cursor}")
        return [issue["path"] for issue in reply.body["issues"]] if reply.status == 400 else []

    assert refused("q=tea&limit=2") == []
    assert refused("q=teas") == refused("q=tea&kind=fact") == refused("limit=2") == ["cursor"]
    service.forget(session.rpartition("/")[2], "tea-0")
    assert refused("q=tea&limit=2") == ["cursor"]


@pytest.mark.parametrize("query", ["", "%20%0A", "x" * 1001])
@pytest.mark.parametrize("path", ["/v1/sessions/{}/memory", "/v1/sessions/{}/instructions", "/v1/agents/{}/memory"])
def test_an_empty_or_too_long_query_is_400(service: Service, path: str, query: str) -> None:
    service.session(id="one")
    service.post("/v1/agents", {"name": "Helper", "id": "one"})

    reply = service.call("GET", f"{path.format('one')}?q={query}")

    assert (reply.status, reply.body["issues"][0]["path"]) == (400, "q")
    assert service.call("GET", f"{path.format('one')}?q={'x' * 1000}").status == 200


# ---- Instructions and models ----


def lines(text: str) -> list[str]:
    return [line.split("»")[0].partition("«")[2] for line in text.splitlines() if line.startswith("- ")]


def many(service: Service) -> str:
    """Forty facts of 600 characters, of which the oldest tells of a saxophone."""
    facts = {f"k-{number:02d}": f"Number {number}. {'x' * 580}" for number in range(40)}
    return made(service, {"saxophone": f"Ana plays it. {'y' * 560}"} | facts)


def test_an_old_fact_near_to_the_query_is_told_beside_the_newest(service: Service) -> None:
    """S4: the newest have half of the block, the order is newest first, and it is no longer than without a query."""
    session = many(service)
    newest = service.get(f"{session}/instructions")
    answer = service.get(f"{session}/instructions?q=What+about+saxophones%3F")

    told = lines(answer["text"])
    assert told[:6] == [f"k-{number}" for number in range(39, 33, -1)]
    assert told[-1] == "saxophone"
    assert told[:-1] == sorted(told[:-1], reverse=True)
    assert "saxophone" not in newest["text"]
    assert len(answer["text"]) <= 8000
    assert answer["session"] == {"shown": len(told), "omitted": 41 - len(told)}
    assert len(told) >= len(lines(newest["text"])) - 1  # what nothing near takes goes to the next newest


def test_with_a_query_a_memory_that_fits_is_told_as_without(service: Service) -> None:
    session = made(service)

    assert service.get(f"{session}/instructions?q=train") == service.get(f"{session}/instructions")


def test_an_agents_old_entry_is_told_as_well(service: Service) -> None:
    agent = service.post("/v1/agents", {"name": "Helper"})["agent"]["id"]
    facts = {"saxophone": f"Ana plays it. {'y' * 1500}"} | {f"k-{n:02d}": "x" * 1900 for n in range(8)}
    for version, (key, content) in enumerate(facts.items()):
        command = {"_tag": "Remember", "key": key, "content": content, "kind": "decision"}
        service.post(f"/v1/agents/{agent}/memory", {"expected": version, "command": command})
    session = service.session(agent=agent)

    assert "saxophone" not in service.get(f"/v1/sessions/{session}/instructions")["text"]
    assert lines(service.get(f"/v1/sessions/{session}/instructions?q=saxophone")["text"])[-1] == "saxophone"


def test_a_model_updates_an_old_fact_that_a_new_message_contradicts(service: Service) -> None:
    """S7: the old fact is far behind the newest, and its key is shown all the same."""
    session = many(service).rpartition("/")[2]

    def sells(question: Question) -> list[Proposal | Malformed]:
        (near,) = [fact for fact in question.near if fact.key == "saxophone"]
        item = question.items[0]
        return [Proposal(key=near.key, content=item.text, kind=near.kind, sources=(item.id,))]

    service.model.script.put(sells)
    service.turn(session, "t-1", "I have sold my saxophone.")
    service.deliver()

    assert service.entries(session)["saxophone"]["content"] == "I have sold my saxophone."
    assert Sessions(wiring.table(), "acme").state(session).session.tally.keys == 41
