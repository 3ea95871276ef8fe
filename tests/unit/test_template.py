"""Checks of template.yaml that `sam validate --lint` does not make."""

import importlib.util
import json
import re
from collections.abc import Iterator
from dataclasses import fields
from fnmatch import fnmatchcase
from typing import Any, cast

import pytest
from cloudformation import ROOT, TEMPLATE

from openbot_memory.runtime import wiring
from openbot_memory.runtime.settings import Settings, settings

RESOURCES: dict[str, Any] = TEMPLATE["Resources"]
FUNCTIONS = {
    name: each["Properties"] for name, each in RESOURCES.items() if each["Type"] == "AWS::Serverless::Function"
}
ASYNCHRONOUS = {
    name: function
    for name, function in FUNCTIONS.items()
    if any(event["Type"] == "EventBridgeRule" for event in function.get("Events", {}).values())
}
RULES = {
    f"{name}.{event}": rule["Properties"]
    for name, function in ASYNCHRONOUS.items()
    for event, rule in function["Events"].items()
}

WIDE = {
    "arn:${AWS::Partition}:bedrock:*::foundation-model/*": "a session names its model; profiles route to any region",
    "arn:${AWS::Partition}:bedrock:*:${AWS::AccountId}:inference-profile/*": "as above, in this account",
    "arn:${AWS::Partition}:bedrock:*:${AWS::AccountId}:application-inference-profile/*": "as above",
}
WRITES = ("Put", "Update", "Delete", "BatchWrite", "Transact", "Create", "Send", "Invoke")
POWERTOOLS = {"POWERTOOLS_SERVICE_NAME", "POWERTOOLS_LOG_LEVEL"}


def nodes(value: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    """Every object in the template."""
    if isinstance(value, dict):
        yield cast("dict[str, Any]", value)
        for each in cast("dict[str, Any]", value).values():
            yield from nodes(each)
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from nodes(each)


def references(value: Any = TEMPLATE) -> Iterator[str]:  # noqa: ANN401
    """All names in Ref, GetAtt and Sub, without attributes."""
    for node in nodes(value):
        match node:
            case {"Ref": str(name)}:
                yield name.removesuffix(".Alias")
            case {"Fn::GetAtt": [str(name), _]}:
                yield name
            case {"Fn::Sub": str(text)}:
                yield from (found.split(".")[0] for found in re.findall(r"\$\{([^}]+)\}", text))
            case _:
                pass


def statements(function: str) -> list[dict[str, Any]]:
    return [statement for policy in FUNCTIONS[function]["Policies"] for statement in policy["Statement"]]


def listed(value: Any) -> list[Any]:  # noqa: ANN401
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def actions(function: str) -> set[str]:
    return {action for statement in statements(function) for action in listed(statement["Action"])}


def test_every_reference_resolves() -> None:
    known = RESOURCES.keys() | TEMPLATE["Parameters"].keys()

    assert {name for name in references() if name not in known and not name.startswith("AWS::")} == set()


def test_every_parameter_is_used_and_has_a_default() -> None:
    used = set(references())

    assert {name for name in TEMPLATE["Parameters"] if name not in used} == set()
    assert all("Default" in parameter for parameter in TEMPLATE["Parameters"].values())


@pytest.mark.parametrize("function", FUNCTIONS)
def test_permissions_are_listed_one_by_one(function: str) -> None:
    """Every policy is written out here: no managed one, no SAM policy template, no `*` without its reason."""
    resources = [each for statement in statements(function) for each in listed(statement["Resource"])]
    patterns = {each["Fn::Sub"] if "Fn::Sub" in each else str(each) for each in resources}

    assert all("*" not in action for action in actions(function))
    assert {pattern for pattern in patterns if "*" in pattern} <= WIDE.keys()
    assert all(statement["Effect"] == "Allow" for statement in statements(function))


@pytest.mark.parametrize("function", ["Authorize", "Read"])
def test_functions_that_only_read_may_not_write(function: str) -> None:
    assert [action for action in actions(function) if action.split(":")[1].startswith(WRITES)] == []


@pytest.mark.parametrize("function", FUNCTIONS)
def test_only_the_authorizer_may_read_tokens(function: str) -> None:
    keys = "TOKEN#*" if function == "Authorize" else "ORG#*"
    condition = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [keys]}}
    table = [each for each in statements(function) if any("dynamodb:" in action for action in listed(each["Action"]))]

    assert table
    assert all(statement["Condition"] == condition for statement in table)
    assert not actions(function) & {"dynamodb:Scan", "dynamodb:PartiQLSelect"}  # which the condition does not restrict


def test_handlers_exist_and_import(monkeypatch: pytest.MonkeyPatch) -> None:
    """With only names and credentials in the environment. Clients are built without a connection: sockets are off."""
    for name in environment():
        monkeypatch.delenv(name, raising=False)
    for name in ("TABLE_NAME", "EVENT_BUS_NAME", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "any")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    handler = TEMPLATE["Globals"]["Function"]["Handler"]
    module, _, attribute = handler.partition(".")
    for name, function in FUNCTIONS.items():
        path = ROOT / function["CodeUri"] / f"{module}.py"
        spec = importlib.util.spec_from_file_location(f"{name}_app", path)
        assert spec
        assert spec.loader
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        assert callable(getattr(loaded, attribute))
    for built in (wiring.table, wiring.reader, wiring.rules, wiring.world, settings):
        built.cache_clear()


def environment() -> set[str]:
    return set(TEMPLATE["Globals"]["Function"]["Environment"]["Variables"])


def test_the_environment_variables_are_the_fields_of_the_settings() -> None:
    assert environment() - POWERTOOLS == {field.name.upper() for field in fields(Settings)}


def test_limits_of_memory_are_the_same_by_default_in_template_and_code() -> None:
    parameters = TEMPLATE["Parameters"]
    defaults = {field.name: field.default for field in fields(Settings)}

    assert parameters["MemoryMaxLength"]["Default"] == defaults["memory_max_length"]
    assert parameters["MemoryMaxContent"]["Default"] == defaults["memory_max_content"]


@pytest.mark.parametrize("function", ASYNCHRONOUS)
def test_an_asynchronous_function_sends_failed_events_to_its_queue(function: str) -> None:
    config = ASYNCHRONOUS[function]["EventInvokeConfig"]
    failures = config["DestinationConfig"]["OnFailure"]

    assert failures == {"Type": "SQS", "Destination": {"Fn::GetAtt": [f"{function}DeadLetters", "Arn"]}}
    assert {"MaximumRetryAttempts", "MaximumEventAgeInSeconds"} <= config.keys()


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_sends_undelivered_events_to_the_queue(rule: str) -> None:
    function, _ = rule.split(".")

    assert RULES[rule]["DeadLetterConfig"] == {"Arn": {"Fn::GetAtt": [f"{function}DeadLetters", "Arn"]}}
    assert {"MaximumRetryAttempts", "MaximumEventAgeInSeconds"} <= RULES[rule]["RetryPolicy"].keys()
    assert RULES[rule]["EventBusName"] == {"Ref": "EventBus"}


def matches(pattern: dict[str, Any], event: dict[str, Any]) -> bool:
    """Match an event as EventBridge does, as far as this template needs it: exact values, `prefix`, nesting."""
    for name, wanted in pattern.items():
        if isinstance(wanted, dict):
            if not matches(cast("dict[str, Any]", wanted), event.get(name, {})):
                return False
        elif not any(_accepts(each, event.get(name)) for each in wanted):
            return False
    return True


def _accepts(wanted: Any, value: object) -> bool:  # noqa: ANN401
    match wanted:
        case {"prefix": str(prefix)}:
            return isinstance(value, str) and value.startswith(prefix)
        case _:
            return type(wanted) is type(value) and wanted == value


def started(event: dict[str, Any]) -> set[str]:
    """The functions that an event starts."""
    return {name.split(".")[0] for name, rule in RULES.items() if matches(rule["Pattern"], event)}


def sample(name: str, **detail: object) -> dict[str, Any]:
    event = json.loads((ROOT / f"events/{name}.json").read_text())
    return event | {"detail": event["detail"] | detail}


@pytest.mark.parametrize(
    ("event", "functions"),
    [
        (sample("consolidate"), {"Consolidate"}),
        (sample("requested"), {"Consolidate"}),
        (sample("learn"), {"Consolidate", "Learn"}),
        (sample("learn", agent=None), {"Consolidate"}),
        (sample("learn", queueEmpty=False), {"Consolidate"}),
    ],
)
def test_an_event_starts_the_right_functions(event: dict[str, Any], functions: set[str]) -> None:
    assert started(event) == functions


def test_a_change_of_memory_starts_nothing() -> None:
    """Otherwise learning would cause more learning."""
    changed = sample("learn") | {"source": "openbot.memory", "detail-type": "Memory Changed"}

    assert started(changed) == set()
    assert started(changed | {"source": "openbot.sessions"}) == set()


def routes() -> list[tuple[str, str, str]]:
    return [
        (name, event["Properties"]["Method"], event["Properties"]["Path"])
        for name, function in FUNCTIONS.items()
        for event in function.get("Events", {}).values()
        if event["Type"] == "HttpApi"
    ]


def test_get_routes_go_to_read_and_all_others_to_command() -> None:
    assert {name for name, method, _ in routes() if method == "GET"} == {"Read"}
    assert {name for name, method, _ in routes() if method != "GET"} == {"Command"}
    assert len({(method, path) for _, method, path in routes()}) == len(routes())


def test_no_route_bypasses_the_authorizer() -> None:
    auth = RESOURCES["HttpApi"]["Properties"]["Auth"]
    events = [event["Properties"] for each in FUNCTIONS.values() for event in each.get("Events", {}).values()]

    assert auth["DefaultAuthorizer"] in auth["Authorizers"]
    assert all("Auth" not in event for event in events)


def test_access_logs_hold_no_header_and_no_query() -> None:
    written = RESOURCES["HttpApi"]["Properties"]["AccessLogSettings"]["Format"]

    assert not [word for word in re.findall(r"\$context\.[\w.]+", written) if fnmatchcase(word, "*[hH]eader*")]
    assert "$request" not in written
    json.loads(written)


def test_functions_time_out_before_the_gateway_does() -> None:
    assert max(FUNCTIONS[name]["Timeout"] for name, _, _ in routes()) < 30


@pytest.mark.parametrize(("function", "folder"), [("Command", "command"), ("Consolidate", "consolidate")])
def test_a_model_time_out_leaves_time_to_store_the_failure(function: str, folder: str) -> None:
    """S8: one attempt to connect and to read the answer, and nine seconds for the rest."""
    source = (ROOT / f"functions/{folder}/app.py").read_text()
    (timeout,) = re.findall(r"^MODEL_TIMEOUT = (\d+)", source, re.MULTILINE)

    assert 2 + int(timeout) + 9 <= FUNCTIONS[function]["Timeout"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_has_bounded_logs_and_alarms(function: str) -> None:
    logs = FUNCTIONS[function]["LoggingConfig"]["LogGroup"]["Ref"]
    alarms = {
        each["Properties"]["MetricName"]
        for each in RESOURCES.values()
        if each["Type"] == "AWS::CloudWatch::Alarm"
        and each["Properties"]["Dimensions"] == [{"Name": "FunctionName", "Value": {"Ref": function}}]
    }

    assert RESOURCES[logs]["Properties"]["RetentionInDays"] == {"Ref": "LogRetentionDays"}
    assert alarms == {"Errors", "Throttles"}


def test_every_dead_letter_queue_has_its_alarm() -> None:
    queues = {name for name, each in RESOURCES.items() if each["Type"] == "AWS::SQS::Queue"}
    watched = {
        each["Properties"]["Dimensions"][0]["Value"]["Fn::GetAtt"][0]
        for each in RESOURCES.values()
        if each["Type"] == "AWS::CloudWatch::Alarm" and each["Properties"]["Namespace"] == "AWS/SQS"
    }

    assert watched == queues == {f"{name}DeadLetters" for name in ASYNCHRONOUS}


@pytest.mark.parametrize("function", [name for name, each in FUNCTIONS.items() if "AutoPublishAlias" in each])
def test_a_changed_parameter_publishes_a_new_version(function: str) -> None:
    """SAM publishes one for new code only. CloudFormation replaces a version when its description changes."""
    properties = dict(FUNCTIONS[function])
    described = re.findall(r"\$\{(\w+)\}", properties.pop("VersionDescription")["Fn::Sub"])
    of_tags = {"Stage"}
    used = {*references([TEMPLATE["Globals"], properties])} & TEMPLATE["Parameters"].keys() - of_tags

    assert set(described) == used


def test_only_functions_that_callers_wait_for_use_snap_start() -> None:
    assert {name for name, each in FUNCTIONS.items() if "AutoPublishAlias" not in each} == ASYNCHRONOUS.keys()
    assert TEMPLATE["Parameters"]["SnapStart"]["Default"] == "None"


def test_the_table_outlives_the_stack() -> None:
    table = RESOURCES["Table"]

    assert table["DeletionPolicy"] == table["UpdateReplacePolicy"] == "Retain"
    assert table["Properties"]["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}


def test_the_dashboard_shows_every_metric_that_the_code_counts() -> None:
    """And only those of its own stack, by the name of the service."""
    source = "".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    counts = {name for call in re.findall(r"emit\(\{(.*?)\}", source) for name in re.findall(r'"(\w+)":', call)}
    board = json.dumps(json.loads(RESOURCES["Overview"]["Properties"]["DashboardBody"]["Fn::Sub"]))
    own = re.findall(r'"OpenBotMemory", "(\w+)", "service", "\$\{AWS::StackName\}"', board)
    searched = re.findall(r"\{OpenBotMemory,\w+,service\} (\w+) [^']*\$\{AWS::StackName\}", board)

    assert counts
    assert {*own, *searched} == counts
    assert TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"] == {
        "Ref": "AWS::StackName"
    }
