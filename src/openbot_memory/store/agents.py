"""Agents in the table: how they and their entries are read, and how a change of any size becomes one version."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import batched, chain
from typing import NamedTuple

from openbot_memory.domain.agent import Agent, Progress
from openbot_memory.domain.errors import AgentNotFound
from openbot_memory.domain.facts import Fact
from openbot_memory.domain.session import Version
from openbot_memory.store import keys, rows
from openbot_memory.store.directory import Directory, Listed
from openbot_memory.store.history import ENDLESS
from openbot_memory.store.memory import Memory, commit, in_parallel
from openbot_memory.store.table import ABSENT, Condition, Put, Row, Table, Write, flat

SHORT_LINE = 80  # characters of the memory text that a usual entry takes at least; shorter ones take another page
PART = 20  # changes that fit one row, whatever their content
PART_KEYS = 500


class Learned(NamedTuple):
    """How far an agent has learned from a session, before and after a change; None before the first."""

    session: str
    before: Progress | None
    after: Progress


@dataclass(frozen=True, slots=True)
class Agents:
    table: Table
    org: str

    def pk(self, identifier: str) -> str:
        return keys.agent(self.org, identifier)

    def memory(self, identifier: str) -> Memory[Agent]:
        """The entries of an agent."""
        return Memory(self.table, self.org, self.pk(identifier), rows.to_agent, AgentNotFound)

    # Reading

    def agent(self, identifier: str) -> Agent:
        """Raises AgentNotFound."""
        return self.memory(identifier).read_head()

    def directory(self) -> Directory:
        """The list of the agents."""
        return Directory.of_agents(self.table, self.org)

    def several(self, identifiers: Iterable[str]) -> list[Agent]:
        """Those agents that exist, in the order of the ids; one request for each 100."""
        return [rows.to_agent(row) for row in self.table.existing((self.pk(each), keys.HEAD) for each in identifiers)]

    def agent_with(self, identifier: str, key: str) -> tuple[Agent, Fact | None]:
        """One round of two requests: the agent, and its entry of a key. Raises AgentNotFound."""
        found = in_parallel.submit(self.memory(identifier).under, key)
        agent = self.agent(identifier)
        return agent, found.result().get(agent.generation)

    def newest(self, identifier: str, characters: int | None) -> tuple[Agent, Iterator[Fact]] | None:
        """The agent and its active entries, newest first, in one Query: its row stands before them in the index.

        `characters` says how much memory text is wanted, and bounds a page; None: all.
        """
        limit = None if characters is None else characters // SHORT_LINE + 1
        pages = self.table.query(self.pk(identifier), newest_first=True, index=True, limit=limit)
        first = next(pages)
        if not first or first[0]["sk"] != keys.HEAD:
            return None
        agent, others = rows.to_agent(first[0]), first[1:]
        if others and others[0]["generation"] != agent.generation:  # of a Restore that is at work or has died
            return agent, self.memory(identifier).newest(agent, characters or agent.tally.characters)
        return agent, _of_generation(agent, others, pages)

    def agent_and_progress(self, identifier: str, session: str) -> tuple[Agent, Progress | None]:
        """One request: the agent, and how far it has learned from a session. Raises AgentNotFound."""
        pk = self.pk(identifier)
        head, progress = self.table.get((pk, keys.HEAD), (pk, keys.progress(session)))
        return self.memory(identifier).head(head), rows.to_progress(progress) if progress else None

    # The log

    def log(self, identifier: str, before: int | None, limit: int) -> list[Version]:
        """Return up to `limit` versions, newest first, from below version `before`."""
        between = _number(0), _number((before or ENDLESS + 1) - 1)
        pages = self.table.query(self.pk(identifier), between=between, limit=limit, newest_first=True)
        return [self._version(identifier, row) for row in next(pages)]

    def version(self, identifier: str, number: int) -> Version | None:
        (row,) = self.table.get((self.pk(identifier), _number(number)))
        return self._version(identifier, row) if row else None

    def versions(self, identifier: str, first: int, last: int) -> Iterator[Version]:
        """Yield the versions of these numbers, oldest first."""
        if last < first:
            return  # DynamoDB refuses such a range
        for page in self.table.query(self.pk(identifier), between=(_number(first), _number(last))):
            yield from (self._version(identifier, row) for row in page)

    def _version(self, identifier: str, row: Row) -> Version:
        version = rows.to_version(row)
        if "more" not in row:
            return version
        parts = flat(self.table.query(self.pk(identifier), f"{keys.PARTS}{row['more']}#"))
        return replace(
            version,
            changes=tuple(rows.to_fact(fact) for part in parts for fact in part["changes"]),
            removed=tuple(key for part in parts for key in part["removed"]),
        )

    # Writing

    def create(self, agent: Agent, also: Iterable[Write]) -> None:
        """Raises Stale if an agent has this id."""
        listed = self.directory().add(Listed(agent.created_at, agent.id))
        commit(self.table, [Put(rows.agent_row(self.pk(agent.id), agent), ABSENT), listed], also)

    def commit(
        self,
        before: Agent,
        after: Agent,
        version: Version,
        entries_before: Mapping[str, Fact],
        *,
        learned: Learned | None = None,
        erased: Fact | None = None,
        also: Iterable[Write] = (),
    ) -> None:
        """Write a version with its changes in one transaction. Raises Stale, AlreadyKept."""
        memory = self.memory(after.id)
        writes = self._next(before, after, rows.version_row(self.pk(after.id), version))
        writes += memory.writes(after, version.changes, entries_before)
        writes += [self._learned(after.id, learned)] if learned else []
        writes += [memory.bury(erased)] if erased else []
        commit(self.table, writes, also)

    def replace(
        self, before: Agent, after: Agent, version: Version, entries: Collection[Fact], also: Iterable[Write] = ()
    ) -> None:
        """Write all entries and a version of any size under a new generation, then make it the current one.

        Raises Stale, AlreadyKept.
        """
        pk = self.pk(after.id)
        self.memory(after.id).write_ahead(after.generation, entries, base=before.version)
        parts = [
            *(rows.changes(some) for some in batched(version.changes, PART, strict=False)),
            *(rows.changes((), some) for some in batched(version.removed, PART_KEYS, strict=False)),
        ]
        self.table.write_unseen(
            {"pk": pk, "sk": keys.part(after.generation, number), "base": before.version, **part}
            for number, part in enumerate(parts)
        )
        row = rows.version_row(pk, replace(version, changes=(), removed=())) | {"more": after.generation}
        commit(self.table, self._next(before, after, row), also)

    def save_progress(self, identifier: str, learned: Learned) -> None:
        """Record how far an agent has learned, where that changed no entry. Raises Stale."""
        commit(self.table, [self._learned(identifier, learned)], ())

    def _next(self, before: Agent, after: Agent, version: Row) -> list[Write]:
        unchanged = Condition.equals(version=before.version)
        return [Put(rows.agent_row(self.pk(after.id), after), unchanged), Put(version, ABSENT)]

    def _learned(self, identifier: str, learned: Learned) -> Put:
        unchanged = Condition.equals(count=learned.before.count) if learned.before else ABSENT
        return Put(rows.progress_row(self.pk(identifier), learned.session, learned.after), unchanged)

    def clean(self, agent: Agent) -> None:
        """Delete the entries and parts of versions that nobody can reach any more."""
        pk = self.pk(agent.id)
        self.memory(agent.id).clean(agent, agent.version)
        parts = [row for row in flat(self.table.query(pk, keys.PARTS)) if row["base"] < agent.version]
        self.table.delete_unseen((pk, row["sk"]) for row in parts if not self._belongs_to_version(agent.id, row))

    def _belongs_to_version(self, identifier: str, part: Row) -> bool:
        (version,) = self.table.get((self.pk(identifier), _number(part["base"] + 1)))
        return version is not None and part["sk"].startswith(f"{keys.PARTS}{version.get('more')}#")


def _number(version: int) -> str:
    return keys.version(version, turn=False)


def _of_generation(agent: Agent, first: list[Row], pages: Iterator[list[Row]]) -> Iterator[Fact]:
    """The active entries at hand, then those of the following pages, up to a forgotten one or another generation."""
    for page in chain([first], pages):
        for row in page:
            fact = rows.to_fact(row)
            if row["generation"] != agent.generation or not fact.active:
                return
            yield fact
