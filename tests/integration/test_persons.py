"""S2, S4: several persons in one session stay apart."""

import pytest
from service import Json, Service

from openbot_memory.domain.facts import Kind
from openbot_memory.domain.rules import Proposal

ANA, BEN = {"id": "ana", "name": "Ana"}, {"id": "ben", "name": "Ben"}


def said(text: str, person: Json | None = None, role: str = "user") -> Json:
    return {"type": "message", "role": role, "text": text} | ({"person": person} if person else {})


def group(service: Service, *items: Json, person: Json | None = ANA) -> str:
    session = service.session()
    body = {"turn": "t-1", "model": "test", "items": items, "person": person}
    service.post(f"/v1/sessions/{session}/turns", body)
    return session


def test_a_message_names_its_own_person_instead_of_the_turns(service: Service) -> None:
    session = group(service, said("I prefer tea."), said("I prefer coffee.", BEN))

    assert [item["person"] for item in service.get(f"/v1/sessions/{session}/items")["items"]] == [ANA, BEN]


@pytest.mark.parametrize(
    "item", [said("Noted.", BEN, role="assistant"), said("Hi.", {"id": ""}), said("Hi.", {"x": 1})]
)
def test_only_a_users_message_names_a_person(service: Service, item: Json) -> None:
    body = {"turn": "t-1", "model": "test", "items": [item]}
    reply = service.call("POST", f"/v1/sessions/{service.session()}/turns", body)

    assert (reply.status, reply.body["issues"][0]["path"].startswith("items.0.person")) == (400, True)


def test_a_fact_carries_the_person_whose_words_its_sources_are(service: Service) -> None:
    """S2: an assistant's reply is nobody's; words of two persons are not one's."""
    session = group(
        service, said("I prefer tea."), said("I prefer coffee.", BEN), said("Noted.", role="assistant"), said("Bye.")
    )
    sources = {"ana": ("i-01", "i-04"), "ben": ("i-02", "i-03"), "both": ("i-01", "i-02"), "nobody": ("i-03",)}
    service.model.script.put(
        [Proposal(key=key, content=f"Of {key}.", sources=named, kind=Kind.FACT) for key, named in sources.items()]
    )
    service.deliver()

    assert {key: fact.get("person") for key, fact in service.entries(session).items()} == {
        "ana": ANA,
        "ben": BEN,
        "both": None,
        "nobody": None,
    }
    text = service.get(f"/v1/sessions/{session}/instructions")["text"]
    assert "«ben» (from Ben, " in text
    assert "«both» (2" in text


def test_a_remember_is_the_words_of_the_person_who_makes_it(service: Service) -> None:
    session = service.session()
    command = {"_tag": "Remember", "key": "tea", "content": "Green.", "kind": "fact"}

    service.change(session, command)
    assert service.entries(session)["tea"]["person"] == ANA
    service.change(session, command, caller="host")
    assert "person" not in service.entries(session)["tea"]


def test_persons_survive_a_fork_a_rewind_and_a_promotion(service: Service) -> None:
    session = group(service, said("Always test first.", BEN))
    service.model.script.put([Proposal(key="p", content="Test first.", sources=("i-01",), kind=Kind.PROCEDURE)])
    service.deliver()
    service.post("/v1/agents", {"id": "a-1", "name": "Helper"})
    copy = service.post(f"/v1/sessions/{session}/fork", {})["session"]["id"]

    service.post(f"/v1/sessions/{copy}/promote", {"agent": "a-1"})

    assert service.entries(copy)["p"]["person"] == BEN
    assert service.get("/v1/agents/a-1/memory")["entries"]["p"]["person"] == BEN
