"""Parses a request body: what pydantic finds wrong becomes the issues of a 400, by field path."""

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from openbot_memory.domain.errors import InvalidRequest

MAX_ISSUES = 20
UNIONS = {"items": 2, "command": 1}  # where a path names the model that pydantic chose by its tag
TAGS = {"items": "type", "command": "_tag"}


def parse[B: BaseModel](kind: type[B], body: object) -> B:
    """Raises InvalidRequest with an issue for each field that is wrong, by its path in the body."""
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        issues = [_issue(each) for each in error.errors(include_url=False, include_input=False, include_context=False)]
        raise InvalidRequest(issues=issues[:MAX_ISSUES]) from None


def _issue(error: ErrorDetails) -> dict[str, str]:
    path = [str(step) for step in error["loc"]]
    if path and path[0] in UNIONS:
        if error["type"].startswith("union_tag"):
            path.append(TAGS[path[0]])
        elif len(path) > UNIONS[path[0]]:
            del path[UNIONS[path[0]]]
    return {"path": ".".join(path), "message": error["msg"]}
