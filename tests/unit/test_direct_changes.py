"""Direct changes of one key: Remember, Forget, Erase (S10, A8)."""

import pytest
from examples import fact

from openbot_memory.domain.commands import Command, Erase, Forget, Moment, Remember, carry_out, check_durable
from openbot_memory.domain.errors import InvalidRequest, MemoryFull, PersonRequired, SecretRefused, UnknownKey
from openbot_memory.domain.facts import Fact, Kind, Status
from openbot_memory.domain.lookalike import content_marks
from openbot_memory.domain.rules import MemoryRules

AT, STEP, TRACE = 9_000, 7, "i-07"


def carried_out(command: Command, before: Fact | None = None, *, keys: int = 0, max_keys: int = 10_000) -> Fact:
    return carry_out(
        command,
        before,
        Moment(at=AT, step=STEP, sources=(TRACE,), salt="acme"),
        keys=keys,
        rules=MemoryRules(max_keys=max_keys),
        holds_secret=lambda text: "hunter2" in text or text == "password: swordfish",
    )


def remember(key: str = "tea", content: str = "green") -> Remember:
    return Remember(key, content, Kind.FACT)


def test_remember_adds_a_fact_whose_source_is_its_own_item() -> None:
    """S11."""
    assert carried_out(remember()) == fact(sources=(TRACE,), updated_at=AT, step=STEP)


def test_remember_brings_a_retracted_fact_back() -> None:
    assert carried_out(remember(), fact(status=Status.RETRACTED)).active


@pytest.mark.parametrize(("key", "content"), [("tea", "hunter2"), ("hunter2", "tea"), ("password", "swordfish")])
def test_remember_refuses_a_secret(key: str, content: str) -> None:
    """S7."""
    with pytest.raises(SecretRefused):
        carried_out(remember(key, content))


@pytest.mark.parametrize(("key", "content", "path"), [("", "green", "command.key"), ("tea", "", "command.content")])
def test_remember_refuses_malformed_values_and_names_the_field(key: str, content: str, path: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        carried_out(remember(key, content))
    assert path in str(caught.value.fields["issues"])


def test_remember_refuses_a_new_key_in_a_full_memory() -> None:
    with pytest.raises(MemoryFull):
        carried_out(remember(), keys=2, max_keys=2)
    assert carried_out(remember(), fact(), keys=2, max_keys=2).active


@pytest.mark.parametrize("status", Status)
def test_forget_retracts_active_and_retracted_facts(status: Status) -> None:
    assert carried_out(Forget("tea"), fact(status=status, order=3)) == fact(
        status=Status.RETRACTED, sources=(TRACE,), updated_at=AT, step=STEP
    )


def test_erase_leaves_a_tombstone_without_content() -> None:
    erased = carried_out(Erase("tea"), fact(order=3))

    assert erased.erased
    assert erased == fact(
        status=Status.RETRACTED, content="", sources=(TRACE,), updated_at=AT, step=STEP, marks=erased.marks
    )
    assert erased.marks == content_marks(fact(), "acme")


@pytest.mark.parametrize("command", [Forget("tea"), Erase("tea")])
def test_an_unknown_key_is_refused(command: Command) -> None:
    with pytest.raises(UnknownKey):
        carried_out(command)


def test_only_a_person_brings_an_entry_back() -> None:
    """A4."""
    retracted, command = fact(status=Status.RETRACTED), Remember("tea", "Green.", Kind.PROCEDURE)

    check_durable(command, retracted, by_person=True)
    check_durable(command, fact(), by_person=False)
    with pytest.raises(PersonRequired):
        check_durable(command, retracted, by_person=False)


def test_an_agent_keeps_only_durable_kinds() -> None:
    """A2."""
    check_durable(Forget("tea"), None, by_person=True)
    with pytest.raises(InvalidRequest):
        check_durable(remember(), None, by_person=True)
