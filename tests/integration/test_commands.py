"""S9 to S11: Remember, Forget, Configure and Refresh with what was last seen."""

import pytest
from service import Service


def test_a_remembered_fact_stands_with_its_item_as_its_only_source(service: Service) -> None:
    """S10, S11."""
    session = service.session()
    before = service.get(f"/v1/sessions/{session}")["session"]

    view = service.remember(session, "budget", "The trip budget is 1500 EUR.")

    after = view["session"]
    assert after["revision"] == before["revision"] + 1
    assert after["head"] != before["head"]
    assert service.get(f"/v1/sessions/{session}/memory") == {
        "entries": {
            "budget": {
                "key": "budget",
                "content": "The trip budget is 1500 EUR.",
                "kind": "fact",
                "sources": ["i-01"],
                "updatedAt": after["updatedAt"],
                "status": "active",
                "person": {"id": "ana", "name": "Ana"},
            }
        },
        "processed": ["i-01"],
        "settings": {"use": True, "generate": True},
        "overrides": {},
    }
    (item,) = service.get(f"/v1/sessions/{session}/items")["items"]
    assert item == {
        "id": "i-01",
        "type": "memory",
        "command": "Remember",
        "key": "budget",
        "by": {"type": "person", "id": "ana"},
        "at": after["updatedAt"],
    }


def test_a_forgotten_fact_stays_as_retracted_and_can_be_forgotten_again(service: Service) -> None:
    session = service.session()
    service.remember(session, "a", "Old words.", "preference")

    service.forget(session, "a")
    service.forget(session, "a")

    entry = service.entries(session)["a"]
    assert (entry["status"], entry["content"], entry["kind"]) == ("retracted", "Old words.", "preference")
    assert entry["sources"] == ["i-03"]


def test_a_remember_brings_a_forgotten_fact_back(service: Service) -> None:
    session = service.session()
    service.remember(session, "a", "Old.")
    service.forget(session, "a")

    service.remember(session, "a", "New.")

    assert (service.entries(session)["a"]["status"], service.entries(session)["a"]["content"]) == ("active", "New.")


def test_forgetting_an_unknown_key_is_409_and_changes_nothing(service: Service) -> None:
    session = service.session()
    before = service.get(f"/v1/sessions/{session}")

    reply = service.change(session, {"_tag": "Forget", "key": "nothing"})

    assert (reply.status, reply.body["_tag"]) == (409, "UnknownKey")
    assert service.get(f"/v1/sessions/{session}") == before


@pytest.mark.parametrize("stale", ["head", "revision"])
@pytest.mark.parametrize(
    "command",
    [
        {"_tag": "Remember", "key": "b", "content": "c", "kind": "fact"},
        {"_tag": "Forget", "key": "a"},
        {"_tag": "Configure", "use": False},
        {"_tag": "Refresh"},
    ],
)
def test_either_of_both_stale_is_a_conflict_that_changes_nothing(
    service: Service, command: dict[str, object], stale: str
) -> None:
    session = service.session()
    old = service.get(f"/v1/sessions/{session}")["session"]
    now = service.remember(session, "a")
    seen = now["session"] | {stale: old[stale]}

    body = {"expected": seen["head"], "revision": seen["revision"], "command": command}
    reply = service.call("POST", f"/v1/sessions/{session}/memory", body)

    assert (reply.status, reply.body["_tag"]) == (409, "SessionConflict")
    assert (reply.body["head"], reply.body["revision"]) == (now["session"]["head"], now["session"]["revision"])
    assert service.get(f"/v1/sessions/{session}") == now


def test_configure_sets_removes_and_leaves_and_keeps_the_head(service: Service) -> None:
    session = service.session()
    head = service.get(f"/v1/sessions/{session}")["session"]["head"]

    off = service.change(session, {"_tag": "Configure", "use": False, "generate": False}).body
    back = service.change(session, {"_tag": "Configure", "use": None}).body

    assert off["memory"]["overrides"] == {"use": False, "generate": False}
    assert back["memory"]["overrides"] == {"generate": False}
    assert back["memory"]["settings"] == {"use": True, "generate": False}
    assert back["session"]["head"] == head
    assert back["session"]["revision"] == 3


def test_keys_are_one_in_nfc_and_else_distinct(service: Service) -> None:
    session = service.session()
    keys = ["a/b", "A/B", "a.b", "a b", "ä", "🙂", "预算", "#", "M", "a\u200db"]
    for key in keys:
        service.remember(session, key, f"About {key}.")

    service.remember(session, "a\u0308", "Decomposed.")

    entries = service.entries(session)
    assert set(entries) == set(keys)
    assert entries["ä"]["content"] == "Decomposed."


@pytest.mark.parametrize("key", ["", "x" * 129, "a\nb", "a\x1fb", "\x00", "a\x85", "\u2028"])
def test_a_bad_key_is_400_with_its_path(service: Service, key: str) -> None:
    session = service.session()

    reply = service.change(session, {"_tag": "Remember", "key": key, "content": "c", "kind": "fact"})

    assert (reply.status, reply.body["_tag"]) == (400, "InvalidRequest")
    assert reply.body["issues"][0]["path"] == "command.key"


def test_content_that_is_too_long_is_refused_with_limit_and_length_and_never_cut(service: Service) -> None:
    """S4."""
    session = service.session()

    reply = service.change(session, {"_tag": "Remember", "key": "a", "content": "🙂" * 2001, "kind": "fact"})

    assert (reply.status, reply.body["limit"], reply.body["length"]) == (400, 2000, 2001)
    assert service.entries(session) == {}
    service.remember(session, "a", "🙂" * 2000)


@pytest.mark.parametrize("command", ["key", "content"])
def test_a_credential_is_refused_in_key_and_content(service: Service, command: str) -> None:
    """S7."""
    session = service.session()
    fact = {"_tag": "Remember", "key": "a", "content": "c", "kind": "fact"}

    reply = service.change(session, fact | {command: "AKIA" + "IOSFODNN7EXAMPLE"})

    assert (reply.status, reply.body["_tag"]) == (400, "SecretRefused")
    assert service.entries(session) == {}


def test_every_change_is_in_the_log_with_who_made_it(service: Service) -> None:
    session = service.session()
    service.remember(session, "a")
    head = service.change(session, {"_tag": "Forget", "key": "a"}, caller="host").body["session"]["head"]

    log = service.get(f"/v1/sessions/{session}/memory/log")["log"]

    assert [(row["trigger"], row["keys"]) for row in log] == [("host", ["a"]), ("person", ["a"])]
    assert log[0]["version"] == head
    assert log[0]["by"] == {"type": "host", "id": "runtime"}


def test_a_change_is_told_on_the_bus_without_its_content(service: Service) -> None:
    session = service.session()

    view = service.remember(session, "a", "Private words.")

    (event,) = service.events
    assert event["source"] == "openbot.memory"
    assert event["detail-type"] == "Memory Changed"
    assert event["detail"] == {
        "organization": "acme",
        "session": session,
        "keys": ["a"],
        "trigger": "person",
        "revision": view["session"]["revision"],
    }


def test_a_change_costs_one_round_of_reading_and_one_transaction(service: Service) -> None:
    session = service.session()
    seen = service.get(f"/v1/sessions/{session}")["session"]
    service.requests.clear()

    command = {"_tag": "Remember", "key": "a", "content": "b", "kind": "fact"}
    body = {"expected": seen["head"], "revision": seen["revision"], "command": command}
    service.post(f"/v1/sessions/{session}/memory", body)

    assert sorted(name for name, _ in service.requests) == ["BatchGetItem", "Query", "TransactWriteItems"]
    (write,) = (params for name, params in service.requests if name == "TransactWriteItems")
    assert len(write["TransactItems"]) == 4
