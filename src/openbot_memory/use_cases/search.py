"""Search in a memory: the facts nearest to a query, best first, in pages."""

from collections.abc import Iterable
from zlib import crc32

from openbot_memory.domain.errors import InvalidRequest
from openbot_memory.domain.facts import Fact, Status
from openbot_memory.domain.ranking import search
from openbot_memory.store.memory import Head
from openbot_memory.use_cases.cursors import seal, unseal
from openbot_memory.use_cases.pages import Wanted
from openbot_memory.use_cases.views import fact_view, fitting_in
from openbot_memory.use_cases.world import Json


def found(head: Head, facts: Iterable[Fact], query: str, wanted: Wanted) -> Json:
    """A page of the wanted facts that come near to the query; active ones, unless another status is asked for.

    Pages hold no fact twice and miss none: a cursor goes on only in the memory as it was. Raises InvalidRequest where
    it has changed since.
    """
    every = list(facts)
    status = wanted.status or Status.ACTIVE
    searched = [query, status, wanted.kind, max((fact.step for fact in every), default=0)]  # of the newest change
    made_for = crc32(repr(searched).encode())
    begin = _begin(head, made_for, wanted.cursor) if wanted.cursor else 0

    near = search(query, [fact for fact in every if wanted(fact) and fact.status is status])
    views = fitting_in(map(fact_view, near[begin : begin + wanted.size]))
    end = begin + len(views)
    return {
        "entries": {view["key"]: view for view in views},
        "found": [view["key"] for view in views],
        "cursor": seal(head.generation, "search", made_for, end) if end < len(near) else None,
    }


def _begin(head: Head, made_for: int, cursor: str) -> int:
    made, begin = map(int, unseal(head.generation, "search", cursor))
    if made != made_for:
        raise InvalidRequest.at("cursor", "The memory has changed since, or this is another search. Search again.")
    return begin
