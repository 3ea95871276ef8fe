"""The ids that may stand in a path, and so in a key: of organizations, principals, sessions and agents."""

import re

from openbot_memory.domain.errors import InvalidRequest

PATTERN = "[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
_ID = re.compile(PATTERN)


def identifier(value: str, path: str) -> str:
    """Return an id as it is. Raises InvalidRequest unless it matches the pattern."""
    if not _ID.fullmatch(value):
        raise InvalidRequest.at(path, f"An id matches {PATTERN}.")
    return value
