"""Lists in pages: which part of a list is asked for, and the cursor that goes on behind it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from openbot_memory.domain.errors import InvalidRequest, Unavailable
from openbot_memory.domain.facts import Fact, Kind, Status
from openbot_memory.domain.session import Version
from openbot_memory.store.memory import READS, Head, Memory
from openbot_memory.use_cases.cursors import seal, unseal
from openbot_memory.use_cases.views import fact_view, fitting_in
from openbot_memory.use_cases.world import Json

PAGE = 100  # of a list, unless asked otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    limit: int = PAGE
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which facts of a memory are asked for: all that fit an answer, a page, or those near to a query."""

    query: str | None = None
    status: Status | None = None
    kind: Kind | None = None
    limit: int | None = None
    cursor: str | None = None

    @property
    def size(self) -> int:
        return self.limit or PAGE

    @property
    def everything(self) -> bool:
        return self.limit is None and self.cursor is None

    def __call__(self, fact: Fact) -> bool:
        return self.status in {None, fact.status} and self.kind in {None, fact.kind}


def shown[T](
    secret: str,
    name: str,
    found: Sequence[T],
    limit: int,
    view: Callable[[T], Json],
    position: Callable[[T], Iterable[int]],
) -> tuple[list[Json], str | None]:
    """The views of up to `limit` that fit an answer, and the cursor behind the last where there is more."""
    views = fitting_in(map(view, found[:limit]))
    if len(found) <= len(views):
        return views, None
    return views, seal(secret, name, *position(found[len(views) - 1]))


def facts_shown(head: Head, found: Sequence[Fact], limit: int | None = None) -> tuple[list[Json], dict[str, str]]:
    """The views of up to `limit` facts that fit an answer, and `cursor` where there is more."""
    limit = len(found) if limit is None else limit
    views, cursor = shown(head.generation, "memory", found, limit, fact_view, lambda fact: (fact.step, fact.order))
    return views, {"cursor": cursor} if cursor else {}


type Changes[H: Head] = Callable[[H, int], Version | None]  # what was changed at a step


def page_of_facts[H: Head](
    memory: Memory[H], head: H, again: Callable[[], H], changes: Changes[H], wanted: Wanted
) -> tuple[H, list[Fact]]:
    """A page of facts and one more, in the order of their keys, read while the memory kept its generation."""
    for _ in range(READS):
        after = _key_before(head, changes, wanted.cursor)
        facts = memory.page(head, after, wanted.size + 1, wanted)
        seen, head = head, again()
        if head.generation == seen.generation:
            return seen, facts
    raise Unavailable


def _key_before[H: Head](head: H, changes: Changes[H], cursor: str | None) -> str | None:
    """The key that a cursor goes on behind. A cursor names the change that wrote the fact, never the key itself.

    The fact may have changed since; the version that wrote it then still exists.
    """
    if cursor is None:
        return None
    step, order = map(int, unseal(head.generation, "memory", cursor))
    version = changes(head, step)
    for fact in version.changes if version else ():
        if fact.order == order:
            return fact.key
    raise InvalidRequest.at(
        "cursor", "The fact that this cursor goes on behind is gone. Begin again without the cursor."
    )
