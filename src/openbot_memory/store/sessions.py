"""Sessions: how they are read, and how a change is written in one transaction."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from openbot_memory.domain.errors import SessionNotFound
from openbot_memory.domain.facts import Fact
from openbot_memory.domain.items import Item
from openbot_memory.domain.session import Session, Version
from openbot_memory.domain.settings import Organization
from openbot_memory.store import keys, rows
from openbot_memory.store.history import Line
from openbot_memory.store.memories import Memory, beside, commit
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
        return Memory(self.table, self.pk(identifier), rows.to_session, SessionNotFound)

    # Reading

    def organization(self) -> Organization:
        """Read the organization's settings."""
        return rows.to_organization(self.table.get(keys.organization(self.org))[0])

    def exists(self, identifier: str) -> bool:
        """Whether the id is taken, also by a session whose rows are going."""
        pk = self.pk(identifier)
        return any(self.table.get((pk, keys.HEAD), (pk, keys.DELETED)))

    def state(self, identifier: str) -> SessionState:
        """One request: the session and the organization's settings. Raises SessionNotFound."""
        head, settings = self.table.get((self.pk(identifier), keys.HEAD), keys.organization(self.org))
        if head is None:
            raise SessionNotFound
        return SessionState(rows.to_session(head), rows.to_organization(settings))

    def state_with(self, identifier: str, key: str) -> tuple[SessionState, Fact | None]:
        """One round of two requests: the state, and the fact of a key under whichever generation is current."""
        found = beside.submit(self.memory(identifier).under, key)
        state = self.state(identifier)
        return state, found.result().get(state.session.generation)

    def whole(self, identifier: str) -> tuple[SessionState, list[Fact]]:
        """One Query a page, with the organization's settings beside it. Raises SessionNotFound."""
        organization = beside.submit(self.organization)
        session, facts = self.memory(identifier).whole()
        return SessionState(session, organization.result()), facts

    def state_with_turn(self, identifier: str, turn: str) -> tuple[SessionState, Row | None]:
        """One request: the state, and what was kept of a turn."""
        pk = self.pk(identifier)
        head, settings, kept = self.table.get((pk, keys.HEAD), keys.organization(self.org), (pk, keys.turn(turn)))
        if head is None:
            raise SessionNotFound
        return SessionState(rows.to_session(head), rows.to_organization(settings)), kept

    # Writing

    def commit(
        self,
        before: Session | None,
        after: Session,
        *,
        facts: Iterable[Fact] = (),
        facts_before: Mapping[str, Fact] | None = None,
        items: Iterable[Item] = (),
        version: Version | None = None,
        receipt: Put | None = None,
        erased: Fact | None = None,
        also: Iterable[Write] = (),
    ) -> None:
        """Write one change in one transaction, with `also` what keeps its answer.

        Raises Stale if the session or one of its facts is not as before, AlreadyKept if only an answer stands.
        """
        pk, memory = self.pk(after.id), self.memory(after.id)
        writes: list[Write] = [Put(rows.session_row(pk, after), _as(before))]
        writes += [] if before else [self._not_going(after.id)]
        writes += memory.writes(after, facts, facts_before or {})
        writes += [Put(rows.item_row(pk, item), ABSENT) for item in items]
        writes += [Put(rows.version_row(pk, version), ABSENT)] if version else []
        writes += [receipt] if receipt else []
        writes += [memory.erase(erased)] if erased else []
        commit(self.table, writes, also)

    def create_fork(self, fork: Session, version: Version, ancestors: Sequence[Line], also: Iterable[Write]) -> None:
        """Write a new fork. Raises Stale if a session has this id, or the source is gone."""
        pk, source = self.pk(fork.id), self.pk(ancestors[-1].session)
        needed = Line(fork.id, fork.next_item, fork.step)
        writes = [
            Put(rows.session_row(pk, fork), ABSENT),
            Put(rows.version_row(pk, version), ABSENT),
            Put({"pk": pk, "sk": keys.ANCESTORS, "lines": [list(line) for line in ancestors]}, ABSENT),
            self._not_going(fork.id),
            Check((source, keys.HEAD), PRESENT),
            Put({"pk": source, "sk": f"{keys.FORKS}{fork.id}", "line": list(needed)}, ABSENT),
        ]
        commit(self.table, writes, also)

    def _not_going(self, identifier: str) -> Check:
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

    def turn_receipt(self, identifier: str, turn: str, digest: str, answer: str) -> Put:
        row = {"pk": self.pk(identifier), "sk": keys.turn(turn), "digest": digest, "answer": answer}
        return Put(row, ABSENT)

    def write_erased(self, identifier: str, stubs: Iterable[Fact]) -> None:
        """Take over into a fork, before it is there, what its source has erased."""
        self.table.write_unseen(rows.erased_row(self.pk(identifier), stub) for stub in stubs)


def _as(before: Session | None) -> Condition:
    """The session row is as it was read, reservations included."""
    if before is None:
        return ABSENT
    return Condition.equals(revision=before.revision, next_item=before.next_item)
