"""Which items are read next, and what becomes of a batch that fails: it never grows, and never blocks for good (S8)."""

from collections.abc import Iterable

from openbot_memory.domain.errors import FailureCause
from openbot_memory.domain.items import Item
from openbot_memory.domain.ranges import Ranges
from openbot_memory.domain.session import Batch, Failure

MAX_ITEMS = 50  # of one batch
MAX_CHARACTERS = 60_000  # of its texts, unless a single one is longer
HALVED_AFTER = 3  # failures of a batch
PASSED_OVER_AFTER = 5  # failures of a single item


def next_batch(failed: Batch | None, unread: Ranges) -> Ranges:
    """The numbers to read next: those of a failed batch as it was, else the oldest."""
    return ((failed.items & unread) if failed else Ranges()) or unread.first(MAX_ITEMS)


def bounded(items: Iterable[Item]) -> list[Item]:
    """As many items as one batch may hold, at least one."""
    batch, room = list[Item](), MAX_CHARACTERS
    for item in items:
        room -= item.size
        if batch and room < 0:
            break
        batch.append(item)
    return batch


def after_failure(failed: Batch | None, items: Ranges, cause: FailureCause) -> Batch | None:
    """What to read next time, now that this batch failed. None: a single item is passed over.

    Only a failure that the items can have caused counts towards halving and passing over.
    """
    again = failed is not None and not items - failed.items
    before = failed.failures if failed and again else 0
    if cause is not FailureCause.CONTENT:
        return Batch(items, before)
    failures = before + 1
    if len(items) == 1:
        return Batch(items, failures) if failures < PASSED_OVER_AFTER else None
    if failures == HALVED_AFTER:
        return Batch(items.first((len(items) + 1) // 2), 0)
    return Batch(items, failures)


def failure(before: Failure | None, message: str, at: int) -> Failure:
    """One more failure in a row, told in the service's own words."""
    return Failure(message, at, before.attempts + 1 if before else 1)
