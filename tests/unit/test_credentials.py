"""S7: a credential stated in a conversation is never kept, in whatever words a model repeats it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbot_memory.domain.credentials import stated
from openbot_memory.domain.facts import Kind
from openbot_memory.domain.items import Item, ItemType
from openbot_memory.domain.rules import Dropped, Evidence, MemoryRules, Newest, Proposal, Reason, Snapshot, decide
from openbot_memory.secrets import holds_secret


def decided(said: str, key: str, content: str) -> tuple[list[str], list[Dropped]]:
    source = Item(number=1, type=ItemType.MESSAGE, at=1, body={"role": "user", "text": said})
    changes, dropped = decide(
        [Proposal(key=key, sources=("i-01",), content=content, kind=Kind.FACT)],
        Evidence(unread={source.id: source}, read={}),
        Snapshot(step=1, generation="g"),
        Newest(facts={}, keys=0, generation="g", step=2, at=2),
        MemoryRules(),
        holds_secret,
    )
    return [fact.key for fact in changes], list(dropped)


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("Das Passwort für das WLAN lautet Gartenzaun!9335.", "Das passst auf das WLAN lautet Gartenzaun!9335.&#34;"),
        ("Hi.\nMy password is hunter2.\nBye.", "Ana goes into the shop as hunter2"),
        ("The code of the front door is 4711. We leave at 9.", "Ana taps 4711 on her way in."),
        ("密码是hunter22", "Ana goes into the shop as hunter22"),
        ("Hasło do serwera to hunter22.", "Ana goes into the shop as hunter22"),
    ],
)
def test_a_proposal_that_repeats_a_stated_credential_is_dropped(said: str, content: str) -> None:
    assert not holds_secret(content)
    assert decided(said, "note", content) == ([], [Dropped("note", Reason.SECRET)])


def test_a_key_that_repeats_a_credential_is_not_shown_in_the_log() -> None:
    assert decided("My password is hunter2.", "hunter2-shop", "Ana buys there.") == ([], [Dropped("", Reason.SECRET)])


@pytest.mark.parametrize("content", ["Ana has a password.", "We leave at 9.", "The shop opens at 10:30.", "Room 12."])
def test_other_statements_beside_a_credential_are_kept(content: str) -> None:
    said = f"My password is hunter2. {content}"

    assert decided(said, "note", content) == (["note"], [])


@given(st.lists(st.sampled_from(["password", "is", "hunter2", "Passwort:", "4711", "10:30", "\n", ".", "Ana"])))
def test_only_words_of_a_line_with_a_credential_count_as_stated(words: list[str]) -> None:
    text = " ".join(words)

    for word in stated([text], holds_secret):
        assert word in words
        assert any(map(holds_secret, text.split("\n")))


def test_a_very_long_text_is_checked_in_parts() -> None:
    calls = list[int]()

    def counted(text: str) -> bool:
        calls.append(len(text))
        return holds_secret(text)

    assert stated(["word 1234 " * 20_000], counted) == frozenset()
    assert max(calls) <= 1000
