"""Redrives the dead-letter queues: puts each event back on the bus, then deletes its message from the queue.

An event that arrives twice does no harm, and one that fails again returns to its queue, so nothing is lost.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import batched
from typing import Any, NamedTuple

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from openbot_memory_emulator.console import CommandError, console

BATCH = 10  # most messages that SQS returns and PutEvents accepts
VISIBILITY_TIMEOUT = 300  # seconds in which no other consumer receives the message

type Client = Any  # boto3 makes its clients at run time


class Event(BaseModel):
    """An event as EventBridge delivers it, and as a rule's dead-letter queue keeps it."""

    source: str
    name: str = Field(alias="detail-type")
    detail: dict[str, Any]


class Record(BaseModel):
    """The record that Lambda sends to the failure destination of a function."""

    event: Event = Field(alias="requestPayload")


class Letter(NamedTuple):
    queue: str  # its URL
    id: str
    receipt: str
    body: str


def redrive(make_client: Callable[[str], Client], stack: str) -> None:
    """Redrive all dead letters of a stack and print each. Raise CommandError if some remain in their queues."""
    bus, queues = _bus_and_queues(make_client("cloudformation"), stack)
    sqs, events = make_client("sqs"), make_client("events")
    letters = [
        letter for queue in queues for letter in _receive(sqs, queue)
    ]  # all of them first: one that fails again returns to its queue
    readable = [(letter, event) for letter in letters if (event := event_of(letter.body))]
    sent = {letter for batch in batched(readable, BATCH, strict=False) for letter in _send(sqs, events, bus, batch)}
    remaining = [letter for letter in letters if letter not in sent]
    for letter in remaining:
        sqs.change_message_visibility(QueueUrl=letter.queue, ReceiptHandle=letter.receipt, VisibilityTimeout=0)
        why = "the bus refused it" if event_of(letter.body) else "it contains no event"
        console.print(f"left {letter.id}: {why}", markup=False)
    console.print(f"Sent again: {len(sent)}. Left: {len(remaining)}.")
    if remaining:
        raise CommandError("Some messages remain in their queues; the lines above say why.")


def event_of(body: str) -> Event | None:
    """The event that a message contains; None if it contains none."""
    try:
        read = TypeAdapter[Record | Event](Record | Event).validate_json(body)
    except ValidationError:
        return None
    return read.event if isinstance(read, Record) else read


def _bus_and_queues(cloudformation: Client, stack: str) -> tuple[str, list[str]]:
    """The name of the bus and the URLs of the dead-letter queues; the stack has no others."""
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack)
    found = [
        (each["ResourceType"], each["PhysicalResourceId"]) for page in pages for each in page["StackResourceSummaries"]
    ]
    (bus,) = (physical for kind, physical in found if kind == "AWS::Events::EventBus")
    return bus, [physical for kind, physical in found if kind == "AWS::SQS::Queue"]


def _receive(sqs: Client, queue: str) -> Iterator[Letter]:
    """Receive all messages of a queue; no other consumer receives them meanwhile."""
    request = {
        "QueueUrl": queue,
        "MaxNumberOfMessages": BATCH,
        "VisibilityTimeout": VISIBILITY_TIMEOUT,
        "WaitTimeSeconds": 1,
    }
    while messages := sqs.receive_message(**request).get("Messages"):
        for each in messages:
            yield Letter(queue, each["MessageId"], each["ReceiptHandle"], each["Body"])


def _send(sqs: Client, events: Client, bus: str, batch: Sequence[tuple[Letter, Event]]) -> Iterator[Letter]:
    """Put a batch on the bus; delete, print and yield those that it accepted. Prints ids only, no content."""
    entries = [
        {"EventBusName": bus, "Source": event.source, "DetailType": event.name, "Detail": json.dumps(event.detail)}
        for _, event in batch
    ]
    answers = events.put_events(Entries=entries)["Entries"]
    for (letter, event), answer in zip(batch, answers, strict=True):
        if "EventId" in answer:
            sqs.delete_message(QueueUrl=letter.queue, ReceiptHandle=letter.receipt)
            console.print(f"sent {letter.id} again: {event.name} {answer['EventId']}", markup=False)
            yield letter
