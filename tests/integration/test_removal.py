"""Deleting a session, and erasing a fact, for good."""

from typing import Any

import pytest
from service import Json, Reply, Service
from test_timeline import fork, go_on, head, rewind, shown, stop_before

from openbot_memory.domain.rules import Malformed, Proposal
from openbot_memory.models.port import Question


def delete(service: Service, session: str, caller: str = "admin", **how: Any) -> Reply:  # noqa: ANN401
    return service.call("DELETE", f"/v1/sessions/{session}", {}, caller=caller, **how)


def erase(service: Service, session: str, key: str, **how: Any) -> Reply:  # noqa: ANN401
    return service.change(session, {"_tag": "Erase", "key": key}, **how)


def rows(service: Service, session: str) -> list[str]:
    found = service.client.scan(TableName="memory")["Items"]
    return [row["sk"]["S"] for row in found if row["pk"]["S"].endswith(f"#SESSION#{session}")]


def everything(service: Service) -> str:
    return str(service.client.scan(TableName="memory")["Items"])


def grown(service: Service, identifier: str | None = None) -> str:
    session = service.session(id=identifier)
    service.remember(session, "a", "Very private words.")
    service.turn(session, "t-1", *(f"Sentence {n}." for n in range(30)))
    service.remember(session, "b")
    service.deliver()
    return session


def test_a_deleted_session_is_unknown_at_once_and_all_its_rows_go(service: Service) -> None:
    session, other = grown(service), grown(service)
    before = shown(service, other)

    assert delete(service, session).status == 200

    for path in ("", "/memory", "/memory/log", "/items", "/instructions"):
        assert service.call("GET", f"/v1/sessions/{session}{path}").status == 404
    assert service.call("POST", f"/v1/sessions/{session}/fork", {}).status == 404
    service.deliver()
    assert rows(service, session) == []
    assert shown(service, other) == before
    assert delete(service, session).status == 404


@pytest.mark.parametrize(("caller", "status"), [("person", 403), ("agent", 403), ("host", 200), ("admin", 200)])
def test_only_an_administrator_or_a_host_deletes_a_session(service: Service, caller: str, status: int) -> None:
    assert delete(service, service.session(), caller).status == status


def test_a_request_to_erase_a_key_never_deletes_the_session(service: Service) -> None:
    """A client that resolves `memory/..` asks for the session's own route; what it carries tells."""
    session = service.session()
    seen = service.get(f"/v1/sessions/{session}")["session"]
    body = {"expected": seen["head"], "revision": seen["revision"]}
    query = f"expected={seen['head']}&revision={seen['revision']}"

    by_body = service.call("DELETE", f"/v1/sessions/{session}", body, caller="admin")
    by_query = service.call("DELETE", f"/v1/sessions/{session}?{query}", raw="", caller="admin")

    assert [by_body.status, by_query.status] == [400, 400]
    assert service.get(f"/v1/sessions/{session}")["session"] == seen


def test_another_organization_cannot_delete_it(service: Service) -> None:
    session = service.session()

    assert delete(service, session, organization="globex").status == 404
    assert service.call("GET", f"/v1/sessions/{session}").status == 200


def test_an_id_is_free_again_only_when_the_last_row_is_gone(service: Service) -> None:
    session = grown(service, "mine")
    source = service.session()
    delete(service, session)

    assert service.call("POST", "/v1/sessions", {"model": "m", "id": "mine"}).status == 409
    assert service.call("POST", f"/v1/sessions/{source}/fork", {"id": "mine"}).status == 409
    service.deliver()
    service.session(id="mine")
    assert service.entries("mine") == {}


def test_forks_keep_what_they_need_and_the_rest_goes_with_the_last_of_them(service: Service) -> None:
    session = grown(service)
    first = head(service, session)
    child = fork(service, session)
    grandchild = fork(service, child)
    service.turn(session, "t-2", "Said after the fork.")
    states = [shown(service, each) for each in (child, grandchild)]

    delete(service, session)
    service.deliver()

    assert "Said after the fork." not in everything(service)
    assert [shown(service, each) for each in (child, grandchild)] == states
    service.remember(grandchild, "own")
    assert rewind(service, grandchild, first).status == 200
    assert shown(service, grandchild) == states[1]
    delete(service, child)
    service.deliver()
    assert shown(service, grandchild) == states[1]
    delete(service, grandchild)
    service.deliver()
    assert [rows(service, each) for each in (session, child, grandchild)] == [[], [], []]


def test_a_deletion_stopped_after_any_request_can_be_gone_on_with(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openbot_memory.store.table.LONGEST_WAIT", 0)
    session = grown(service)
    service.events.clear()
    delete(service, session)
    (event,) = service.events
    for number in range(60):
        stop_before(service, number)
        try:
            service.started_by(event)
        except Exception:  # noqa: BLE001 - the worker died
            go_on(service)
            assert service.call("GET", f"/v1/sessions/{session}").status == 404
        else:
            go_on(service)
            break
    assert rows(service, session) == []


def test_a_deletion_asked_for_again_while_the_rows_go_is_answered_alike(service: Service) -> None:
    session = grown(service)
    first = delete(service, session)

    assert delete(service, session) == first


def test_what_works_on_a_session_that_is_deleted_meanwhile_writes_nothing(service: Service) -> None:
    session = service.session()

    def meanwhile(_: Question) -> list[Proposal | Malformed]:
        delete(service, session)
        return [Proposal(key="a", content="b", sources=("i-01",))]

    service.turn(session, "t-1", "One.")
    service.model.script.put(meanwhile)
    service.deliver()

    assert rows(service, session) == []


def test_an_erased_fact_leaves_a_stub_and_no_content_anywhere(service: Service) -> None:
    session = service.session()
    service.remember(session, "a", "Very private words.")
    service.remember(session, "a", "Very private words, again.")
    service.remember(session, "b", "Other.")
    rewind(service, session, head(service, session))

    assert erase(service, session, "a").status == 200
    service.deliver()

    entry = service.entries(session)["a"]
    assert (entry["status"], entry["content"], entry["sources"]) == ("retracted", "", ["i-04"])
    assert service.entries(session)["b"]["content"] == "Other."
    assert "private" not in everything(service)
    log = service.get(f"/v1/sessions/{session}/memory/log")["log"]
    assert [row["keys"] for row in log] == [["a"], [], ["b"], ["a"], ["a"]]


def test_an_erased_fact_is_not_learned_again_nor_brought_back_by_going_back(service: Service) -> None:
    session = service.session()
    empty = head(service, session)
    old = service.remember(session, "a", "Very private words.")["session"]["head"]
    erase(service, session, "a")

    for version in (old, empty):
        assert rewind(service, session, version).status == 200
        assert service.entries(session)["a"] | {"updatedAt": 0, "sources": []} == {
            "key": "a",
            "content": "",
            "kind": "fact",
            "sources": [],
            "updatedAt": 0,
            "status": "retracted",
        }
    service.turn(session, "t-1", "One.")
    item = service.get(f"/v1/sessions/{session}/items")["items"][-1]["id"]
    service.model.script.put([Proposal(key="a", content="Very private words.", sources=(item,))])
    service.deliver()
    assert service.entries(session)["a"]["status"] == "retracted"


def test_a_fork_of_a_session_with_an_erased_fact_never_shows_it(service: Service) -> None:
    session = service.session()
    old = service.remember(session, "a", "Very private words.")["session"]["head"]
    child = fork(service, session)
    erase(service, child, "a")

    grandchild = fork(service, child, at=old)

    assert service.entries(grandchild)["a"]["content"] == ""
    assert service.entries(session)["a"]["content"] == "Very private words."


def test_only_a_person_who_says_it_again_brings_an_erased_fact_back(service: Service) -> None:
    session = service.session()
    service.remember(session, "a", "Old.")
    erase(service, session, "a")

    version = service.remember(session, "a", "Said again.")["session"]["head"]
    service.remember(session, "b")
    rewind(service, session, version)

    assert service.entries(session)["a"]["content"] == "Said again."


def test_an_erasure_is_decided_on_what_was_last_seen(service: Service) -> None:
    session = service.session()
    service.remember(session, "a", "b")
    seen = service.get(f"/v1/sessions/{session}")["session"]
    path, command = f"/v1/sessions/{session}/memory", {"_tag": "Erase", "key": "a"}
    stale: Json = {"expected": seen["head"], "revision": seen["revision"] - 1, "command": command}

    assert service.call("POST", path, stale).status == 409
    assert service.call("POST", path, {"expected": seen["head"], "command": command}).status == 400
    assert service.call("POST", path, stale | {"revision": seen["revision"]}).status == 200
    assert erase(service, session, "a").status == 200
    assert erase(service, session, "unknown").status == 409


@pytest.mark.parametrize("key", ["a/b", "what?", "..", ".", "%2e%2e", "a%2Fb", "#", "what", "é́ ß 日本"])
def test_any_key_is_erased_and_no_other(service: Service, key: str) -> None:
    """A key never stands in a path, which a gateway decodes before it routes it."""
    session = service.session()
    others = {"what?", "what", "..", "a/b", "a"} - {key}
    for each in (*others, key):
        service.remember(session, each, f"About {each}.")

    assert erase(service, session, key).status == 200

    entries = service.entries(session)
    erased = [name for name, entry in entries.items() if not entry["content"]]
    assert (len(erased), len(entries)) == (1, len(others) + 1)


def test_an_erasure_with_an_idempotency_key_is_carried_out_once(service: Service) -> None:
    session = service.session()
    service.remember(session, "a", "Very private words.")
    seen = service.get(f"/v1/sessions/{session}")["session"]
    command = {"_tag": "Erase", "key": "a"}
    body = {"expected": seen["head"], "revision": seen["revision"], "command": command}

    first, again = (
        service.call("POST", f"/v1/sessions/{session}/memory", body, headers={"idempotency-key": "k"}) for _ in range(2)
    )

    assert (first.status, first.body) == (200, again.body)
