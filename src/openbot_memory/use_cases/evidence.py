"""What a model is shown of a memory, and what its proposals may refer to. For sessions and for agents."""

from collections.abc import Iterable, Mapping

from openbot_memory.domain.facts import Fact
from openbot_memory.domain.items import Item, item_number
from openbot_memory.domain.ranges import Ranges
from openbot_memory.domain.rules import Malformed, Proposal, Snapshot
from openbot_memory.domain.session import Session
from openbot_memory.domain.text import fitting, newest_first
from openbot_memory.store.history import History
from openbot_memory.store.memories import Head, Memory

MAX_FORGOTTEN = 100  # keys of retracted facts that a model is told
MAX_CITED = 100  # items already read that proposals may name; more are as unknown


def shown[H: Head](memory: Memory[H], head: H, room: int) -> tuple[tuple[Fact, ...], Snapshot]:
    """The newest facts, in about so many characters, and what they were then (S5)."""
    known = tuple(fact for fact, _ in fitting(memory.newest(head, room), room))
    steps = {fact.key: fact.step for fact in known}
    return known, Snapshot(step=head.step, generation=head.generation, shown=steps)


def forgotten[H: Head](memory: Memory[H]) -> tuple[str, ...]:
    """The keys of the facts that were retracted last, newest first (S7)."""
    _, facts = memory.whole()
    retracted = sorted((fact for fact in facts if not fact.active), key=newest_first)
    return tuple(fact.key for fact in retracted[:MAX_FORGOTTEN])


def cited(
    history: History, session: Session, proposals: Iterable[Proposal | Malformed], unread: Mapping[str, Item]
) -> dict[str, Item]:
    """The items named beside unread ones, as far as they belong to this history (S6)."""
    named = {name for each in proposals if isinstance(each, Proposal) for name in each.sources} - unread.keys()
    numbers = Ranges.of(number for name in named if (number := item_number(name)))
    return history.some(session, (numbers & session.timeline.items).first(MAX_CITED))
