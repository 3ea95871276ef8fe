"""S5 to S8: what a model proposes, and what becomes of it."""

import pytest
from service import Json, Script, Service, context

from openbot_memory.domain.errors import ModelFailed
from openbot_memory.domain.facts import Kind
from openbot_memory.domain.rules import Malformed, Proposal
from openbot_memory.models.port import Question

FAILS = ModelFailed("The model did not answer in time.")


def fact(key: str, *sources: str, content: str = "Something.", kind: Kind = Kind.FACT) -> Proposal:
    return Proposal(key=key, content=content, kind=kind, sources=sources)


def state(service: Service, session: str) -> Json:
    return service.get(f"/v1/sessions/{session}")["memory"]["consolidation"]


def log(service: Service, session: str) -> list[Json]:
    return service.get(f"/v1/sessions/{session}/memory/log")["log"]


def script(service: Service, *answers: Script) -> None:
    for answer in answers:
        service.model.script.put(answer)


def test_a_finished_turn_is_read_by_its_model_and_becomes_facts_with_their_sources(service: Service) -> None:
    """S5."""
    session = service.session(model="of-the-session")
    before = service.turn(session, "t-1", "My budget is 1500 EUR.", model="of-the-turn")["session"]
    script(service, [fact("budget", "i-01", content="The budget is 1500 EUR.")])

    service.deliver()

    memory = service.get(f"/v1/sessions/{session}/memory")
    assert memory["entries"]["budget"]["sources"] == ["i-01"]
    assert memory["processed"] == ["i-01"]
    assert service.model.models == ["of-the-turn"]
    after = service.get(f"/v1/sessions/{session}")["session"]
    assert after["revision"] == before["revision"] + 1
    assert after["head"] != before["head"]
    assert state(service, session)["tokens"] == {"input": 100, "output": 10}
    (row,) = log(service, session)
    assert (row["trigger"], row["keys"], row["model"]) == ("consolidation", ["budget"], "of-the-turn")
    assert row["tokens"] == {"input": 100, "output": 10}


def test_a_conversation_is_learned_from_with_the_offline_model(service: Service) -> None:
    session = service.session(model="offline")

    service.turn(session, "t-1", "My trip budget is 1500 EUR.", "I prefer short answers.", model="offline")
    service.turn(session, "t-2", "Wir haben entschieden, dass wir mit dem Zug fahren.", model="offline")
    service.deliver()

    kinds = [entry["kind"] for entry in service.entries(session).values()]
    assert sorted(kinds) == ["decision", "fact", "preference"]


def test_only_unread_items_are_shown_and_never_twice(service: Service) -> None:
    session = service.session()
    for number in range(1, 4):
        service.turn(session, f"t-{number}", f"Sentence {number}.")
        service.deliver()

    assert [[item.id for item in question.items] for question in service.model.questions] == [
        ["i-01"],
        ["i-02"],
        ["i-03"],
    ]


def test_an_event_that_comes_again_late_and_out_of_order_asks_no_model(service: Service) -> None:
    session = service.session()
    service.turn(session, "t-1", "One.")
    service.turn(session, "t-2", "Two.")
    events = list(service.events)
    service.events = [*reversed(events), *events, *events]

    service.deliver()

    assert len(service.model.questions) == 1
    assert state(service, session)["waiting"] == 0


def test_a_turn_without_a_model_changes_nothing_and_its_items_wait(service: Service) -> None:
    session = service.session()
    service.turn(session, "t-1", "An app did it.", model=None)
    service.deliver()
    assert (len(service.model.questions), state(service, session)["waiting"]) == (0, 1)

    service.turn(session, "t-2", "Hello.")
    service.deliver()

    assert [len(question.items) for question in service.model.questions] == [2]


@pytest.mark.parametrize("status", ["cancelled", "failed"])
def test_the_items_of_a_turn_that_did_not_finish_wait_for_the_next_one_that_does(service: Service, status: str) -> None:
    session = service.session()
    service.turn(session, "t-1", "One.")
    stale = list(service.events)
    service.deliver()
    service.turn(session, "t-2", "Two.", status=status)

    service.events = stale
    service.deliver()
    assert (len(service.model.questions), state(service, session)["waiting"]) == (1, 1)

    service.turn(session, "t-3", "Three.")
    service.deliver()
    assert [item.id for item in service.model.questions[-1].items] == ["i-02", "i-03"]


def test_a_change_made_by_hand_is_never_shown_to_the_model_nor_taken_as_a_source(service: Service) -> None:
    """S11."""
    session = service.session()
    service.remember(session, "a")
    service.turn(session, "t-1", "One.")
    script(service, [fact("b", "i-01"), fact("c", "i-01", "i-02")])

    service.deliver()

    assert [item.id for item in service.model.questions[0].items] == ["i-02"]
    assert service.entries(session)["c"]["sources"] == ["i-02"]
    assert log(service, session)[0]["dropped"] == [{"key": "b", "reason": "no-unread-source"}]


def test_a_change_that_a_person_makes_while_the_model_works_survives(service: Service) -> None:
    """S5: a proposal for a key that changed since the model's snapshot is dropped."""
    session = service.session()
    service.remember(session, "a", "Old.")
    service.remember(session, "b", "Old.")

    def meanwhile(_: Question) -> list[Proposal | Malformed]:
        service.remember(session, "a", "By hand.")
        service.forget(session, "b")
        service.remember(session, "new", "By hand.")
        return [fact(key, "i-03") for key in ("a", "b", "new", "c")]

    service.turn(session, "t-1", "One.")
    script(service, meanwhile)
    service.deliver()

    entries = service.entries(session)
    assert {key: (entry["content"], entry["status"]) for key, entry in entries.items()} == {
        "a": ("By hand.", "active"),
        "b": ("Old.", "retracted"),
        "new": ("By hand.", "active"),
        "c": ("Something.", "active"),
    }
    assert {(row["key"], row["reason"]) for row in log(service, session)[0]["dropped"]} == {
        ("a", "changed-meanwhile"),
        ("b", "retracted"),
        ("new", "changed-meanwhile"),
    }


def test_a_retracted_fact_stays_retracted_whatever_the_model_says(service: Service) -> None:
    session = service.session()
    service.remember(session, "a")
    service.forget(session, "a")
    service.turn(session, "t-1", "It is so.")
    script(service, [fact("a", "i-03")])

    service.deliver()

    assert service.entries(session)["a"]["status"] == "retracted"
    assert log(service, session)[0]["dropped"] == [{"key": "a", "reason": "retracted"}]


def test_a_change_that_breaks_a_rule_is_dropped_alone_and_the_items_count_as_read(service: Service) -> None:
    """S6."""
    session = service.session()
    service.turn(session, "t-1", "One.")
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    script(
        service,
        [
            fact("good", "i-01", "i-99", "nonsense"),
            fact("good", "i-01", content="Again."),
            fact("forged", "i-99"),
            fact("pin", "i-01", content=secret),
            fact(secret, "i-01"),
            fact("long", "i-01", content="x" * 2001),
            Malformed("broken"),
            Proposal(key="gone", sources=("i-01",)),
        ],
    )

    service.deliver()

    assert {key: entry["sources"] for key, entry in service.entries(session).items()} == {"good": ["i-01"]}
    assert [(row["key"], row["reason"]) for row in log(service, session)[0]["dropped"]] == [
        ("good", "second-change-of-key"),
        ("forged", "no-unread-source"),
        ("pin", "secret"),
        ("", "secret"),
        ("long", "too-long"),
        ("broken", "invalid"),
        ("gone", "unknown-key"),
    ]
    assert state(service, session)["waiting"] == 0


def test_a_preference_needs_a_users_words(service: Service) -> None:
    """S7."""
    session = service.session()
    said = [{"type": "message", "role": role, "text": "Short answers."} for role in ("assistant", "user")]
    service.post(f"/v1/sessions/{session}/turns", {"turn": "t-1", "model": "test", "items": said})
    script(service, [fact("a", "i-01", kind=Kind.PREFERENCE), fact("b", "i-01", "i-02", kind=Kind.PREFERENCE)])

    service.deliver()

    assert set(service.entries(session)) == {"b"}
    assert log(service, session)[0]["dropped"] == [{"key": "a", "reason": "preference-without-user"}]


def test_a_thousand_proposals_are_bounded_and_the_turn_is_read(service: Service) -> None:
    session = service.session()
    service.turn(session, "t-1", "One.")
    script(service, [fact(f"k-{n}", "i-01") for n in range(1000)])

    service.deliver()

    assert 0 < len(service.entries(session)) < 1000
    assert state(service, session)["waiting"] == 0


def test_a_failure_is_stored_nothing_is_read_and_the_next_finished_turn_tries_again(service: Service) -> None:
    """S8."""
    session = service.session()
    before = service.turn(session, "t-1", "One.")["session"]
    script(service, FAILS)
    service.deliver()

    memory = service.get(f"/v1/sessions/{session}/memory")
    assert memory["error"] | {"at": 0} == {"message": str(FAILS), "at": 0, "attempts": 1}
    assert memory["processed"] == []
    after = service.get(f"/v1/sessions/{session}")["session"]
    assert (after["head"], after["revision"]) == (before["head"], before["revision"] + 1)

    service.turn(session, "t-2", "Two.")
    service.deliver()

    assert "error" not in service.get(f"/v1/sessions/{session}/memory")
    assert [[item.id for item in question.items] for question in service.model.questions] == [
        ["i-01"],
        ["i-01"],
        ["i-02"],
    ]


def test_generate_off_stops_the_step_also_when_it_is_switched_off_while_the_model_works(service: Service) -> None:
    session = service.session()

    def meanwhile(_: Question) -> list[Proposal | Malformed]:
        service.change(session, {"_tag": "Configure", "generate": False})
        return [fact("a", "i-01")]

    service.turn(session, "t-1", "One.")
    script(service, meanwhile)
    service.deliver()
    service.turn(session, "t-2", "Two.")
    service.deliver()

    assert len(service.model.questions) == 1
    assert service.entries(session) == {}
    assert state(service, session)["waiting"] == 2


def test_a_long_turn_is_read_in_bounded_batches_oldest_first(service: Service) -> None:
    session = service.session()
    service.turn(session, "t-1", *(f"Sentence {n}." for n in range(120)))

    service.deliver()

    assert [len(question.items) for question in service.model.questions] == [50, 50, 20]
    assert [question.items[0].number for question in service.model.questions] == [1, 51, 101]


def test_what_there_is_no_time_for_is_left_to_an_event(service: Service) -> None:
    session = service.session()
    service.turn(session, "t-1", *(f"Sentence {n}." for n in range(60)))
    (event,) = service.events
    service.functions["consolidate"].handler(event, context(left=1000))

    assert service.model.questions == []
    rest = service.events.pop()
    assert rest["detail-type"] == "Consolidation Requested"
    service.started_by(rest)
    assert state(service, session)["waiting"] == 0


def test_a_batch_that_can_never_succeed_is_halved_and_its_last_item_passed_over(service: Service) -> None:
    """S8: tried 3 times as it was, then halved; a single item is passed over at its fifth failure."""
    session = service.session()
    service.turn(session, "t-1", "One.", "Two.")
    service.events.clear()
    sizes = list[int]()
    for attempt in range(1, 14):
        script(service, FAILS)
        reply = service.change(session, {"_tag": "Refresh"})
        sizes.append(len(service.model.questions[-1].items))
        if attempt in {8, 13}:
            assert reply.status == 200, reply
        else:
            assert (reply.status, reply.body["_tag"]) == (502, "ModelFailed")

    assert sizes == [2, 2, 2] + [1] * 10
    assert state(service, session)["waiting"] == 0
    assert [row["dropped"] for row in log(service, session)] == [
        [{"key": "i-02", "reason": "unreadable"}],
        [{"key": "i-01", "reason": "unreadable"}],
    ]
    assert state(service, session)["error"] is None


def test_newer_items_wait_while_a_failed_batch_is_tried_again_as_it_was(service: Service) -> None:
    session = service.session()
    service.turn(session, "t-1", "One.")
    script(service, FAILS, FAILS)
    service.deliver()
    service.turn(session, "t-2", "Two.", "Three.")
    service.deliver()

    service.turn(session, "t-3", "Four.")
    service.deliver()

    shown = [[item.id for item in question.items] for question in service.model.questions]
    assert shown == [["i-01"], ["i-01"], ["i-01"], ["i-02", "i-03", "i-04"]]


def test_a_refresh_reads_with_the_sessions_model_also_when_generate_is_off(service: Service) -> None:
    """S10."""
    session = service.session(model="of-the-session")
    service.change(session, {"_tag": "Configure", "generate": False})
    service.turn(session, "t-1", "One.", model="of-the-turn", status="cancelled")
    script(service, [fact("a", "i-01")])

    reply = service.change(session, {"_tag": "Refresh"})

    assert reply.status == 200
    assert service.model.models == ["of-the-session"]
    assert set(service.entries(session)) == {"a"}
    assert reply.body == service.get(f"/v1/sessions/{session}")


def test_a_refresh_with_nothing_unread_asks_no_model_and_changes_nothing(service: Service) -> None:
    session = service.session()
    before = service.get(f"/v1/sessions/{session}")

    reply = service.change(session, {"_tag": "Refresh"})

    assert (reply.status, reply.body) == (200, before)
    assert service.model.questions == []


def test_a_failing_refresh_is_502_and_its_error_is_stored(service: Service) -> None:
    session = service.session()
    service.turn(session, "t-1", "One.")
    script(service, FAILS)

    reply = service.change(session, {"_tag": "Refresh"})

    assert (reply.status, reply.body["_tag"]) == (502, "ModelFailed")
    assert reply.body["revision"] == service.get(f"/v1/sessions/{session}")["session"]["revision"]
    assert state(service, session)["error"]["attempts"] == 1


def test_a_refresh_leaves_what_does_not_fit_one_batch_to_an_event(service: Service) -> None:
    session = service.session()
    service.change(session, {"_tag": "Configure", "generate": False})
    service.turn(session, "t-1", *(f"Sentence {n}." for n in range(60)))
    service.events.clear()

    reply = service.change(session, {"_tag": "Refresh"})

    assert reply.body["memory"]["consolidation"]["waiting"] == 10
    service.deliver()
    assert state(service, session)["waiting"] == 0


def test_a_consolidation_leaves_the_field_to_the_one_that_holds_the_lease(service: Service) -> None:
    session = service.session()

    def second_worker(_: Question) -> list[Proposal | Malformed]:
        service.started_by(again)
        return [fact("a", "i-01")]

    service.turn(session, "t-1", "One.")
    (again,) = service.events
    script(service, second_worker)
    service.deliver()

    assert len(service.model.questions) == 1
    assert set(service.entries(session)) == {"a"}


def test_items_that_arrive_while_a_consolidation_works_are_read_though_their_own_event_met_the_lease(
    service: Service,
) -> None:
    session = service.session()

    def more_arrives(_: Question) -> list[Proposal | Malformed]:
        service.turn(session, "t-2", "Two.")
        service.started_by(service.events.pop())
        return []

    service.turn(session, "t-1", "One.")
    script(service, more_arrives)
    service.deliver()

    assert [[item.id for item in question.items] for question in service.model.questions] == [["i-01"], ["i-02"]]


@pytest.mark.parametrize(
    "broken",
    [
        {"detail": {}},
        {"detail": {"organization": "a#b", "session": "s", "model": "m", "agent": None}},
        {"detail": {"organization": "acme", "session": 7, "model": "m", "agent": None}},
        {"detail-type": "Something Else"},
    ],
)
def test_a_malformed_event_raises_so_that_it_is_kept(service: Service, broken: Json) -> None:
    service.turn(service.session(), "t-1", "One.")

    with pytest.raises(ValueError, match=r"validation error|does not handle"):
        service.functions["consolidate"].handler(service.events[0] | broken, context())


def test_an_event_of_a_session_that_is_gone_is_done(service: Service) -> None:
    service.turn(service.session(), "t-1", "One.")
    event = service.events.pop()

    service.started_by(event | {"detail": event["detail"] | {"session": "gone", "newField": 1}})

    assert service.model.questions == []
