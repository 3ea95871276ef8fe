"""S1 and S4: memory in whole and in pages, and the text for the next turn."""

import time

from service import Json, Service

from openbot_memory.domain.rules import Proposal


def keys_in_pages(service: Service, session: str, query: str) -> list[list[str]]:
    pages, cursor = list[list[str]](), ""
    while True:
        page = service.get(f"/v1/sessions/{session}/memory?{query}{cursor}")
        pages.append(list(page["entries"]))
        if "cursor" not in page:
            return pages
        cursor = f"&cursor={page['cursor']}"


def test_a_memory_comes_in_pages_that_miss_and_repeat_nothing(service: Service) -> None:
    session = service.session()
    for key in "abcdefg":
        service.remember(session, key)

    assert keys_in_pages(service, session, "limit=3") == [["a", "b", "c"], ["d", "e", "f"], ["g"]]


def test_a_page_holds_as_many_wanted_facts_as_asked_for(service: Service) -> None:
    session = service.session()
    for key in "abcdefgh":
        service.remember(session, key, kind="decision" if key in "bdfh" else "fact")
    service.forget(session, "d")

    assert keys_in_pages(service, session, "limit=2&kind=decision") == [["b", "d"], ["f", "h"]]
    assert keys_in_pages(service, session, "limit=2&kind=decision&status=active") == [["b", "f"], ["h"]]
    assert list(service.get(f"/v1/sessions/{session}/memory?status=retracted")["entries"]) == ["d"]


def test_a_cursor_holds_no_key_and_survives_a_change_of_the_fact_it_stands_behind(service: Service) -> None:
    session = service.session()
    for key in ("key-one", "key-two", "key-three"):
        service.remember(session, key)
    page = service.get(f"/v1/sessions/{session}/memory?limit=1")

    service.remember(session, "key-one", "Changed.")

    rest = service.get(f"/v1/sessions/{session}/memory?cursor={page['cursor']}")
    assert list(rest["entries"]) == ["key-three", "key-two"]
    assert "key" not in page["cursor"]


def test_unknown_kinds_and_parameters_are_400_with_their_path(service: Service) -> None:
    session = service.session()

    for query, path in (("kind=thing", "kind"), ("status=gone", "status"), ("limits=3", "limits")):
        reply = service.call("GET", f"/v1/sessions/{session}/memory?{query}")
        assert (reply.status, reply.body["issues"][0]["path"]) == (400, path)


def test_the_instructions_hold_active_facts_newest_first_and_their_counts(service: Service) -> None:
    session = service.session()
    for key in ("old", "gone", "new"):
        service.remember(session, key, f"About {key}.")
    service.forget(session, "gone")

    found = service.get(f"/v1/sessions/{session}/instructions")

    lines = found["text"].splitlines()
    today = time.strftime("%Y-%m-%d", time.gmtime())
    assert lines[-2:] == [f"- fact «{key}» (from Ana, {today}): About {key}." for key in ("new", "old")]
    assert "current instructions win" in found["text"]
    assert "gone" not in found["text"]
    assert (found["session"], found["agent"]) == ({"shown": 2, "omitted": 0}, {"shown": 0, "omitted": 0})


def test_the_instructions_stop_before_the_first_fact_that_does_not_fit(service: Service) -> None:
    session = service.session()
    for number in range(6):
        service.remember(session, f"k-{number}", "x" * 1900)

    found = service.get(f"/v1/sessions/{session}/instructions")

    assert len(found["text"]) <= 8000
    assert found["session"] == {"shown": 4, "omitted": 2}
    assert "«k-5»" in found["text"]
    assert "«k-1»" not in found["text"]


def test_an_empty_memory_and_one_that_is_not_used_give_no_text(service: Service) -> None:
    session = service.session()
    assert service.get(f"/v1/sessions/{session}/instructions")["text"] == ""
    service.remember(session, "a")

    service.change(session, {"_tag": "Configure", "use": False})

    found = service.get(f"/v1/sessions/{session}/instructions")
    assert (found["text"], found["session"]) == ("", {"shown": 0, "omitted": 0})


def test_facts_of_one_change_stand_in_the_order_of_their_keys(service: Service) -> None:
    """S4: equal times, equal versions: by key."""
    session = service.session()
    service.turn(session, "t-1", "One.")
    service.model.script.put([Proposal(key=key, content="c", sources=("i-01",)) for key in "bca"])
    service.deliver()

    text = service.get(f"/v1/sessions/{session}/instructions")["text"]

    assert text.index("«a»") < text.index("«b»") < text.index("«c»")


def requests(service: Service, path: str) -> list[str]:
    service.requests.clear()
    service.get(path)
    return sorted(name for name, _ in service.requests)


def test_reading_costs_as_few_requests_as_the_design_allows(service: Service) -> None:
    session = service.session()
    service.turn(session, "t-1", *"abc")
    service.remember(session, "a")
    path = f"/v1/sessions/{session}"

    assert requests(service, path) == ["BatchGetItem"]
    assert requests(service, f"{path}/memory") == ["BatchGetItem", "Query"]
    assert requests(service, f"{path}/instructions") == ["BatchGetItem", "Query"]
    assert requests(service, f"{path}/items") == ["BatchGetItem", "Query"]
    assert requests(service, f"{path}/memory/log") == ["BatchGetItem", "Query"]
    assert requests(service, "/v1/organization") == ["BatchGetItem"]


def test_every_read_that_decides_is_consistent(service: Service) -> None:
    session = service.session()
    service.remember(session, "a")
    service.requests.clear()
    for path in ("", "/memory", "/memory?limit=1", "/instructions", "/items", "/memory/log"):
        service.get(f"/v1/sessions/{session}{path}")

    def consistent(name: str, params: Json) -> bool:
        asked = params["RequestItems"]["memory"] if name == "BatchGetItem" else params
        return asked["ConsistentRead"]

    assert service.requests
    assert all(consistent(*request) for request in service.requests)
