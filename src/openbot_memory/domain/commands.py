"""Direct changes of one key: Remember, Forget, Erase (S10, A8). Pure: each makes the fact as it is afterwards."""

from dataclasses import dataclass, replace

from openbot_memory.domain.errors import InvalidRequest, MemoryFull, PersonRequired, SecretRefused, UnknownKey
from openbot_memory.domain.facts import DURABLE, Fact, Kind, Person, Source, Status, clean_content, clean_key
from openbot_memory.domain.lookalike import content_marks
from openbot_memory.domain.rules import HoldsSecret, MemoryRules, reveals


@dataclass(frozen=True, slots=True)
class Remember:
    key: str
    content: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Forget:
    key: str


@dataclass(frozen=True, slots=True)
class Erase:
    """A Forget that also removes the content everywhere, old versions included."""

    key: str


type Command = Remember | Forget | Erase


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """The change to be made: when, as which step of its memory, and on which sources (an agent's has none, A8)."""

    at: int  # ms
    step: int
    sources: tuple[Source, ...] = ()
    person: Person | None = None  # whose words it is, in a session
    salt: str = ""  # of the digests by which an erased content is known again: the organization


def carry_out(
    command: Command,
    before: Fact | None,
    moment: Moment,
    *,
    keys: int,
    rules: MemoryRules,
    holds_secret: HoldsSecret,
) -> Fact:
    """The fact after the command. `keys`: how many the memory holds.

    Raises InvalidRequest, SecretRefused, MemoryFull for a Remember, UnknownKey for the others.
    """
    match command:
        case Remember():
            return remember(command, before, moment, keys=keys, rules=rules, holds_secret=holds_secret)
        case Forget():
            return forget(before, moment)
        case Erase():
            return erased(forget(before, moment), moment.salt)


def check_durable(command: Command, before: Fact | None, *, by_person: bool) -> None:
    """Check what only an agent's memory asks of a Remember (A2, A4). Raises InvalidRequest, PersonRequired."""
    if isinstance(command, Remember):
        if command.kind not in DURABLE:
            raise InvalidRequest.at("command.kind", f"An agent keeps only {', '.join(sorted(DURABLE))}.")
        if before and not before.active and not by_person:
            raise PersonRequired


def remember(
    command: Remember, before: Fact | None, moment: Moment, *, keys: int, rules: MemoryRules, holds_secret: HoldsSecret
) -> Fact:
    """Add or replace a fact, and make it active."""
    key = clean_key(command.key, "command.key")
    content = clean_content(command.content, rules.max_content, "command.content")
    if reveals(key, content, holds_secret):
        raise SecretRefused
    if before is None and keys >= rules.max_keys:
        raise MemoryFull(limit=rules.max_keys)
    return Fact(
        key=key,
        content=content,
        kind=command.kind,
        sources=moment.sources,
        updated_at=moment.at,
        step=moment.step,
        person=moment.person,
    )


def forget(before: Fact | None, moment: Moment) -> Fact:
    """Retract a fact; one that is retracted already succeeds, too."""
    if before is None:
        raise UnknownKey
    return replace(
        before, status=Status.RETRACTED, sources=moment.sources, updated_at=moment.at, step=moment.step, order=0
    )


def erased(retracted: Fact, salt: str) -> Fact:
    """The tombstone of an erased fact: it has no content, and still keeps key and content from being learned again."""
    return replace(retracted, content="", person=None, marks=content_marks(retracted, salt))
