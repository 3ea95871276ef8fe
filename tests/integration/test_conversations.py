"""How many conversations end in the right memory, with a model that knows only what its prompt shows it (S7).

With `-s` the count by class is printed.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from itertools import batched

import pytest
import time_machine
from conversation_model import NAMES, Conversation, Learned, Message, ScriptedBedrock, conversations
from service import Json, Service

from openbot_memory.domain.facts import Kind
from openbot_memory.domain.rules import Proposal

BEFORE = date(2026, 11, 20)  # when all was learned that a conversation begins with
AT_ONCE = 40  # facts that one answer may teach
OTHERS = "other-"  # begins the keys of facts that only make the memory large


@pytest.fixture(scope="module")
def tally() -> Iterator[Counter[tuple[str, bool]]]:
    found = Counter[tuple[str, bool]]()
    yield found
    for sort in sorted({sort for sort, _ in found}):
        right = found[sort, True]
        print(f"\n{sort:<16} {right:>3} of {right + found[sort, False]:>3} right", end="")  # noqa: T201 - it is asked for


@pytest.mark.parametrize("conversation", conversations(), ids=lambda each: f"{each.language}: {each.title}")
def test_a_conversation_ends_in_the_right_memory(
    service: Service, conversation: Conversation, tally: Counter[tuple[str, bool]]
) -> None:
    """S7."""
    memory = Player(service, conversation).played()

    tally[conversation.sort, memory == conversation.after] += 1
    assert memory == conversation.after


def test_there_are_enough_conversations_of_each_class_in_several_languages() -> None:
    every = conversations()

    assert len(every) >= 40
    assert {each.language for each in every} >= {"en", "de", "ja"}
    assert min(Counter((each.sort, each.language in {"en", "de"}) for each in every).values()) >= 2


class Player:
    """Plays one conversation through the service, each message on its day."""

    def __init__(self, service: Service, conversation: Conversation) -> None:
        self._service, self._conversation = service, conversation
        self._turns = 0

    def played(self) -> dict[str, str] | None:
        """The active facts in the end, key and content; None where the service refuses a turn."""
        service, conversation = self._service, self._conversation
        with _on(BEFORE):
            session = service.session()
            self._learned(session, [*conversation.forgotten, *conversation.known])
            for fact in conversation.forgotten:
                service.forget(session, fact.key)
            others = [Learned(key=f"{OTHERS}{n}", content=_elsewhere(n), by="ana") for n in range(conversation.others)]
            self._learned(session, others)
        for turn in _turns(conversation.says):
            with _on(turn[0].day):
                service.model.script.put(
                    lambda question: list(ScriptedBedrock(conversation).answer(question).proposals)
                )
                if not self._turn(session, turn):
                    return None
        entries = service.entries(session).items()
        active = {key: entry["content"] for key, entry in entries if entry["status"] == "active"}
        return {key: content for key, content in active.items() if not key.startswith(OTHERS)}

    def _learned(self, session: str, facts: Sequence[Learned]) -> None:
        """Facts that a model took from what their person said, a turn each unless one person said them all."""
        for some in batched(sorted(facts, key=lambda fact: fact.by), AT_ONCE, strict=False):
            for person in dict.fromkeys(fact.by for fact in some):
                theirs = [fact for fact in some if fact.by == person]
                self._service.model.script.put(
                    lambda question, theirs=theirs: [
                        Proposal(key=fact.key, content=fact.content, kind=Kind.FACT, sources=(question.items[0].id,))
                        for fact in theirs
                    ]
                )
                assert self._turn(session, [Message(day=BEFORE, by=person, text="As I told you.")])

    def _turn(self, session: str, messages: Sequence[Message]) -> bool:
        """Append a turn and let it be read. Only where several persons speak does each message name its own."""
        self._turns += 1
        persons = {message.by for message in messages}
        body: Json = {"turn": f"t-{self._turns}", "model": "test", "status": messages[0].status}
        body["items"] = [_item(message, named=len(persons) > 1) for message in messages]
        if len(persons) == 1:
            body["person"] = _person(*persons)
        reply = self._service.call("POST", f"/v1/sessions/{session}/turns", body)
        self._service.deliver()
        return reply.status == 200


def _turns(messages: Sequence[Message]) -> list[list[Message]]:
    turns = list[list[Message]]()
    for message in messages:
        if message.same_turn:
            turns[-1].append(message)
        else:
            turns.append([message])
    return turns


def _item(message: Message, *, named: bool) -> Json:
    item: Json = {"type": "message", "role": "user", "text": message.text}
    return item | ({"person": _person(message.by)} if named else {})


def _person(name: str) -> Json:
    return {"id": name, "name": NAMES[name]}


def _elsewhere(number: int) -> str:
    return f"The warehouse keeps box {number} on shelf {number % 7}, sealed, weighed, listed and photographed twice."


def _on(day: date) -> time_machine.travel:
    return time_machine.travel(datetime(day.year, day.month, day.day, 10, tzinfo=UTC), tick=True)
