"""S12: fork, rewind, and what goes with them."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError
from service import Json, Reply, Service

from openbot_memory.domain.rules import Malformed, Proposal
from openbot_memory.models.port import Question


def head(service: Service, session: str) -> str:
    return service.get(f"/v1/sessions/{session}")["session"]["head"]


def fork(service: Service, session: str, **body: object) -> str:
    return service.post(f"/v1/sessions/{session}/fork", body)["session"]["id"]


def rewind(service: Service, session: str, to: str) -> Reply:
    seen = service.get(f"/v1/sessions/{session}")["session"]
    body = {"to": to, "expected": seen["head"], "revision": seen["revision"]}
    return service.call("POST", f"/v1/sessions/{session}/rewind", body)


def shown(service: Service, session: str) -> Json:
    """All that the API shows of a session's memory and history, but for what is told of the session itself."""
    path = f"/v1/sessions/{session}"
    memory, instructions = service.get(f"{path}/memory"), service.get(f"{path}/instructions")
    return {"memory": memory, "items": service.get(f"{path}/items")["items"], "text": instructions["text"]}


def refused_everywhere(service: Service, copy: str, version: str) -> None:
    """Neither a rewind nor a fork of the fork reaches the version, and nothing of it is shown."""
    assert rewind(service, copy, version).body["_tag"] == "VersionNotFound"
    reply = service.call("POST", f"/v1/sessions/{copy}/fork", {"at": version})
    assert (reply.status, reply.body["_tag"]) == (404, "VersionNotFound")


def test_a_fork_of_an_early_version_does_not_reach_what_its_source_did_later(service: Service) -> None:
    """S12: also not through a fork of the fork."""
    session = service.session()
    early = service.remember(session, "a", "Early.")["session"]["head"]
    turn = service.turn(session, "t-1", "Later words.", model=None)["session"]["head"]
    late = service.remember(session, "b", "Later.")["session"]["head"]

    copy = fork(service, session, at=early)
    child = fork(service, copy)

    for descendant in (copy, child):
        for version in (turn, late):
            refused_everywhere(service, descendant, version)
        assert "Later" not in str(service.get(f"/v1/sessions/{descendant}/export"))
    assert rewind(service, session, early).status == 200
    assert rewind(service, session, late).status == 200


def test_a_fork_does_not_reach_what_its_source_had_left_by_rewinding(service: Service) -> None:
    """S12: the source itself still does."""
    session = service.session()
    first = service.remember(session, "a", "Kept.")["session"]["head"]
    left = service.remember(session, "b", "Left.")["session"]["head"]
    assert rewind(service, session, first).status == 200
    service.remember(session, "c", "After.")

    copy = fork(service, session)

    refused_everywhere(service, copy, left)
    assert rewind(service, copy, first).status == 200
    assert rewind(service, session, left).status == 200


def test_a_deleted_source_keeps_only_what_its_forks_may_see(service: Service) -> None:
    """S12: rows of what it did after the forked version, or had left, are deleted with it."""
    session = service.session()
    first = service.remember(session, "a", "Kept words.")["session"]["head"]
    service.turn(session, "t-1", "Left words.", model=None)
    assert rewind(service, session, first).status == 200
    middle = service.turn(session, "t-2", "Shared words.", model=None)["session"]["head"]
    service.turn(session, "t-3", "Later words.", model=None)
    copy = fork(service, session, at=middle)

    assert service.call("DELETE", f"/v1/sessions/{session}", {}, caller="admin").status == 200
    service.deliver()

    table = str(service.client.scan(TableName="memory")["Items"])
    assert [words in table for words in ("Kept", "Shared", "Left", "Later")] == [True, True, False, False]
    assert [item.get("text") for item in service.get(f"/v1/sessions/{copy}/items")["items"]] == [None, "Shared words."]
    assert rewind(service, copy, first).status == 200


@pytest.fixture
def grown(service: Service) -> tuple[str, list[tuple[str, Json]]]:
    """A session, and its versions in order, each with what was shown at it."""
    session = service.session()
    states = [(head(service, session), shown(service, session))]
    steps: list[Callable[[], object]] = [
        lambda: service.remember(session, "a", "First."),
        lambda: service.turn(session, "t-1", "One.", "Two."),
        lambda: learn(service, "b", "i-02"),
        lambda: service.forget(session, "a"),
        lambda: service.remember(session, "b", "By hand."),
        lambda: service.turn(session, "t-2", "Three.", status="cancelled"),
        lambda: service.remember(session, "c", "Third."),
    ]
    for step in steps:
        step()
        states.append((head(service, session), shown(service, session)))
    return session, states


def learn(service: Service, key: str, source: str) -> None:
    service.model.script.put([Proposal(key=key, content="Learned.", sources=(source,))])
    service.deliver()


def test_going_back_and_forward_restores_each_version_whole(
    service: Service, grown: tuple[str, list[tuple[str, Json]]]
) -> None:
    session, states = grown
    revision = service.get(f"/v1/sessions/{session}")["session"]["revision"]

    for version, state in [*reversed(states), *states, states[3], states[-1]]:
        reply = rewind(service, session, version)
        revision += 1
        assert reply.status == 200
        assert (reply.body["session"]["head"], reply.body["session"]["revision"]) == (version, revision)
        assert shown(service, session) == state
        service.deliver()


def test_a_fork_at_any_version_has_the_memory_and_history_of_that_version(
    service: Service, grown: tuple[str, list[tuple[str, Json]]]
) -> None:
    session, states = grown

    for version, state in states:
        copy = fork(service, session, at=version)
        view = service.get(f"/v1/sessions/{copy}")["session"]
        assert shown(service, copy) == state
        assert (view["head"], view["revision"]) == (version, 1)
        assert view["forkedFrom"] == {"session": session, "version": version}
    assert shown(service, fork(service, session)) == states[-1][1]


def test_after_a_fork_neither_sees_the_others_changes(service: Service) -> None:
    session = service.session()
    service.remember(session, "a", "Common.")
    copy = fork(service, session)

    service.remember(session, "a", "In the source.")
    service.remember(copy, "b", "In the fork.")
    service.turn(copy, "t-1", "Said in the fork.")

    assert {key: entry["content"] for key, entry in service.entries(session).items()} == {"a": "In the source."}
    assert {key: entry["content"] for key, entry in service.entries(copy).items()} == {
        "a": "Common.",
        "b": "In the fork.",
    }
    assert [item["id"] for item in service.get(f"/v1/sessions/{copy}/items")["items"]] == ["i-01", "i-02", "i-03"]
    assert [item["id"] for item in service.get(f"/v1/sessions/{session}/items")["items"]] == ["i-01", "i-02"]


def test_a_fork_goes_back_to_before_the_fork_and_forward_again(
    service: Service, grown: tuple[str, list[tuple[str, Json]]]
) -> None:
    session, states = grown
    copy = fork(service, fork(service, session))
    service.remember(copy, "own")
    own = (head(service, copy), shown(service, copy))

    for version, state in [*states, own, states[1]]:
        assert rewind(service, copy, version).status == 200
        assert shown(service, copy) == state


def test_a_version_that_the_source_made_after_the_fork_is_unknown_in_the_fork(service: Service) -> None:
    session = service.session()
    copy = fork(service, session)
    later = service.remember(session, "a")["session"]["head"]

    reply = rewind(service, copy, later)

    assert (reply.status, reply.body["_tag"]) == (404, "VersionNotFound")


@pytest.mark.parametrize("version", ["v-000000001", "v-", "nonsense", "v-" + "f" * 90, "v-0000000099999999999999"])
def test_an_unknown_version_is_404_and_changes_nothing(service: Service, version: str) -> None:
    session = service.session()
    before = service.get(f"/v1/sessions/{session}")

    assert rewind(service, session, version).status == 404
    assert service.call("POST", f"/v1/sessions/{session}/fork", {"at": version}).status == 404
    assert service.get(f"/v1/sessions/{session}") == before


def test_a_stale_rewind_is_a_conflict(service: Service) -> None:
    session = service.session()
    first = service.get(f"/v1/sessions/{session}")["session"]
    service.remember(session, "a")

    body = {"to": first["head"], "expected": first["head"], "revision": first["revision"]}
    reply = service.call("POST", f"/v1/sessions/{session}/rewind", body)

    assert (reply.status, reply.body["_tag"]) == (409, "SessionConflict")


def test_overrides_survive_a_rewind_and_are_copied_by_a_fork(service: Service) -> None:
    session = service.session()
    first = head(service, session)
    service.remember(session, "a")
    service.change(session, {"_tag": "Configure", "use": False})

    rewind(service, session, first)

    assert service.get(f"/v1/sessions/{session}")["memory"]["overrides"] == {"use": False}
    copy = fork(service, session)
    assert service.get(f"/v1/sessions/{copy}")["memory"]["overrides"] == {"use": False}


def test_ids_are_never_used_twice_on_any_branch(service: Service) -> None:
    session = service.session()
    first = head(service, session)
    items, versions = list[str](), {first}
    for number in range(4):
        view = service.turn(session, f"t-{number}", "One.")
        versions.add(view["session"]["head"])
        items += [item["id"] for item in service.get(f"/v1/sessions/{session}/items")["items"]]
        rewind(service, session, first)

    assert items == ["i-01", "i-02", "i-03", "i-04"]
    assert len(versions) == 5


def test_what_was_read_on_a_branch_that_was_left_is_unread_again_and_no_source(service: Service) -> None:
    session = service.session()
    before = service.turn(session, "t-1", "One.")["session"]["head"]
    learn(service, "a", "i-01")
    rewind(service, session, before)
    assert service.get(f"/v1/sessions/{session}")["memory"]["consolidation"]["waiting"] == 1
    service.turn(session, "t-2", "Two.")

    service.model.script.put([Proposal(key="b", content="c", sources=("i-01", "i-02"))])
    service.deliver()

    assert service.entries(session)["b"]["sources"] == ["i-01", "i-02"]
    assert service.get(f"/v1/sessions/{session}/memory")["processed"] == ["i-01", "i-02"]


def test_proposals_count_only_where_their_items_are_still_in_the_timeline(service: Service) -> None:
    session = service.session()
    first = head(service, session)

    def going_back(_: Question) -> list[Proposal | Malformed]:
        rewind(service, session, first)
        return [Proposal(key="a", content="c", sources=("i-01",))]

    service.turn(session, "t-1", "One.")
    service.model.script.put(going_back)
    service.deliver()

    assert service.entries(session) == {}
    assert service.get(f"/v1/sessions/{session}/memory")["processed"] == []
    assert service.get(f"/v1/sessions/{session}/items")["items"] == []


def test_a_fork_made_while_the_model_works_has_its_items_unread(service: Service) -> None:
    session = service.session()
    copies = list[str]()

    def forking(_: Question) -> list[Proposal | Malformed]:
        copies.append(fork(service, session))
        return [Proposal(key="a", content="c", sources=("i-01",))]

    service.turn(session, "t-1", "One.")
    service.model.script.put(forking)
    service.deliver()

    assert set(service.entries(session)) == {"a"}
    assert service.entries(copies[0]) == {}
    assert service.get(f"/v1/sessions/{copies[0]}")["memory"]["consolidation"]["waiting"] == 1


def test_the_log_keeps_every_branch_and_says_where_it_went(service: Service) -> None:
    session = service.session()
    first = head(service, session)
    service.remember(session, "a")
    rewind(service, session, first)
    service.remember(session, "b")
    copy = fork(service, session)

    log = service.get(f"/v1/sessions/{session}/memory/log")["log"]

    assert [(row["trigger"], row["keys"]) for row in log] == [("person", ["b"]), ("rewind", []), ("person", ["a"])]
    assert log[1]["version"] == first
    (begun,) = service.get(f"/v1/sessions/{copy}/memory/log")["log"]
    assert (begun["trigger"], begun["version"]) == ("fork", head(service, session))


def test_a_fork_under_an_id_that_exists_is_refused_and_that_session_stays_as_it_is(service: Service) -> None:
    session, other = service.session(), service.session(id="taken")
    service.remember(session, "a")
    service.remember(other, "b")
    before = shown(service, other)

    reply = service.call("POST", f"/v1/sessions/{session}/fork", {"id": "taken"})

    assert (reply.status, reply.body["_tag"]) == (409, "SessionExists")
    assert shown(service, other) == before


def test_cleaning_after_a_rewind_leaves_only_what_is_current(service: Service) -> None:
    session = service.session()
    service.remember(session, "a")
    version = head(service, session)
    for key in "bcd":
        service.remember(session, key)
    rewind(service, session, version)
    state = shown(service, session)
    assert fact_rows(service) == 5

    service.deliver()

    assert fact_rows(service) == 1
    assert shown(service, session) == state


def fact_rows(service: Service) -> int:
    rows = service.client.scan(TableName="memory")["Items"]
    return sum(row["sk"]["S"].startswith("M#") for row in rows)


def stop_before(service: Service, number: int) -> None:
    """Let that many more DynamoDB requests pass, and lose the connection from then on."""
    left = [number]

    def stop(**_: Any) -> None:  # noqa: ANN401
        left[0] -= 1
        if left[0] < 0:
            raise EndpointConnectionError(endpoint_url="http://gone")

    service.client_of_functions.meta.events.register_first("provide-client-params.dynamodb.*", stop, unique_id="stop")


def test_a_rewind_or_fork_stopped_after_any_request_is_seen_whole_or_not_at_all(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = service.session()
    first = head(service, session)
    empty = shown(service, session)
    for key in range(30):
        service.remember(session, f"k-{key:02}")
    service.turn(session, "t-1", "One.")
    latest, full = head(service, session), shown(service, session)
    monkeypatch.setattr("openbot_memory.store.table.LONGEST_WAIT", 0)
    for target, before, after in ((first, full, empty), (latest, empty, full)):
        _everywhere(service, lambda target=target: rewind(service, session, target), session, before, after)
    copies = 0
    for number in range(50):
        stop_before(service, number)
        reply = service.call("POST", f"/v1/sessions/{session}/fork", {"id": f"copy-{number}"})
        go_on(service)
        found = service.call("GET", f"/v1/sessions/copy-{number}")
        assert found.status == (200 if reply.status == 201 else 404)
        if reply.status == 201:
            assert shown(service, f"copy-{number}") == full
            copies += 1
            break
    assert copies == 1


def _everywhere(service: Service, work: Callable[[], Reply], session: str, before: Json, after: Json) -> None:
    for number in range(50):
        stop_before(service, number + 1)  # one to see what is expected
        try:
            reply = work()
            status = reply.status
        except AssertionError:
            status = 503
        go_on(service)
        assert shown(service, session) == (after if status == 200 else before), number
        if status == 200:
            return
    raise AssertionError("the work never ended")


def go_on(service: Service) -> None:
    service.client_of_functions.meta.events.unregister("provide-client-params.dynamodb.*", unique_id="stop")
