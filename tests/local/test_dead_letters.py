"""An event that a function cannot process goes to its dead-letter queue, and `openbot-memory redrive` sends it again.

The emulator's bus calls a function once and ignores a failure. Its Lambda treats asynchronous events as AWS does: those
that keep failing go to the function's destination. So a test invokes the function itself, as the bus does on
AWS, and without retries, because each costs the emulator a cold start.
"""

import json
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from local_stack import Session, Stack, changes, fact, wait_for
from model_server import Json, ModelServer

from openbot_memory_emulator.config import STACK, StackConfig

SECRET_WORDS = "words that nobody shall read"
POISON: dict[str, Json] = {  # by the function that it is for
    "Consolidate": {"source": "openbot.sessions", "detail-type": "Turn Finished", "detail": {"note": SECRET_WORDS}},
    "Learn": {"source": "openbot.memory", "detail-type": "Learning Requested", "detail": {"session": 7}},
}


@dataclass(frozen=True, slots=True)
class Asynchronous:
    """The functions that events start, their dead-letter queues, and a queue that receives every event of the bus."""

    stack: Stack
    ids: dict[str, str]  # physical ids by logical ids
    witness: str

    def start(self, function: str, event: Json) -> None:
        """Invoke a function asynchronously, as EventBridge does on AWS."""
        client = self.stack.config.client("lambda")
        answer = client.invoke(FunctionName=self.ids[function], InvocationType="Event", Payload=json.dumps(event))
        assert answer["StatusCode"] == 202

    def dead_letters(self, function: str) -> int:
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        queue = self.ids[f"{function}DeadLetters"]
        answer = self.stack.config.client("sqs").get_queue_attributes(QueueUrl=queue, AttributeNames=names)
        return sum(int(answer["Attributes"][name]) for name in names)

    def wait_for_dead_letters(self, count: int) -> None:
        """Wait until both queues together hold that many."""
        wait_for(lambda: self.dead_letters("Consolidate") + self.dead_letters("Learn") == count)

    def put(self, function: str, body: str) -> None:
        self.stack.config.client("sqs").send_message(QueueUrl=self.ids[f"{function}DeadLetters"], MessageBody=body)

    def from_the_bus(self) -> list[Json]:
        """The events that came over the bus since the last call."""
        sqs, events = self.stack.config.client("sqs"), list[Json]()
        while messages := sqs.receive_message(QueueUrl=self.witness, MaxNumberOfMessages=10).get("Messages"):
            events += [json.loads(each["Body"]) for each in messages]
            for each in messages:
                sqs.delete_message(QueueUrl=self.witness, ReceiptHandle=each["ReceiptHandle"])
        return events


@pytest.fixture
def functions(stack: Stack) -> Iterator[Asynchronous]:
    config = stack.config
    sqs, events = config.client("sqs"), config.client("events")
    pages = config.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=STACK)
    ids = {
        each["LogicalResourceId"]: each["PhysicalResourceId"]
        for page in pages
        for each in page["StackResourceSummaries"]
    }
    witness = sqs.create_queue(QueueName="witness")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=witness, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    rule = {"Rule": "witness", "EventBusName": ids["EventBus"]}
    pattern = json.dumps({"source": [{"prefix": "openbot."}]})
    events.put_rule(Name="witness", EventBusName=ids["EventBus"], EventPattern=pattern)
    events.put_targets(**rule, Targets=[{"Id": "witness", "Arn": arn}])
    deployed = {function: _set_retries(config, ids[function], 0) for function in POISON}
    assert deployed == dict.fromkeys(POISON, 2)
    try:
        yield Asynchronous(stack, ids, witness)
    finally:
        events.remove_targets(**rule, Ids=["witness"])
        events.delete_rule(Name="witness", EventBusName=ids["EventBus"])
        sqs.delete_queue(QueueUrl=witness)
        for function in POISON:
            _set_retries(config, ids[function], deployed[function])
            sqs.purge_queue(QueueUrl=ids[f"{function}DeadLetters"])


def _set_retries(config: StackConfig, function: str, times: int) -> int:
    """Set how often a failed event is tried again, and return the former number."""
    client, which = config.client("lambda"), {"FunctionName": function, "Qualifier": "$LATEST"}
    before = client.get_function_event_invoke_config(**which)
    kept = {name: before[name] for name in ("MaximumEventAgeInSeconds", "DestinationConfig")}
    client.put_function_event_invoke_config(**which, **kept, MaximumRetryAttempts=times)
    return before["MaximumRetryAttempts"]


def test_a_poison_event_returns_to_its_queue_after_redrive(stack: Stack, functions: Asynchronous) -> None:
    for function, poison in POISON.items():
        functions.start(function, poison)
    functions.wait_for_dead_letters(2)
    assert [functions.dead_letters(function) for function in POISON] == [1, 1]

    again = stack.command("redrive")

    assert again.returncode == 0, again.stdout + again.stderr
    assert "Sent again: 2. Left: 0." in again.stdout
    assert SECRET_WORDS not in again.stdout + again.stderr
    assert [functions.dead_letters(function) for function in POISON] == [0, 0]
    sent = {event["detail-type"]: event for event in functions.from_the_bus()}
    for function, poison in POISON.items():
        event = sent.pop(poison["detail-type"])
        assert {name: event[name] for name in poison} == poison
        functions.start(function, event)
    assert sent == {}
    functions.wait_for_dead_letters(2)


def test_a_failed_event_succeeds_after_redrive_once_its_cause_is_fixed(
    stack: Stack, functions: Asynchronous, session: Session, model: ModelServer
) -> None:
    """S5: late and doubled events read a turn once."""
    model.says(changes(fact("greeting", "Ana said hello.", "i-01")))
    with _with_a_wrong_table(functions, "Consolidate"):
        session.say("t-1", "Hello.")
        (event,) = (each for each in functions.from_the_bus() if each["detail"]["session"] == session.id)
        functions.start("Consolidate", event)
        functions.start("Consolidate", event)
        functions.wait_for_dead_letters(2)
    assert (session.consolidation["waiting"], model.requests) == (1, [])

    again = stack.command("redrive")

    assert again.returncode == 0, again.stdout + again.stderr
    session.read()
    assert session.entries["greeting"]["sources"] == ["i-01"]
    functions.wait_for_dead_letters(0)
    assert len(model.requests) == 1


def test_both_formats_of_dead_letters_are_read_and_messages_without_an_event_are_left(
    stack: Stack, functions: Asynchronous, session: Session, model: ModelServer
) -> None:
    """Messages as Lambda's destinations and EventBridge's rules write them on AWS, more than one request receives."""
    session.say("t-1", "Hello.")
    session.read()
    (event,) = (each for each in functions.from_the_bus() if each["detail-type"] == "Turn Finished")
    record = {
        "version": "1.0",
        "timestamp": "2026-12-01T12:00:00.000Z",
        "requestContext": {
            "requestId": "e4b46cbf-b738-xmpl-8880-a18cdf61200e",
            "functionArn": "arn:aws:lambda:eu-central-1:123456789012:function:consolidate:$LATEST",
            "condition": "RetriesExhausted",
            "approximateInvokeCount": 3,
        },
        "requestPayload": event,
        "responseContext": {"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"},
        "responsePayload": {"errorMessage": "Task timed out after 120.00 seconds"},
    }
    unreadable = ["no JSON", "[]", "{}", json.dumps(record | {"requestPayload": {}}), json.dumps(SECRET_WORDS)]
    for _ in range(12):
        functions.put("Consolidate", json.dumps(record))
    functions.put("Learn", json.dumps(event))
    for body in unreadable:
        functions.put("Learn", body)

    again = stack.command("redrive")

    assert again.returncode == 1
    assert f"Sent again: 13. Left: {len(unreadable)}." in again.stdout
    assert len(re.findall(r"^left \S+: it contains no event$", again.stdout, re.MULTILINE)) == len(unreadable)
    assert SECRET_WORDS not in again.stdout + again.stderr
    names = ("source", "detail-type", "detail")
    sent = [{name: each[name] for name in names} for each in functions.from_the_bus()]
    assert sent == [{name: event[name] for name in names}] * 13
    assert functions.dead_letters("Consolidate") == 0
    assert functions.dead_letters("Learn") == len(unreadable)
    assert session.get("/memory")["processed"] == ["i-01"]
    assert len(model.requests) == 1


@contextmanager
def _with_a_wrong_table(functions: Asynchronous, function: str) -> Generator[None]:
    """As after a bad deploy."""
    client, name = functions.stack.config.client("lambda"), functions.ids[function]
    good = client.get_function_configuration(FunctionName=name)["Environment"]["Variables"]
    client.update_function_configuration(FunctionName=name, Environment={"Variables": good | {"TABLE_NAME": "gone"}})
    try:
        yield
    finally:
        client.update_function_configuration(FunctionName=name, Environment={"Variables": good})
