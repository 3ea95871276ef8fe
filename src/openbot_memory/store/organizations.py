"""An organization's settings: one row, absent until the first change."""

from collections.abc import Callable
from dataclasses import dataclass

from openbot_memory.domain.settings import Organization
from openbot_memory.store import keys, rows
from openbot_memory.store.memory import Stale
from openbot_memory.store.table import ABSENT, Condition, ConditionFailed, Put, Table


@dataclass(frozen=True, slots=True)
class Organizations:
    table: Table

    def change(self, org: str, change: Callable[[Organization], Organization]) -> Organization:
        """Read, change and write the settings. Raises Stale if they were changed meanwhile."""
        row = self.table.get(keys.organization(org))[0]
        after = change(rows.to_organization(row))
        unchanged = Condition.equals(revision=row["revision"]) if row else ABSENT
        revision = row["revision"] + 1 if row else 1
        try:
            self.table.commit(Put(rows.organization_row(org, after, revision), unchanged))
        except ConditionFailed as failed:
            raise Stale from failed
        return after
