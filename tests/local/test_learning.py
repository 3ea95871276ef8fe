"""From a finished turn to a fact: HTTP API, Lambda, DynamoDB, EventBridge, Lambda, Bedrock, and back (S5-S8, S10)."""

import threading

from local_stack import LONGEST, MODEL, Session, changes, fact
from model_server import Json, ModelServer, Reply


def test_a_proposal_becomes_a_fact_with_its_sources(session: Session, model: ModelServer) -> None:
    """S5: the unread items are read by the turn's model, once."""
    model.says(changes(fact("budget", "The trip budget is 1500 EUR.", "i-01")))

    session.say("t-1", "My trip budget is 1500 EUR.", "Hello.")
    state = session.read()

    entry = session.entries["budget"]
    assert (entry["content"], entry["sources"]) == ("The trip budget is 1500 EUR.", ["i-01"])
    assert session.get("/memory")["processed"] == ["i-01", "i-02"]
    (row,) = session.log
    assert (row["trigger"], row["keys"], row["dropped"], row["model"]) == ("consolidation", ["budget"], [], MODEL)
    assert state["error"] is None
    assert state["tokens"] == row["tokens"]
    assert row["tokens"]["input"] > 0


def test_the_model_is_asked_once_for_one_call_of_one_tool(session: Session, model: ModelServer) -> None:
    """S7, S8: the request as it reaches a real server."""
    session.say("t-1", "My trip budget is 1500 EUR.")
    session.read()

    (request,) = model.requests
    ((tool,), choice) = request["tools"], request["tool_choice"]
    assert request["model"] == MODEL
    assert tool["function"]["name"] == choice["function"]["name"]
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert "Never keep passwords" in request["messages"][0]["content"]
    assert '"id": "i-01"' in request["messages"][1]["content"]
    assert "1500 EUR" in request["messages"][1]["content"]


def test_a_proposal_without_a_source_is_dropped_alone_and_the_log_says_why(
    session: Session, model: ModelServer
) -> None:
    """S6: a forged source does not count."""
    model.says(changes(fact("none", "It is so."), fact("forged", "It is so.", "i-99"), fact("good", "Hello.", "i-01")))

    session.say("t-1", "Hello.")
    session.read()

    assert session.entries.keys() == {"good"}
    assert session.log[0]["dropped"] == [
        {"key": "none", "reason": "no-unread-source"},
        {"key": "forged", "reason": "no-unread-source"},
    ]


def test_a_persons_change_survives_a_consolidation_under_way(session: Session, model: ModelServer) -> None:
    """S5: the proposal for a key that changed since the model's snapshot is dropped."""
    asked, may_answer = threading.Event(), threading.Event()

    def slow(_: Json) -> Json:
        asked.set()
        assert may_answer.wait(LONGEST)
        return changes(fact("budget", "The budget is 1500 EUR.", "i-02"), fact("city", "Rome.", "i-02"))

    session.remember("budget", "The budget is 1000 EUR.")
    model.says(slow)
    session.say("t-1", "My budget is 1500 EUR, and I go to Rome.")
    try:
        assert asked.wait(LONGEST)
        session.remember("budget", "The budget is 2000 EUR.")
    finally:
        may_answer.set()
    session.read()

    assert {key: entry["content"] for key, entry in session.entries.items()} == {
        "budget": "The budget is 2000 EUR.",
        "city": "Rome.",
    }
    assert session.log[0]["dropped"] == [{"key": "budget", "reason": "changed-meanwhile"}]
    assert len(model.requests) == 1


def test_a_refresh_answers_502_with_a_failing_model_and_200_with_a_good_one(
    session: Session, model: ModelServer
) -> None:
    """S10; `generate` is off, so that only the Refresh asks."""
    assert session.change("Configure", generate=False).status_code == 200
    session.say("t-1", "Hello.")
    before = session.get()["session"]
    model.says(Reply(text="I would rather talk."), changes(fact("greeting", "Ana said hello.", "i-01")))

    failed = session.change("Refresh")

    assert (failed.status_code, failed.json()["_tag"]) == (502, "ModelFailed")
    after = session.get()["session"]
    assert (failed.json()["head"], failed.json()["revision"]) == (after["head"], after["revision"])
    assert after["head"] == before["head"]
    assert session.consolidation["error"]["attempts"] == 1

    good = session.change("Refresh")

    assert good.status_code == 200
    assert good.json() == session.get()
    assert session.entries["greeting"]["sources"] == ["i-01"]
    assert session.consolidation["error"] is None
    assert len(model.requests) == 2


def test_a_refresh_with_nothing_unread_asks_no_model(session: Session, model: ModelServer) -> None:
    """S10."""
    before = session.get()

    assert session.change("Refresh").json() == before
    assert model.requests == []
