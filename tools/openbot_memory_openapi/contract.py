"""Checks requests and responses against the OpenAPI document. Each schema is compiled when it is first needed."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import jsonschema_rs

from openbot_memory.http.openapi import WRITTEN

type Json = dict[str, Any]

JSON = "application/json"
SUCCESSES = range(200, 300)


def operations(document: Json) -> Iterator[tuple[str, Json]]:
    """Each operation with its route, for example `GET /v1/organization`."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def check(route: str, request: object, status: int, response: object, headers: Mapping[str, str]) -> None:
    """Raise AssertionError if the document does not allow this response, or a request that succeeded."""
    documented = _documented_response(route, status)
    _require(
        headers.get("content-type", "").startswith(JSON), f"{route} answered without the content type {JSON}: {headers}"
    )
    for name in documented.get("headers", {}):
        _require(name.lower() in headers, f"{route} answered {status} without {name}")
    _validate(_response_validator(route, status), response, f"the response {status} of {route}")
    if status in SUCCESSES and "requestBody" in _operations()[route]:
        body = json.loads(request) if isinstance(request, str) else request
        _validate(_request_validator(route), body, f"the request to {route}")


def _validate(validator: jsonschema_rs.Validator, value: object, what: str) -> None:
    error = next(iter(validator.iter_errors(value)), None)
    _require(error is None, f"{what} does not match the OpenAPI document: {error}")


def _require(condition: bool, message: str) -> None:  # noqa: FBT001 - like `assert`, which -O removes
    if not condition:
        raise AssertionError(message)


@cache
def _document() -> Json:
    return json.loads(WRITTEN.read_text())


@cache
def _operations() -> dict[str, Json]:
    return dict(operations(_document()))


def _documented_response(route: str, status: int) -> Json:
    responses = _operations()[route]["responses"]
    _require(str(status) in responses, f"the OpenAPI document has no response {status} for {route}")
    response = responses[str(status)]
    name = response.get("$ref", "").removeprefix("#/components/responses/")
    return _document()["components"]["responses"][name] if name else response


@cache
def _response_validator(route: str, status: int) -> jsonschema_rs.Validator:
    return _validator(_documented_response(route, status)["content"])


@cache
def _request_validator(route: str) -> jsonschema_rs.Validator:
    return _validator(_operations()[route]["requestBody"]["content"])


def _validator(content: Json) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(content[JSON]["schema"] | {"components": _document()["components"]})
