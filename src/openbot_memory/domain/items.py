"""The history's items: what was said and done in a session, in order."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from openbot_memory.domain.facts import Person


class ItemType(StrEnum):
    MESSAGE = "message"
    TOOL_CALL = "tool-call"
    TOOL_RESULT = "tool-result"
    APPROVAL = "approval"
    ACTION = "action"
    MEMORY = "memory"  # a hand-made change (S11), never offered to the model


FROM_APPS = frozenset({ItemType.TOOL_RESULT, ItemType.ACTION})  # outside data, never a support (A4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item. `body` holds the fields of its type exactly as they were sent (role, text, app, arguments, ...)."""

    number: int
    type: ItemType
    at: int  # ms since the epoch
    body: dict[str, Any]
    turn: str | None = None
    person: Person | None = None

    @property
    def id(self) -> str:
        return item_id(self.number)

    @property
    def text(self) -> str:
        return str(self.body.get("text", ""))

    @property
    def size(self) -> int:
        """About how many characters it takes to show the item."""
        return sum(len(str(value)) for value in self.body.values())

    @property
    def speaker(self) -> Person | None:
        """The person whose words or decision it is, if that is known; an assistant's and an app's have none."""
        return self.person if self.from_person else None

    @property
    def from_person(self) -> bool:
        return self.from_user or self.type in {ItemType.APPROVAL, ItemType.MEMORY}

    @property
    def from_user(self) -> bool:
        return self.type is ItemType.MESSAGE and self.body.get("role") == "user"


def item_id(number: int) -> str:
    return f"i-{number:02d}"


def item_number(identifier: str) -> int | None:
    """Read `i-07` as 7; None for what is not an item id exactly as the service writes it."""
    digits = identifier.removeprefix("i-")
    if len(digits) > 18 or not (digits.isascii() and digits.isdigit()) or item_id(int(digits)) != identifier:  # noqa: PLR2004 - a number this long is no item
        return None
    return int(digits)
