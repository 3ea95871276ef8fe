"""S7: what the consolidating and the learning model are told of a memory and its organization."""

from collections.abc import Callable

import pytest
from service import Service

from openbot_memory.domain.facts import Kind
from openbot_memory.domain.rules import Malformed, Proposal
from openbot_memory.models.port import Question


def forgetting(service: Service, session: str, *keys: str) -> None:
    for key in keys:
        service.remember(session, key, f"About {key}.")
    for key in keys:
        service.forget(session, key)


def test_forgotten_keys_are_told_newest_first_without_their_content(service: Service) -> None:
    session = service.session()
    forgetting(service, session, "seat", "tea", "erased")
    service.change(session, {"_tag": "Erase", "key": "erased"})
    service.remember(session, "tea", "Black.")
    service.turn(session, "t-1", "Hello.")
    service.deliver()

    (question,) = service.model.questions
    assert question.forgotten == ("erased", "seat")
    assert [fact.key for fact in question.known] == ["tea"]
    assert abs(question.today - question.items[0].at) < 60_000


def test_the_organizations_instructions_reach_both_models(service: Service) -> None:
    service.post("/v1/agents", {"id": "a-1", "name": "Helper"})
    settings = {"memory": {"instructions": "Keep prices."}, "agentMemoryModel": "durable"}
    assert service.call("PATCH", "/v1/organization", settings, caller="admin").status == 200
    session = service.session(agent="a-1")
    service.turn(session, "t-1", "Hello.")
    service.deliver()

    assert [question.instructions for question in service.model.questions] == ["Keep prices."] * 2
    assert service.get("/v1/organization")["memory"]["instructions"] == "Keep prices."
    too_long = {"memory": {"instructions": "x" * 2001}}
    reply = service.call("PATCH", "/v1/organization", too_long, caller="admin")
    assert (reply.status, reply.body["issues"][0]["path"]) == (400, "memory.instructions")


DRESSES = [
    "Seat Preference",
    "seat_preference",
    "ｓｅａｔ－ｐｒｅｆｅｒｅｎｃｅ",
    "seat\u200b-preference",
    "sеаt-рrеfеrеnсе",
]


def propose(*proposals: tuple[str, str]) -> Callable[[Question], list[Proposal | Malformed]]:
    def script(question: Question) -> list[Proposal | Malformed]:
        source = question.items[0].id
        return [Proposal(key=key, content=text, sources=(source,), kind=Kind.DECISION) for key, text in proposals]

    return script


def dropped(service: Service, path: str) -> list[str]:
    return [each["reason"] for each in service.get(f"{path}/memory/log")["log"][0]["dropped"]]


@pytest.mark.parametrize("command", ["Forget", "Erase"])
def test_a_forgotten_fact_stays_forgotten_in_any_dress(service: Service, command: str) -> None:
    """S6: by its key and by what it says; after going back and in a fork, too."""
    session = service.session()
    service.remember(session, "seat-preference", "Ana sits at the window.")
    service.change(session, {"_tag": command, "key": "seat-preference"})
    forgotten = service.get(f"/v1/sessions/{session}")["session"]["head"]
    proposals = [*((key, "Something else.") for key in DRESSES), ("new", "ana sits at the WINDOW")]

    copy = service.post(f"/v1/sessions/{session}/fork", {})["session"]["id"]
    service.remember(session, "other")
    seen = service.get(f"/v1/sessions/{session}")["session"]
    body = {"to": forgotten, "expected": seen["head"], "revision": seen["revision"]}
    service.post(f"/v1/sessions/{session}/rewind", body)
    service.deliver()
    for each in (session, copy):
        service.model.script.put(propose(*proposals, ("window", "Ben opened a window.")))
        service.turn(each, "t-1", "We talk.")
        service.deliver()

        assert dropped(service, f"/v1/sessions/{each}") == ["retracted"] * len(proposals)
        assert service.entries(each).keys() == {"seat-preference", "window"}


def test_a_person_says_it_again_in_any_dress(service: Service) -> None:
    session = service.session()
    forgetting(service, session, "seat-preference")

    service.remember(session, "Seat Preference", "About seat-preference.")

    service.model.script.put(propose(("Seat Preference", "Something new.")))
    service.turn(session, "t-1", "We talk.")
    service.deliver()
    assert service.entries(session)["Seat Preference"]["content"] == "Something new."


def test_another_persons_same_words_are_another_fact(service: Service) -> None:
    session = service.session()
    ana, ben = ({"id": name.lower(), "name": name} for name in ("Ana", "Ben"))
    service.remember(session, "short", "I prefer short answers.")
    service.forget(session, "short")

    for turn, person in (("t-1", ana), ("t-2", ben)):
        service.model.script.put(propose((f"answers-{turn}", "I prefer short answers.")))
        service.turn(session, turn, "I prefer short answers.", person=person)
        service.deliver()

    assert service.entries(session).keys() == {"short", "answers-t-2"}


def test_an_agents_forgotten_entry_stays_forgotten_in_any_dress(service: Service) -> None:
    """A4: through learning, promotion, and an agent's or a host's hand; a person may bring it back."""
    service.post("/v1/agents", {"id": "a-1", "name": "Helper"})
    service.call("PATCH", "/v1/organization", {"agentMemoryModel": "durable"}, caller="admin")
    path = "/v1/agents/a-1/memory"
    remember = {"_tag": "Remember", "key": "tests-first", "content": "Test first.", "kind": "decision"}
    service.post(path, {"expected": 0, "command": remember})
    service.post(path, {"expected": 1, "command": {"_tag": "Forget", "key": "tests-first"}})
    again = [("Tests First", "Other."), ("new", "test FIRST!")]

    session = service.session(agent="a-1")
    service.model.script.put(propose(*again))
    service.model.script.put(propose(*again))
    service.turn(session, "t-1", "We talk.")
    service.deliver()
    assert service.post(f"/v1/sessions/{session}/promote", {"agent": "a-1"})["keys"] == []
    for key, content in again:
        command = remember | {"key": key, "content": content}
        for caller in ("agent", "host"):
            reply = service.call("POST", path, {"expected": 2, "command": command}, caller=caller)
            assert (reply.status, reply.body["_tag"]) == (403, "PersonRequired")
    assert service.get(path)["entries"].keys() == {"tests-first"}

    assert service.call("POST", path, {"expected": 2, "command": remember | {"key": "Tests First"}}).status == 200
