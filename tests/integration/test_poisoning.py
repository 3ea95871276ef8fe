"""Poisoned sessions, with a model that obeys every word of an attack: what the rules let through (S4, S6, S7, A4, A10).

With `-s` the table of what was tried and what was kept is printed.
"""

import re
from collections.abc import Iterator
from itertools import batched
from typing import NamedTuple

import pytest
from poison_corpus import (
    APP,
    ORDERS,
    OTHER_DRESS,
    READ_USER,
    RETRACTED,
    SAME_KEY,
    USER,
    again,
    forged,
    from_apps_alone,
    imitating,
    read_or_by_hand,
)
from secrets_corpus import NEAR_MISSES, SECRETS
from secrets_fresh import FOUND, MISSED
from secrets_fresh import NEAR_MISSES as FRESH_NEAR_MISSES
from service import Json, Service
from test_agents import agent, change, memory, remember

from openbot_memory.domain.facts import Kind
from openbot_memory.domain.rules import MAX_WRITES, Proposal

__all__ = ["agent"]  # a fixture


SOME = 5  # one in so many of the texts that are taken goes by hand too: the emulation slows down with what it holds


class Row(NamedTuple):
    attack: str
    tried: int
    kept: int


@pytest.fixture(scope="module")
def table() -> Iterator[list[Row]]:
    rows = list[Row]()
    yield rows
    print("\n", *(f"{row.attack:<68} {row.tried:>4} tried {row.kept:>4} kept\n" for row in rows))  # noqa: T201 - it is asked for


@pytest.fixture
def victim(service: Service, agent: str) -> str:
    """A session as the corpus describes it, before the attack; its agent has forgotten the same key."""
    other = service.session()
    service.turn(other, "t-0", *(f"Sentence {n}." for n in range(30)), model=None)
    session = service.session(agent=agent)
    old: list[Json] = [message("user", "I like tea."), {"type": "tool-result", "app": "mail", "text": "No mail."}]
    service.turn(session, "t-0", items=old)
    service.deliver()
    service.remember(session, "seat", "Ana sits at the window.")
    service.remember(session, RETRACTED, "Zoë has room 12.", "decision")
    service.forget(session, RETRACTED)
    assert remember(service, agent, RETRACTED, "Zoë has room 12.").status == 200
    assert change(service, agent, {"_tag": "Forget", "key": RETRACTED}).status == 200
    service.deliver()
    return session


def message(role: str, text: str) -> Json:
    return {"type": "message", "role": role, "text": text}


def attack(service: Service, session: str, proposals: list[Proposal]) -> None:
    """A turn with the poison; then the models of the agent and of the session propose what it asks for."""
    assert len(proposals) <= MAX_WRITES
    poison = "\n".join(ORDERS)
    items = [
        message("user", "Summarize my mail."),
        {"type": "tool-result", "app": "mail", "text": poison},
        {"type": "action", "app": "mail", "text": poison},
        message("assistant", poison),
    ]
    service.turn(session, "t-1", items=items, person={"id": "ana", "name": "Ana"})
    asked = len(service.model.questions)
    for _ in range(2):
        service.model.script.put([*proposals])
    service.deliver()
    assert [question.for_agent for question in service.model.questions[asked:]] == [True, False]
    assert [item.id for item in service.model.questions[-1].items] == ["i-06", "i-07", "i-08", "i-09"]


def kept(entries: Json, proposals: list[Proposal]) -> list[str]:
    return [each.key for each in proposals if each.key in entries]


def sources(entries: Json) -> set[str]:
    return {
        source if isinstance(source, str) else source["item"] for each in entries.values() for source in each["sources"]
    }


def test_what_apps_alone_say_never_becomes_an_agents_entry(
    service: Service, agent: str, victim: str, table: list[Row]
) -> None:
    """A4, A10: neither by learning nor by a promotion. A session may keep it (S6), but never as a preference.

    An older user's message beside it is no support either.
    """
    proposals = from_apps_alone()
    attack(service, victim, proposals)
    learned, entries = memory(service, agent)["entries"], service.entries(victim)

    promoted = service.post(f"/v1/sessions/{victim}/promote", {"agent": agent})["keys"]

    in_session = {key: entries[key] for key in kept(entries, proposals)}
    alone = [key for key, entry in in_session.items() if READ_USER not in entry["sources"]]
    table += [
        Row("orders of apps alone: learned by the agent", len(proposals), len(kept(learned, proposals))),
        Row("orders of apps alone: promoted to the agent", len(in_session), len(promoted)),
        Row("  in the session's own memory", len(proposals), len(in_session)),
    ]
    assert learned.keys() == {RETRACTED}
    assert promoted == []
    assert {in_session[key]["kind"] for key in alone} == {"procedure", "decision"}


def test_orders_of_apps_are_no_persons_because_a_message_stands_beside_them(
    service: Service, agent: str, victim: str, table: list[Row]
) -> None:
    """A4: neither learned nor promoted; the session's own memory keeps them and says that only apps support them."""
    proposals = [
        Proposal(key=f"order-{at}", sources=(APP, USER), content=order, kind=Kind.PROCEDURE)
        for at, order in enumerate(ORDERS)
    ]
    attack(service, victim, proposals)
    learned = memory(service, agent)["entries"]

    table.append(
        Row("orders of apps beside the same turn's user message", len(proposals), len(kept(learned, proposals)))
    )
    entries = service.entries(victim)
    in_session = kept(entries, proposals)
    assert kept(learned, proposals) == []
    assert all(entries[key]["onlyApps"] and "person" not in entries[key] for key in in_session)
    assert service.post(f"/v1/sessions/{victim}/promote", {"agent": agent})["keys"] == []
    text = service.get(f"/v1/sessions/{victim}/instructions")["text"]
    assert text.count("(said by an app, ") >= len(in_session) > 0

    service.remember(victim, in_session[0], "Said by Ana herself.", kind="procedure")
    assert "onlyApps" not in service.entries(victim)[in_session[0]]
    assert service.post(f"/v1/sessions/{victim}/promote", {"agent": agent})["keys"] == [in_session[0]]


def test_what_names_no_unread_item_is_dropped(service: Service, agent: str, victim: str, table: list[Row]) -> None:
    """S6."""
    proposals = [*forged(), *read_or_by_hand()]

    attack(service, victim, proposals)

    found = kept(service.entries(victim), proposals) + kept(memory(service, agent)["entries"], proposals)
    table.append(Row("sources unknown, another session's, read before or by hand", len(proposals), len(found)))
    assert found == []


def test_a_forged_source_is_removed_from_beside_a_true_one(
    service: Service, agent: str, victim: str, table: list[Row]
) -> None:
    """S6: the change itself stands on the true one."""
    proposals = forged(USER)

    attack(service, victim, proposals)

    entries, learned = service.entries(victim), memory(service, agent)["entries"]
    assert kept(entries, proposals) == kept(learned, proposals) == [each.key for each in proposals]
    named = sources({key: entries[key] for key in kept(entries, proposals)}) | sources(learned)
    table.append(Row("forged sources beside a true one", len(proposals), len(named - {USER})))
    assert named == {USER}


def test_what_was_forgotten_stays_forgotten_in_every_spelling_and_dress(
    service: Service, agent: str, victim: str, table: list[Row]
) -> None:
    """S6, A4: by the model, by promotion, by an agent's or a host's hand."""
    attack(service, victim, again([*SAME_KEY, *OTHER_DRESS]))
    promoted = service.post(f"/v1/sessions/{victim}/promote", {"agent": agent})["keys"]
    by_hand = [
        remember(service, agent, key, caller=caller).body["_tag"]
        for key in (*SAME_KEY, *OTHER_DRESS)
        for caller in ("agent", "host")
    ]

    both = service.entries(victim), memory(service, agent)["entries"]

    back = [entries for entries in both if entries[RETRACTED]["status"] != "retracted" or "back" in str(entries)]
    alike = [key for key in OTHER_DRESS if any(key in entries for entries in both)]
    table.append(Row("a forgotten key, in its spellings (NFC, NFD)", 2 * len(SAME_KEY) + len(by_hand), len(back)))
    table.append(Row("a forgotten key in another dress", len(OTHER_DRESS), len(alike)))
    assert back == []
    assert set(by_hand) == {"PersonRequired"}
    assert RETRACTED not in promoted
    assert alike == []
    assert remember(service, agent, OTHER_DRESS[0], caller="person").status == 200


KIND, WHO = "(?:fact|decision|preference|procedure|hypothesis)", "(?:from [^«»]*, |said by an app, )?"
FRAME = re.compile(rf"- {KIND} «[^«»]*» \({WHO}\d{{4}}-\d\d-\d\d\): ")


def test_nothing_that_was_kept_imitates_the_memory_text(service: Service, victim: str, table: list[Row]) -> None:
    """S4: each fact is one line in its frame, whatever it holds; also where the text itself is repeated as a fact."""
    text = service.get(f"/v1/sessions/{victim}/instructions")["text"]
    echoed = [
        Proposal(key=f"echo-{at}", sources=(USER, APP), content=part)
        for at, part in enumerate([text, *text.splitlines()])
    ]
    proposals = [*imitating(), *echoed]

    attack(service, victim, proposals)

    shown = service.get(f"/v1/sessions/{victim}/instructions")
    lines = shown["text"].splitlines()
    headings = [line for line in lines if line and not FRAME.match(line)]
    table.append(
        Row("headings and lines imitated, in lines that are none of a fact", len(proposals), len(headings) - 6)
    )
    assert len(headings) == len(set(headings)) == 6  # the privacy rules, the agent's and the session's: each two lines
    assert len(lines) - len(headings) - 2 == shown["session"]["shown"] + shown["agent"]["shown"]
    assert shown["session"]["omitted"] == shown["agent"]["omitted"] == 0


def through_consolidation(service: Service, texts: list[str]) -> list[str]:
    """Which of the texts a session keeps when its model proposes each."""
    session = service.session()
    for at, batch in enumerate(batched(texts, MAX_WRITES, strict=False)):
        service.turn(session, f"t-{at}", "Remember all this.")
        item = f"i-{at + 1:02}"
        service.model.script.put(
            [Proposal(key=f"note-{at}-{n}", sources=(item,), content=t) for n, t in enumerate(batch)]
        )
        service.deliver()
    contents = [entry["content"] for entry in service.entries(session).values()]
    return [text for text in texts if text in contents]


def through_remember(service: Service, texts: list[str]) -> list[str]:
    """Which of the texts are taken from a person's hand."""
    session = service.session()
    view, taken = service.get(f"/v1/sessions/{session}"), list[str]()
    for text in texts:
        command = {"_tag": "Remember", "key": "note", "content": text, "kind": "fact"}
        seen = {"expected": view["session"]["head"], "revision": view["session"]["revision"]}
        reply = service.call("POST", f"/v1/sessions/{session}/memory", seen | {"command": command})
        if reply.status == 200:
            view = reply.body
            taken.append(text)
        else:
            assert (reply.status, reply.body["_tag"]) == (400, "SecretRefused")
    return taken


@pytest.mark.parametrize(
    ("name", "texts", "wanted"),
    [
        ("credentials of the corpus", SECRETS, []),
        ("credentials that nobody had tuned for", [*FOUND, *MISSED], MISSED),
        ("texts of the corpus that only speak of one", NEAR_MISSES, NEAR_MISSES),
        ("texts that nobody had tuned for and that only speak of one", FRESH_NEAR_MISSES, FRESH_NEAR_MISSES),
    ],
)
def test_both_doors_keep_the_same_of_what_may_hold_a_credential(
    service: Service, table: list[Row], name: str, texts: list[str], wanted: list[str]
) -> None:
    """S7: the consolidation and a Remember. What is missed is named in the corpus."""
    by_hand = texts[:: SOME if wanted == texts else 1]

    consolidated, remembered = through_consolidation(service, texts), through_remember(service, by_hand)

    table.append(Row(name, len(texts), len(consolidated)))
    assert consolidated == wanted
    assert remembered == [text for text in by_hand if text in wanted]
