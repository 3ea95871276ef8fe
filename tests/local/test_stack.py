"""The deployed template over HTTP, and the command line that starts it."""

import os
import re
import signal
import socket
import stat
import subprocess
from typing import Any, cast

import boto3
import psutil
import pytest
from botocore.exceptions import ClientError
from local_stack import PROGRAM, Api, Stack, command, free_port, routes_of_the_template, wait_for

from openbot_memory_emulator.config import REGION, STACK
from openbot_memory_emulator.gateway import outputs

PATH = "/v1/organization"


def test_stack_json_has_the_url_and_tokens(stack: Stack) -> None:
    description = stack.description

    assert description.keys() == {"url", "organization", "tokens", "pid"}
    assert description["url"].startswith(f"http://127.0.0.1:{stack.port}/")
    assert description["organization"] == "acme"
    assert description["tokens"].keys() == {"person", "agent", "host", "admin", "otherOrganization"}
    assert all(re.fullmatch(r"obm_[\w-]{43}", token) for token in description["tokens"].values())
    os.kill(description["pid"], 0)


def test_only_the_owner_may_read_stack_json(stack: Stack) -> None:
    assert stat.S_IMODE((stack.directory / "stack.json").stat().st_mode) == 0o600


def test_the_stack_listens_on_this_machine_only(stack: Stack) -> None:
    listening = psutil.Process(stack.description["pid"]).net_connections("tcp")

    assert {each.laddr for each in listening if each.status == psutil.CONN_LISTEN} == {("127.0.0.1", stack.port)}


def test_every_route_of_the_template_is_registered_behind_the_authorizer(stack: Stack) -> None:
    gateway = stack.config.client("apigatewayv2")
    (api,) = gateway.get_apis()["Items"]
    routes = gateway.get_routes(ApiId=api["ApiId"])["Items"]

    assert {route["RouteKey"] for route in routes} == routes_of_the_template()
    assert {route["AuthorizationType"] for route in routes} == {"CUSTOM"}


def test_the_emulator_enforces_the_policies_of_functions(stack: Stack) -> None:
    """The role of the function that reads may read an organization's rows and write nothing."""
    resources = stack.config.client("cloudformation").describe_stack_resources(StackName=STACK)["StackResources"]
    names = {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in resources}
    role = stack.config.client("lambda").get_function_configuration(FunctionName=names["Read"])["Role"]
    session = stack.config.client("sts").assume_role(RoleArn=role, RoleSessionName="test")["Credentials"]
    reader = cast("Any", boto3).client(
        "dynamodb",
        endpoint_url=stack.config.endpoint,
        region_name=REGION,
        aws_access_key_id=session["AccessKeyId"],
        aws_secret_access_key=session["SecretAccessKey"],
        aws_session_token=session["SessionToken"],
    )
    row = {"pk": {"S": "ORG#acme"}, "sk": {"S": "SETTINGS"}}
    table = outputs(stack.config)["TableName"]

    reader.batch_get_item(RequestItems={table: {"Keys": [row]}})
    with pytest.raises(ClientError, match="AccessDenied"):
        reader.put_item(TableName=table, Item=row)


def test_an_interrupted_up_leaves_nothing_running(stack: Stack) -> None:
    directory, port = stack.directory / "interrupted", free_port()
    environment = stack.environment | {"OPENBOT_LOCAL_DIR": str(directory), "OPENBOT_LOCAL_PORT": str(port)}
    up = subprocess.Popen([PROGRAM, "up", "--reset"], env=environment, stdout=subprocess.PIPE, text=True)  # noqa: S603
    assert up.stdout
    assert any("Building" in line for line in up.stdout)

    up.send_signal(signal.SIGINT)
    up.communicate()

    assert up.returncode == 130
    assert not (directory / "emulator.json").exists()
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_a_second_up_keeps_the_running_stack_and_its_tokens(stack: Stack) -> None:
    before = stack.description

    again = stack.command("up")

    assert again.returncode == 0
    assert "already running" in again.stdout
    assert stack.description == before


def test_a_port_in_use_is_reported_before_anything_starts(stack: Stack) -> None:
    other = stack.directory / "other"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        answer = stack.command("up", OPENBOT_LOCAL_DIR=str(other), OPENBOT_LOCAL_PORT=str(port))

    assert answer.returncode == 1
    assert f"Port {port} is taken" in answer.stdout
    assert "OPENBOT_LOCAL_PORT" in answer.stdout
    assert not (other / "emulator.json").exists()


def test_commands_without_a_stack_say_how_to_start_one(stack: Stack) -> None:
    nowhere = stack.environment | {"OPENBOT_LOCAL_DIR": str(stack.directory / "nowhere")}

    for name in (["demo"], ["token", "--id", "ana"], ["logs"]):
        answer = command(nowhere, *name)
        assert answer.returncode == 1
        assert "make run" in answer.stdout
    assert command(nowhere, "down").returncode == 0


def test_down_leaves_a_process_alone_that_only_has_the_same_pid(stack: Stack) -> None:
    directory = stack.directory / "stale"
    directory.mkdir(exist_ok=True)
    mine = f'{{"pid": {os.getpid()}, "started": 1.5, "port": {free_port()}, "model_url": null}}'
    (directory / "emulator.json").write_text(mine)

    answer = stack.command("down", OPENBOT_LOCAL_DIR=str(directory))

    assert "not running" in answer.stdout


def test_an_issued_token_works_until_it_is_revoked(stack: Stack, api: Api) -> None:
    made = stack.command("token", "--organization", "acme", "--type", "person", "--id", "ben", "--name", "Ben")
    token = made.stdout.strip()
    assert api(token).get(PATH).status_code == 200

    assert stack.command("token", "--revoke", token).returncode == 0

    assert wait_for(lambda: api(token).get(PATH).status_code == 403)  # after the gateway's cache
    assert stack.command("token", "--revoke", token).returncode == 1


def test_a_token_for_an_invalid_id_is_refused_without_a_traceback(stack: Stack) -> None:
    answer = stack.command("token", "--id", "a#b")

    assert answer.returncode == 1
    assert "Traceback" not in answer.stderr


def test_the_demo_of_agents_keeps_preferences_of_two_people_side_by_side(stack: Stack) -> None:
    """A7."""
    played = stack.command("demo", "--agents")

    assert played.returncode == 0, played.stdout + played.stderr
    assert "ana-short-answers" in played.stdout
    assert "ben-long-answers" in played.stdout
    assert "# Privacy" in played.stdout


def test_the_demo_learns_and_shows_what_it_learned(stack: Stack) -> None:
    played = stack.command("demo")

    assert played.returncode == 0, played.stdout + played.stderr
    assert "1500 EUR" in played.stdout
    (retracted,) = (line for line in played.stdout.splitlines() if "retracted" in line)
    assert "seat" not in retracted
    assert stack.description["url"] in played.stdout


def test_the_layer_is_compiled_with_unchecked_hashes(stack: Stack) -> None:
    """Lambda cannot write bytecode files: without these, every cold start would compile the whole layer."""
    layer = stack.directory / "build/CoreLayer/python"
    for source in (layer / "openbot_memory").rglob("*.py"):
        compiled = source.parent / "__pycache__" / f"{source.stem}.cpython-313.pyc"
        unchecked_hash = int.from_bytes(compiled.read_bytes()[4:8], "little")
        assert unchecked_hash == 1, source
