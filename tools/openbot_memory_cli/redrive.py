"""Sends dead letters again: events that could not be worked off go back on the bus, and then out of their queue.

An event that comes twice does no harm, and one that fails again comes back into its queue, so nothing is lost.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import batched
from typing import Any, NamedTuple

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from openbot_memory_local.steps import LocalError, console

AT_ONCE = 10  # as many as SQS gives and PutEvents takes
HIDDEN = 300  # seconds in which a message that was taken comes to nobody else

type Client = Any  # boto3 makes its clients at run time


class Event(BaseModel):
    """What EventBridge delivers. A rule's dead letter is just that."""

    source: str
    name: str = Field(alias="detail-type")
    detail: dict[str, Any]


class Record(BaseModel):
    """What Lambda writes to the destination of a function that failed."""

    event: Event = Field(alias="requestPayload")


class Letter(NamedTuple):
    queue: str  # its URL
    id: str
    receipt: str
    body: str


def send_again(make_client: Callable[[str], Client], stack: str) -> None:
    """Send all dead letters of a stack again, and say which. Raises LocalError if some had to stay."""
    bus, queues = _bus_and_queues(make_client("cloudformation"), stack)
    sqs, events = make_client("sqs"), make_client("events")
    letters = [letter for queue in queues for letter in _taken(sqs, queue)]  # all at first: one that fails comes back
    readable = [(letter, event) for letter in letters if (event := event_of(letter.body))]
    sent = {letter for some in batched(readable, AT_ONCE, strict=False) for letter in _send(sqs, events, bus, some)}
    left = [letter for letter in letters if letter not in sent]
    for letter in left:
        sqs.change_message_visibility(QueueUrl=letter.queue, ReceiptHandle=letter.receipt, VisibilityTimeout=0)
        why = "refused by the bus" if event_of(letter.body) else "holds no event"
        console.print(f"left {letter.id}: {why}", markup=False)
    console.print(f"Sent again: {len(sent)}. Left: {len(left)}.")
    if left:
        raise LocalError("Some messages stay in their queues.")


def event_of(body: str) -> Event | None:
    """The event in a message; None if there is none."""
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


def _taken(sqs: Client, queue: str) -> Iterator[Letter]:
    """All messages of a queue; nobody else is given them meanwhile."""
    how = {"QueueUrl": queue, "MaxNumberOfMessages": AT_ONCE, "VisibilityTimeout": HIDDEN, "WaitTimeSeconds": 1}
    while messages := sqs.receive_message(**how).get("Messages"):
        for each in messages:
            yield Letter(queue, each["MessageId"], each["ReceiptHandle"], each["Body"])


def _send(sqs: Client, events: Client, bus: str, some: Sequence[tuple[Letter, Event]]) -> Iterator[Letter]:
    """Put these on the bus, delete those that it took, and say which; ids only."""
    entries = [
        {"EventBusName": bus, "Source": event.source, "DetailType": event.name, "Detail": json.dumps(event.detail)}
        for _, event in some
    ]
    answers = events.put_events(Entries=entries)["Entries"]
    for (letter, event), answer in zip(some, answers, strict=True):
        if "EventId" in answer:
            sqs.delete_message(QueueUrl=letter.queue, ReceiptHandle=letter.receipt)
            console.print(f"sent {letter.id} again: {event.name} {answer['EventId']}", markup=False)
            yield letter
