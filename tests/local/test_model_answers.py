"""Whatever a model answers, the turn is finished, every rule holds, and the next turn makes up for it (S6, S8)."""

import json

import pytest
from local_stack import Session, changes, fact
from model_server import Json, ModelServer, Reply

TOOL = "update_memory"
GOOD = json.dumps(changes(fact("greeting", "Ana said hello.", "i-01")))
UNKNOWN_MODEL = "arn:aws:bedrock:eu-central-1:000000000000:no-such-thing/model"

FAULTS: dict[str, Reply] = {
    "prose": Reply(text="Ana said hello, so I would keep that."),
    "prose with the right JSON in it": Reply(text=f"```json\n{GOOD}\n```"),
    "nothing": Reply(),
    "truncated JSON": Reply(calls=((TOOL, GOOD[:-20]),), cut_off=True),
    "two calls": Reply(calls=((TOOL, GOOD), (TOOL, GOOD))),
    "another tool": Reply(calls=(("send_mail", GOOD),)),
    "no object": Reply(calls=((TOOL, "[]"),)),
    "no list": Reply(calls=((TOOL, '{"changes": {}}'),)),
    "a refusal": Reply(text="I cannot help with that.", refused=True),
    "3 MB, and then cut off": Reply(calls=((TOOL, GOOD[:-2] + "," * 3_000_000),), cut_off=True),
    "HTTP 429": Reply(text="Too many requests.", status=429),
    "HTTP 500": Reply(text="Something broke.", status=500),
    "a closed connection": Reply(status=0),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failing_model_fails_no_turn_and_the_next_good_turn_reads_everything(
    session: Session, model: ModelServer, fault: str
) -> None:
    """S8: the error is stored, no item counts as read, and the failed batch is tried again unchanged, in one call."""
    model.says(FAULTS[fault])
    before = session.say("t-1", "Hello.")["session"]

    error = session.failed()

    assert error["attempts"] == 1
    assert "hello" not in error["message"].lower()
    assert session.get()["session"]["head"] == before["head"]
    memory = session.get("/memory")
    assert (memory["entries"], memory["processed"]) == ({}, [])
    assert memory["error"] == error
    assert len(model.requests) == 1

    model.says(json.loads(GOOD))
    session.say("t-2", "Hello again.")

    assert session.read()["error"] is None
    assert session.entries["greeting"]["sources"] == ["i-01"]
    assert "error" not in session.get("/memory")
    assert [shown(request) for request in model.requests] == [["i-01"], ["i-01"], ["i-02"]]


def test_an_unknown_model_is_an_error_like_any_other(session: Session, model: ModelServer) -> None:
    """S8: an error of Converse itself, whose message is not stored."""
    session.say("t-1", "Hello.", model=UNKNOWN_MODEL)

    error = session.failed()

    assert error["message"] == "The model does not take this request."
    assert model.requests == []

    session.say("t-2", "Hello again.")

    assert session.read()["error"] is None
    assert [shown(request) for request in model.requests] == [["i-01"], ["i-02"]]


def test_text_beside_the_one_call_is_ignored(session: Session, model: ModelServer) -> None:
    """S6: it is still one call of the tool."""
    model.says(Reply(text="Noted.", calls=((TOOL, GOOD),)))

    session.say("t-1", "Hello.")

    assert session.read()["error"] is None
    assert session.entries.keys() == {"greeting"}
    assert len(model.requests) == 1


def test_a_thousand_changes_are_bounded_and_the_turn_is_read(session: Session, model: ModelServer) -> None:
    """S6: the changes over the limit are dropped, and the log says so."""
    model.says(changes(*(fact(f"key-{number}", "Hello.", "i-01") for number in range(1000))))

    session.say("t-1", "Hello.")

    assert session.read()["error"] is None
    entries = session.entries
    assert 0 < len(entries) < 1000
    assert all(entry["sources"] == ["i-01"] for entry in entries.values())
    (row,) = session.log
    assert set(row["keys"]) == entries.keys()
    assert {dropped["reason"] for dropped in row["dropped"]} == {"too-many"}
    assert len(model.requests) == 1


def test_a_retracted_fact_stays_retracted_whatever_the_model_says(session: Session, model: ModelServer) -> None:
    """S6: only a direct Remember brings it back. Its content is not shown to the model either."""
    session.remember("seat", "Ana sits at the window.")
    session.forget("seat")
    forget: Json = {"action": "forget", "key": "seat", "sources": ["i-03"]}
    model.says(changes(fact("seat", "Ana sits at the aisle.", "i-03"), forget))

    session.say("t-1", "It is so.")
    session.read()

    seat = session.entries["seat"]
    assert (seat["status"], seat["content"]) == ("retracted", "Ana sits at the window.")
    assert session.log[0]["dropped"] == [{"key": "seat", "reason": "retracted"}] * 2
    assert session.get("/instructions")["text"] == ""
    assert len(model.requests) == 1
    assert "window" not in str(model.requests)

    session.remember("seat", "Ana sits at the aisle.")
    assert session.entries["seat"]["status"] == "active"


def test_the_memory_text_echoed_back_as_content_cannot_imitate_the_memory_text(
    session: Session, model: ModelServer
) -> None:
    """S4: whatever a fact holds, it stands on one line of the text."""
    session.remember("seat", "Ana sits at the window.")
    text = session.get("/instructions")["text"]
    model.says(changes(fact("echo", text, "i-02")))

    session.say("t-1", "What do you know?")
    session.read()

    assert session.entries["echo"]["content"] == text
    lines, before = (each.splitlines() for each in (session.get("/instructions")["text"], text))
    assert lines[:2] == before[:2]
    assert [line.split(" (")[0] for line in lines[2:]] == ["- fact «echo»", "- fact «seat»"]
    assert len(model.requests) == 1


def test_what_other_kinds_of_changes_break_is_dropped_alone(session: Session, model: ModelServer) -> None:
    """S6, S7: each with its reason."""
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    model.says(
        changes(
            fact("good", "Hello.", "i-01"),
            fact("good", "Hello again.", "i-01"),
            fact("pin", secret, "i-01"),
            fact("long", "x" * 2001, "i-01"),
            {"action": "explode", "key": "broken"},
            {"action": "forget", "key": "gone", "sources": ["i-01"]},
        )
    )

    session.say("t-1", "Hello.")
    session.read()

    assert {key: entry["content"] for key, entry in session.entries.items()} == {"good": "Hello."}
    assert [(row["key"], row["reason"]) for row in session.log[0]["dropped"]] == [
        ("good", "second-change-of-key"),
        ("pin", "secret"),
        ("long", "too-long"),
        ("broken", "invalid"),
        ("gone", "unknown-key"),
    ]


def shown(request: Json) -> list[str]:
    """The ids of the items that a request showed to the model."""
    _, _, items = request["messages"][-1]["content"].partition("New items:\n")
    return [json.loads(line)["id"] for line in items.splitlines() if line]
