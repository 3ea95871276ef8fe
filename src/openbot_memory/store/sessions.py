"""Sessions in the table: how they are read, and how a change is written in one transaction."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from openbot_memory.domain.errors import SessionNotFound
from openbot_memory.domain.facts import Fact
from openbot_memory.domain.items import Item
from openbot_memory.domain.session import Session, Version
from openbot_memory.domain.settings import Organization
from openbot_memory.store import keys, rows
from openbot_memory.store.directory import Directory, Listed
from openbot_memory.store.history import Past
from openbot_memory.store.memory import Memory, commit, in_parallel
from openbot_memory.store.table import ABSENT, PRESENT, Check, Condition, Put, Row, Table, Write


class SessionState(NamedTuple):
    session: Session
    organization: Organization


@dataclass(frozen=True, slots=True)
class Sessions:
    table: Table
    org: str

    def pk(self, identifier: str) -> str:
        return keys.session(self.org, identifier)

    def memory(self, identifier: str) -> Memory[Session]:
        """The facts of a session."""
        return Memory(self.table, self.org, self.pk(identifier), rows.to_session, SessionNotFound)

    # Reading

    def organization(self) -> Organization:
        """The organization's settings."""
        return rows.to_organization(self.table.get(keys.organization(self.org))[0])

    def organization_and_agent(self, agent: str | None) -> tuple[Organization, bool]:
        """One request: the organization's settings, and whether the agent exists; True where none is named."""
        wanted = [(keys.agent(self.org, agent), keys.HEAD)] if agent else []
        settings, *found = self.table.get(keys.organization(self.org), *wanted)
        return rows.to_organization(settings), all(found)

    def directory(self) -> Directory:
        """The list of the sessions."""
        return Directory.of_sessions(self.table, self.org)

    def several(self, identifiers: Iterable[str]) -> list[Session]:
        """Those sessions that exist, in the order of the ids; one request for each 100."""
        return [rows.to_session(row) for row in self.table.existing((self.pk(each), keys.HEAD) for each in identifiers)]

    def exists(self, identifier: str) -> bool:
        """Whether the id is taken, also by a session that is being deleted."""
        pk = self.pk(identifier)
        return any(self.table.get((pk, keys.HEAD), (pk, keys.DELETED)))

    def state(self, identifier: str) -> SessionState:
        """One request: the session and the organization's settings. Raises SessionNotFound."""
        return self._state_and(identifier)[0]

    def state_with_turn(self, identifier: str, turn: str) -> tuple[SessionState, Row | None]:
        """One request: the state, and the idempotency record of a turn. Raises SessionNotFound."""
        state, (record,) = self._state_and(identifier, keys.turn(turn))
        return state, record

    def _state_and(self, identifier: str, *others: str) -> tuple[SessionState, list[Row | None]]:
        pk = self.pk(identifier)
        wanted = ((pk, sk) for sk in others)
        head, settings, *found = self.table.get((pk, keys.HEAD), keys.organization(self.org), *wanted)
        return SessionState(self.memory(identifier).head(head), rows.to_organization(settings)), found

    def state_with(self, identifier: str, key: str) -> tuple[SessionState, Fact | None]:
        """One round of two requests: the state, and the fact of a key under whichever generation is current."""
        found = in_parallel.submit(self.memory(identifier).under, key)
        state = self.state(identifier)
        return state, found.result().get(state.session.generation)

    def whole(self, identifier: str) -> tuple[SessionState, list[Fact]]:
        """One Query a page, with the organization's settings beside it. Raises SessionNotFound."""
        organization = in_parallel.submit(self.organization)
        session, facts = self.memory(identifier).whole()
        return SessionState(session, organization.result()), facts

    # Writing

    def commit(
        self,
        before: Session | None,
        after: Session,
        *,
        facts: Sequence[Fact] = (),
        facts_before: Mapping[str, Fact] | None = None,
        items: Iterable[Item] = (),
        version: Version | None = None,
        record: Put | None = None,
        erased: Fact | None = None,
        also: Iterable[Write] = (),
    ) -> None:
        """Write one change in one transaction, with `also` its idempotency record.

        Raises Stale if the session or one of its facts is not as before, AlreadyKept if only the record stands.
        """
        pk, memory = self.pk(after.id), self.memory(after.id)
        writes: list[Write] = [Put(rows.session_row(pk, after), _as_read(before))]
        writes += [] if before else self._may_begin(after)
        writes += memory.writes(after, facts, facts_before or {})
        writes += [Put(rows.item_row(pk, item), ABSENT) for item in items]
        writes += [Put(rows.version_row(pk, version), ABSENT)] if version else []
        writes += [record] if record else []
        writes += [memory.bury(erased)] if erased else []
        commit(self.table, writes, also)

    def create_fork(self, fork: Session, version: Version, past: Past, also: Iterable[Write]) -> None:
        """Write a new fork. Raises Stale if a session has this id, or the source is gone."""
        pk, source = self.pk(fork.id), self.pk(past.ancestors[-1].session)
        needed = {"items": str(fork.timeline.items), "steps": str(past.line)}
        writes = [
            Put(rows.session_row(pk, fork), ABSENT),
            Put(rows.version_row(pk, version), ABSENT),
            Put(past.row(pk), ABSENT),
            self._not_being_deleted(fork.id),
            self._listed(fork),
            Check((source, keys.HEAD), PRESENT),
            Put({"pk": source, "sk": f"{keys.FORKS}{fork.id}", **needed}, ABSENT),
        ]
        commit(self.table, writes, also)

    def _may_begin(self, session: Session) -> list[Write]:
        """A new session's id is free, and its agent exists; it is listed from now on."""
        agent = [Check((keys.agent(self.org, session.agent), keys.HEAD), PRESENT)] if session.agent else []
        return [self._not_being_deleted(session.id), *agent, self._listed(session)]

    def _listed(self, session: Session) -> Put:
        return self.directory().add(Listed(session.created_at, session.id), session.agent)

    def _not_being_deleted(self, identifier: str) -> Check:
        """An id is free again only when the last row of a deleted session is gone."""
        return Check((self.pk(identifier), keys.DELETED), ABSENT)

    def reserve(self, session: Session, count: int) -> Session:
        """Take the next item numbers for one writer alone. The revision stays. Raises Stale."""
        after = replace(session, next_item=session.next_item + count)
        self.commit(session, after)
        return after

    def write_items(self, identifier: str, items: Iterable[Item]) -> None:
        """Write items under reserved numbers; no version names them yet."""
        self.table.write_unseen(rows.item_row(self.pk(identifier), item) for item in items)

    def turn_record(self, identifier: str, turn: str, digest: str, answer: str) -> Put:
        """The idempotency record of a turn."""
        row = {"pk": self.pk(identifier), "sk": keys.turn(turn), "digest": digest, "answer": answer}
        return Put(row, ABSENT)

    def write_tombstones(self, identifier: str, tombstones: Iterable[Fact]) -> None:
        """Copy into a fork, before it is visible, the tombstones of its source."""
        self.table.write_unseen(rows.tombstone_row(self.pk(identifier), tombstone) for tombstone in tombstones)


def _as_read(before: Session | None) -> Condition:
    """The session row is as it was read, reservations included."""
    if before is None:
        return ABSENT
    return Condition.equals(revision=before.revision, next_item=before.next_item)
