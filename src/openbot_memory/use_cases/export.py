"""The export of a session or an agent: one document, in pages whose lists the reader joins."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from openbot_memory.domain.errors import InvalidRequest
from openbot_memory.use_cases import read
from openbot_memory.use_cases.pages import Page, Wanted
from openbot_memory.use_cases.world import Json, Reader

LIMIT = 500  # of a list, read at once
FULL = 1_000_000  # bytes after which a page ends; a list at once has at most four times as many

type Read = Callable[[str | None], Json]  # from a cursor on, with the cursor of what follows


def session(reader: Reader, org: str, identifier: str, cursor: str | None) -> Json:
    """The view, then `entries`, `log` and `items`. Raises SessionNotFound, InvalidRequest for a bad cursor."""
    sections: dict[str, Read] = {
        "entries": lambda at: read.session_memory(reader, org, identifier, Wanted(limit=LIMIT, cursor=at)),
        "log": lambda at: read.session_log(reader, org, identifier, Page(limit=LIMIT, cursor=at)),
        "items": lambda at: read.items(reader, org, identifier, Page(limit=LIMIT, cursor=at)),
    }
    return read.session(reader, org, identifier) | _document(sections, cursor)


def agent(reader: Reader, org: str, identifier: str, cursor: str | None) -> Json:
    """The view, then `entries` and `log`. Raises AgentNotFound, InvalidRequest for a bad cursor."""
    sections: dict[str, Read] = {
        "entries": lambda at: read.agent_memory(reader, org, identifier, Wanted(limit=LIMIT, cursor=at)),
        "log": lambda at: read.agent_log(reader, org, identifier, Page(limit=LIMIT, cursor=at)),
    }
    return read.agent(reader, org, identifier) | _document(sections, cursor)


def _document(sections: Mapping[str, Read], cursor: str | None) -> Json:
    """A page: its cursor names the list that it goes on with, before that list's own cursor."""
    names, found = list(sections), dict[str, Any]()
    name, _, inner = (cursor or names[0]).partition(".")
    if name not in names:
        raise InvalidRequest.at("cursor", "The cursor is not one of this list. Begin again without it.")
    size = 0
    for section in names[names.index(name) :]:
        more = inner or None
        while size < FULL:
            page = sections[section](more)
            part, more = page[section], page.get("cursor")
            found[section] = _joined(found.get(section), part)
            size += len(json.dumps(part, ensure_ascii=False).encode())
            if more is None:
                break
        else:
            return found | {"cursor": f"{section}.{more or ''}"}
        inner = ""
    return found | {"cursor": None}


def _joined(before: Any, part: Any) -> Any:  # noqa: ANN401 - an object by key, or a list
    if before is None:
        return part
    return before | part if isinstance(part, dict) else before + part
