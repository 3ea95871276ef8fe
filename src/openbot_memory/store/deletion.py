"""The deletion of a session's rows. Every step may be repeated."""

from dataclasses import dataclass

from openbot_memory.domain.ranges import Ranges
from openbot_memory.domain.session import Session
from openbot_memory.store import keys
from openbot_memory.store.directory import Directory, Listed
from openbot_memory.store.history import Past
from openbot_memory.store.memory import commit
from openbot_memory.store.table import ABSENT, PRESENT, Check, Condition, Delete, Put, Row, Table, flat


@dataclass(frozen=True, slots=True)
class Deletion:
    table: Table
    org: str

    def _pk(self, identifier: str) -> str:
        return keys.session(self.org, identifier)

    def begin(self, session: Session, now: int) -> None:
        """Make the session unknown to all at once, and take it from the list. Raises Stale if it changed meanwhile."""
        pk = self._pk(session.id)
        unchanged = Condition.equals(revision=session.revision)
        deleted = Put({"pk": pk, "sk": keys.DELETED, "at": now}, ABSENT)
        listed = Directory.of_sessions(self.table, self.org).remove(Listed(session.created_at, session.id))
        commit(self.table, [Delete((pk, keys.HEAD), unchanged), deleted, listed])

    def deleted_at(self, identifier: str) -> int | None:
        """When the deletion began (ms); None if there is none or it is done."""
        row = self.table.get((self._pk(identifier), keys.DELETED))[0]
        return row["at"] if row else None

    def delete_rows(self, identifier: str) -> None:
        """Delete every row but the items and versions on the line of a fork."""
        pk = self._pk(identifier)
        items, steps = Ranges(), Ranges()
        for fork in self._forks(identifier):
            items, steps = items | Ranges.parse(fork["items"]), steps | Ranges.parse(fork["steps"])

        def stays(sk: str) -> bool:
            kind, _, number = sk.partition("#")
            match kind:
                case "I":
                    return int(number) in items
                case "T" | "V":
                    return int(number) in steps
                case _:
                    return sk in {keys.DELETED, keys.ANCESTORS} or sk.startswith(keys.FORKS)

        self.table.delete_unseen(
            (pk, row["sk"]) for page in self.table.query(pk) for row in page if not stays(row["sk"])
        )

    def is_needed_by_forks(self, identifier: str) -> bool:
        """Whether forks still need some of its rows."""
        return bool(self._forks(identifier))

    def release_parent(self, identifier: str) -> str | None:
        """Remove a fork from the session that it was made of, which may then be deleted whole. Returns that one."""
        pk = self._pk(identifier)
        (ancestors,) = self.table.get((pk, keys.ANCESTORS))
        if not ancestors:
            return None
        parent = Past.of(ancestors).ancestors[-1].session
        fork = self._pk(parent), f"{keys.FORKS}{identifier}"
        if any(self.table.get(fork)):
            self.table.commit(Check((pk, keys.DELETED), PRESENT), Delete(fork, PRESENT))
        return parent

    def finish(self, identifier: str) -> None:
        """Delete the last rows: only now is the id free again."""
        pk = self._pk(identifier)
        left = [key for key in ((pk, keys.DELETED), (pk, keys.ANCESTORS)) if any(self.table.get(key))]
        self.table.commit(*(Delete(key, PRESENT) for key in left))

    def _forks(self, identifier: str) -> list[Row]:
        """The rows of its forks, which say what these need."""
        return flat(self.table.query(self._pk(identifier), keys.FORKS))
