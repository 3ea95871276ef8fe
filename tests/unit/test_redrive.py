"""A dead letter leaves its queue only when the bus has accepted its event."""

import json
from dataclasses import dataclass, field
from typing import Any, Self

import pytest

from openbot_memory_cli.redrive import event_of, redrive
from openbot_memory_emulator.console import CommandError

EVENT = {"source": "openbot.sessions", "detail-type": "Turn Finished", "detail": {"session": "s", "note": "grüß"}}

type Json = dict[str, Any]


@dataclass
class Cloud:
    """A fake of the used parts of CloudFormation, SQS and EventBridge; its bus refuses events of `refused` sources."""

    queues: dict[str, list[str]]
    refused: set[str] = field(default_factory=set[str])
    broken: bool = False
    hidden: set[str] = field(default_factory=set[str])
    put: list[Json] = field(default_factory=list[Json])

    def client(self, _service: str) -> Self:
        return self

    def get_paginator(self, _operation: str) -> Self:
        return self

    def paginate(self, **_: object) -> list[Json]:
        """Two pages, the bus on the second."""
        queues = [{"ResourceType": "AWS::SQS::Queue", "PhysicalResourceId": url} for url in self.queues]
        bus = {"ResourceType": "AWS::Events::EventBus", "PhysicalResourceId": "memory"}
        return [{"StackResourceSummaries": queues}, {"StackResourceSummaries": [bus]}]

    def receive_message(self, QueueUrl: str, MaxNumberOfMessages: int, **_: object) -> Json:  # noqa: N803
        bodies = [body for body in self.queues[QueueUrl] if body not in self.hidden][:MaxNumberOfMessages]
        self.hidden.update(bodies)
        return {"Messages": [{"MessageId": f"m-{hash(body)}", "ReceiptHandle": body, "Body": body} for body in bodies]}

    def delete_message(self, QueueUrl: str, ReceiptHandle: str) -> None:  # noqa: N803
        self.queues[QueueUrl].remove(ReceiptHandle)

    def change_message_visibility(self, QueueUrl: str, ReceiptHandle: str, VisibilityTimeout: int) -> None:  # noqa: N803
        assert ReceiptHandle in self.queues[QueueUrl]
        assert VisibilityTimeout == 0
        self.hidden.remove(ReceiptHandle)

    def put_events(self, Entries: list[Json]) -> Json:  # noqa: N803
        if self.broken:
            raise ConnectionError
        assert len(Entries) <= 10
        self.put += [entry for entry in Entries if entry["Source"] not in self.refused]
        taken = ({"ErrorCode": "Refused"} if entry["Source"] in self.refused else {"EventId": "e"} for entry in Entries)
        return {"FailedEntryCount": 0, "Entries": list(taken)}


def letters(count: int, **other: str) -> list[str]:
    return [json.dumps({"id": f"e-{number}"} | EVENT | other) for number in range(count)]


def test_all_events_of_both_queues_are_sent_unchanged_and_removed() -> None:
    cloud = Cloud({"consolidate": letters(23), "learn": [json.dumps({"requestPayload": EVENT, "version": "1.0"})]})

    redrive(cloud.client, "memory")

    assert cloud.queues == {"consolidate": [], "learn": []}
    assert len(cloud.put) == 24
    for entry in cloud.put:
        assert (entry["EventBusName"], entry["Source"], entry["DetailType"]) == (
            "memory",
            EVENT["source"],
            EVENT["detail-type"],
        )
        assert json.loads(entry["Detail"]) == EVENT["detail"]


def test_refused_and_unreadable_messages_stay_visible_in_their_queue(
    capsys: pytest.CaptureFixture[str],
) -> None:
    refused, unreadable = letters(1, source="aws.events"), ["no event", "{}"]
    cloud = Cloud({"consolidate": [*refused, *letters(1)], "learn": [*unreadable]}, refused={"aws.events"})

    with pytest.raises(CommandError):
        redrive(cloud.client, "memory")

    assert cloud.queues == {"consolidate": refused, "learn": unreadable}
    assert not cloud.hidden & {*refused, *unreadable}
    told = capsys.readouterr().out
    assert [told.count(words) for words in ("the bus refused it", "contains no event", "Sent again: 1. Left: 3.")] == [
        1,
        2,
        1,
    ]
    assert "grüß" not in told


def test_nothing_leaves_its_queue_when_the_bus_cannot_be_reached() -> None:
    cloud = Cloud({"consolidate": letters(3), "learn": letters(2, source="openbot.memory")}, broken=True)

    with pytest.raises(ConnectionError):
        redrive(cloud.client, "memory")

    assert [len(bodies) for bodies in cloud.queues.values()] == [3, 2]


@pytest.mark.parametrize("body", ["", "x", "[]", "null", "7", '{"detail": {}}', json.dumps(EVENT | {"detail": "text"})])
def test_a_body_without_an_event_is_recognized(body: str) -> None:
    assert event_of(body) is None
