"""Holds what is sent and answered to the document: a schema each, compiled when it is first needed."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import jsonschema_rs

from openbot_memory.http.document import WRITTEN

type Json = dict[str, Any]

JSON = "application/json"
SUCCESSES = range(200, 300)


def operations(document: Json) -> Iterator[tuple[str, Json]]:
    """Each operation by its route, for example `GET /v1/organization`."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def check(route: str, sent: object, status: int, answer: object, headers: Mapping[str, str]) -> None:
    """Raise AssertionError where the document forbids this answer, or what was sent although it was carried out."""
    response = _response(route, status)
    _hold(headers.get("content-type", "").startswith(JSON), f"{route} answered {headers}")
    for name in response.get("headers", {}):
        _hold(name.lower() in headers, f"{route} answered {status} without {name}")
    _fit(_answers(route, status), answer, f"the answer {status} of {route}")
    if status in SUCCESSES and "requestBody" in _operations()[route]:
        _fit(_bodies(route), json.loads(sent) if isinstance(sent, str) else sent, f"what was sent to {route}")


def _fit(validator: jsonschema_rs.Validator, value: object, what: str) -> None:
    error = next(iter(validator.iter_errors(value)), None)
    _hold(error is None, f"{what} is not as the document says: {error}")


def _hold(condition: bool, otherwise: str) -> None:  # noqa: FBT001 - as assert has it, which may be switched off
    if not condition:
        raise AssertionError(otherwise)


@cache
def _document() -> Json:
    return json.loads(WRITTEN.read_text())


@cache
def _operations() -> dict[str, Json]:
    return dict(operations(_document()))


def _response(route: str, status: int) -> Json:
    responses = _operations()[route]["responses"]
    _hold(str(status) in responses, f"the document has no answer {status} for {route}")
    response = responses[str(status)]
    name = response.get("$ref", "").removeprefix("#/components/responses/")
    return _document()["components"]["responses"][name] if name else response


@cache
def _answers(route: str, status: int) -> jsonschema_rs.Validator:
    return _validator(_response(route, status)["content"])


@cache
def _bodies(route: str) -> jsonschema_rs.Validator:
    return _validator(_operations()[route]["requestBody"]["content"])


def _validator(content: Json) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(content[JSON]["schema"] | {"components": _document()["components"]})
