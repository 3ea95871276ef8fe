"""The OpenAPI document is up to date with the models and with the routes of the template."""

import json
from typing import Any

import jsonschema_rs
import pytest
from test_template import FUNCTIONS

from openbot_memory.domain import errors
from openbot_memory.http.gateway import STATUS
from openbot_memory.http.openapi import WRITTEN
from openbot_memory_openapi import contract
from openbot_memory_openapi.generate import generate

DOCUMENT: dict[str, Any] = json.loads(WRITTEN.read_text())
OPERATIONS = dict(contract.operations(DOCUMENT))
REFUSALS: dict[str, Any] = DOCUMENT["components"]["responses"]
ROUTES = {
    f"{event['Properties']['Method']} {event['Properties']['Path']}"
    for function in FUNCTIONS.values()
    for event in function.get("Events", {}).values()
    if event["Type"] == "HttpApi"
}


def test_the_document_is_up_to_date() -> None:
    """If not, run `make openapi`."""
    assert WRITTEN.read_text() == generate()


def test_it_has_the_routes_of_the_template() -> None:
    assert OPERATIONS.keys() == ROUTES


def test_every_route_needs_a_bearer_token() -> None:
    assert DOCUMENT["security"] == [{"token": []}]
    assert DOCUMENT["components"]["securitySchemes"]["token"].items() >= {"type": "http", "scheme": "bearer"}.items()
    assert all("security" not in operation for operation in OPERATIONS.values())


def test_every_post_takes_an_idempotency_key_and_nothing_else_does() -> None:
    taking = {
        route
        for route, operation in OPERATIONS.items()
        for each in operation.get("parameters", ())
        if (each["in"], each["name"]) == ("header", "Idempotency-Key")
    }

    assert taking == {route for route in ROUTES if route.startswith("POST ")}


def test_objects_allow_no_unknown_fields() -> None:
    """Every object lists its fields, except maps by keys of the caller."""
    objects = {name: each for name, each in DOCUMENT["components"]["schemas"].items() if "properties" in each}

    assert [name for name, each in objects.items() if each.get("additionalProperties") is not False] == []


def test_every_error_has_its_status_and_a_valid_example() -> None:
    stated = set[str]()
    for name, response in REFUSALS.items():
        content = response["content"]["application/json"]
        schema = jsonschema_rs.validator_for(content["schema"] | {"components": DOCUMENT["components"]})
        for tag, example in content["examples"].items():
            schema.validate(example["value"])
            if error := getattr(errors, tag, None):
                assert name.startswith(str(next(STATUS[kind] for kind in STATUS if issubclass(error, kind))))
                stated.add(tag)

    abstract = {"OpenBotError", "NotFound", "Conflict"}
    every = {name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, Exception)}
    assert stated == every - abstract


def test_a_503_says_when_to_try_again() -> None:
    busy = next(response for name, response in REFUSALS.items() if name.startswith("503"))

    assert busy["headers"]["Retry-After"]["schema"] == {"type": "integer", "minimum": 1}


@pytest.mark.parametrize("name", ["items", "log", "agent_log", "memory", "agent_memory"])
def test_a_page_has_1_to_500(name: str) -> None:
    operation = next(each for each in OPERATIONS.values() if each["operationId"] == name)
    (limit,) = (each["schema"] for each in operation["parameters"] if each["name"] == "limit")

    assert limit == {"type": "integer", "minimum": 1, "maximum": 500}


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("Id", {"pattern": "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"}),
        ("Key", {"minLength": 1, "maxLength": 128}),
        ("Content", {"maxLength": 2000}),
        ("Text", {"maxLength": 262144}),
    ],
)
def test_the_limits_are_stated(name: str, stated: dict[str, Any]) -> None:
    assert DOCUMENT["components"]["schemas"][name].items() >= stated.items()


def test_a_turn_holds_1000_items() -> None:
    assert DOCUMENT["components"]["schemas"]["Turn"]["properties"]["items"]["maxItems"] == 1000
