"""Generates the OpenAPI document and writes it to the file that the read function serves."""

import importlib
import json
from collections.abc import Iterator
from typing import Any, cast

from aws_lambda_powertools.event_handler.openapi.models import HTTPBearer

from openbot_memory.http.openapi import WRITTEN
from openbot_memory_openapi.contract import operations
from openbot_memory_openapi.routing import app

UNUSED = (
    "ValidationError",
    "HTTPValidationError",
    "ResponseValidationError",
)  # added by Powertools; no route answers with them
PARTIAL = ("Settings", "MemorySettings", "ConfigureBody")  # an absent field is left unchanged, so it has no default
ABOUT = (
    "Learned memory for AI agents. Refusals have one shape: `_tag`, `message`, and fields that help. "
    "What the gateway itself answers has only a `message`."
)

type Json = dict[str, Any]


def generate() -> str:
    """The document as JSON text."""
    for routes in ("session_routes", "agent_routes"):
        importlib.import_module(f"openbot_memory_openapi.{routes}")
    written = app.get_openapi_json_schema(
        title="OpenBot Memory",
        version="1",
        description=ABOUT,
        security_schemes={"token": HTTPBearer()},
        security=[{"token": []}],
    )
    document = _tidy(json.loads(written))
    _tidy_schemas(document["components"]["schemas"])
    document["components"]["responses"] = _shared_responses(document)
    for header in _headers(document):
        header["name"] = header["name"].title()  # Powertools writes it in lower case
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _headers(document: Json) -> Iterator[Json]:
    for _, operation in operations(document):
        yield from (each for each in operation.get("parameters", ()) if each["in"] == "header")


def _tidy_schemas(schemas: Json) -> None:
    for name in UNUSED:
        schemas.pop(name, None)
    for name in PARTIAL:
        for each in schemas[name]["properties"].values():
            each.pop("default", None)


def _shared_responses(document: Json) -> Json:
    """Collect equal error responses, and let the routes refer to them by status and tags."""
    found: Json = {}
    for _, operation in operations(document):
        for status, response in operation["responses"].items():
            examples = response["content"]["application/json"].get("examples")
            if examples:
                name = "-".join([status, *examples])
                found[name] = response
                operation["responses"][status] = {"$ref": f"#/components/responses/{name}"}
    return dict(sorted(found.items()))


def _tidy(value: Any, *, names: bool = False) -> Any:  # noqa: ANN401 - JSON
    """Drop titles that only repeat a name and defaults that are null, and write whole numbers without a fraction."""
    match value:
        case list():
            return [_tidy(each) for each in cast("list[Any]", value)]
        case dict():
            fields = cast("Json", value)
            kept = {name: each for name, each in fields.items() if names or not _is_redundant(name, each, fields)}
            return {name: _tidy(each, names=name in {"properties", "schemas"}) for name, each in kept.items()}
        case float() if value.is_integer():
            return int(value)
        case _:
            return value


def _is_redundant(name: str, value: object, around: Json) -> bool:
    return (name == "title" and "version" not in around) or (name == "default" and value is None)


if __name__ == "__main__":
    WRITTEN.write_text(generate())
