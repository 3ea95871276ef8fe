"""A fresh table, and the functions over it."""

import json
from collections.abc import Iterator
from typing import Any, cast

import boto3
import pytest
from moto import mock_aws
from service import ScriptedModel, Service, table_properties

from openbot_memory.models import choose
from openbot_memory.runtime import settings, wiring

ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "eu-central-1",
    "TABLE_NAME": "memory",
    "EVENT_BUS_NAME": "memory",
    "POWERTOOLS_SERVICE_NAME": "openbot-memory",
    "POWERTOOLS_METRICS_DISABLED": "true",  # but where a test is about them
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the stateful test: it takes far longer than any other, and no worker should wait for it at the end."""
    items.sort(key=lambda item: item.path.stem != "test_stateful")


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A DynamoDB client, with the template's table behind it and nothing built yet."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    with mock_aws(config={"core": {"reset_boto3_session": False}}):  # a new session would load all models again
        client = cast("Any", boto3).client("dynamodb")
        client.create_table(TableName="memory", **table_properties())
        cast("Any", boto3).client("events").create_event_bus(Name="memory")
        _forget_what_was_built()
        yield client
    _forget_what_was_built()


@pytest.fixture
def service(aws: Any, monkeypatch: pytest.MonkeyPatch) -> Service:  # noqa: ANN401
    model = ScriptedModel()

    def scripted(_make_client: object) -> ScriptedModel:
        return model

    def no_waiting(_seconds: float) -> None: ...

    monkeypatch.setattr(choose, "Models", scripted)
    object.__setattr__(wiring.table(), "sleep", no_waiting)
    made = Service(aws, model)
    _record(made)
    return made


def _record(service: Service) -> None:
    """Note every DynamoDB request, and every event, as the clients send them."""

    def request(params: dict[str, Any], model: Any, **_: object) -> None:  # noqa: ANN401
        service.requests.append((model.name, params))
        bounds = params.get("ExpressionAttributeValues", {})
        if ":from" in bounds and bounds[":from"]["S"] > bounds[":to"]["S"]:
            raise ValueError("DynamoDB refuses a range that ends before it begins, and moto does not")

    def event(params: dict[str, Any], **_: object) -> None:
        for entry in params["Entries"]:
            service.events.append(
                {"source": entry["Source"], "detail-type": entry["DetailType"], "detail": json.loads(entry["Detail"])}
            )

    wiring.table().client.meta.events.register("provide-client-params.dynamodb.*", request)
    for timeout in {service.functions[name].MODEL_TIMEOUT for name in ("command", "consolidate", "learn")}:
        bus = cast("Any", wiring.world(timeout).bus)
        bus.client.meta.events.register("provide-client-params.events.PutEvents", event)


def _forget_what_was_built() -> None:
    for built in (settings.settings, wiring.table, wiring.rules, wiring.reader, wiring.world):
        built.cache_clear()
