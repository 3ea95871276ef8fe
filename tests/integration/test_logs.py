"""What the functions write: lines of JSON that can be put together, with counts, and without any content."""

import json
import sys
from collections import Counter
from dataclasses import dataclass
from typing import Any, cast

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from service import Json, Service, context

from openbot_memory.domain.errors import ModelFailed
from openbot_memory.domain.facts import Kind
from openbot_memory.domain.rules import Proposal
from openbot_memory.runtime.log import logger, unexpected
from openbot_memory.store.table import Table

SAID = "Ana-sits-at-the-window"
TOKEN = "obm_" + "a1B2" * 10


@dataclass
class Output:
    """What the functions have written since they were built."""

    captured: pytest.CaptureFixture[str]
    text: str = ""

    def lines(self) -> list[Json]:
        self.text += self.captured.readouterr().out
        return [json.loads(line) for line in self.text.splitlines()]


class Standard:
    """The standard output as it is when something is written, which pytest changes between set-up and test."""

    def write(self, text: str) -> None:
        sys.stdout.write(text)

    def flush(self) -> None: ...


@pytest.fixture
def output(service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Output:
    del service
    monkeypatch.delenv("POWERTOOLS_METRICS_DISABLED")
    monkeypatch.setattr(cast("Any", logger.registered_handler), "stream", Standard())
    return Output(capsys)


def logged(output: Output) -> list[Json]:
    return [line for line in output.lines() if "_aws" not in line]


def counted(output: Output) -> Counter[str]:
    """Sums by name, with the value of a dimension other than the service behind a slash."""
    sums = Counter[str]()
    for line in output.lines():
        for described in line.get("_aws", {}).get("CloudWatchMetrics", []):
            (dimensions,) = described["Dimensions"]
            what = "".join(f"/{line[name]}" for name in dimensions if name != "service")
            for metric in described["Metrics"]:
                sums[metric["Name"] + what] += sum(line[metric["Name"]])
    return sums


def remember(key: str, *sources: str, kind: Kind = Kind.FACT) -> Proposal:
    return Proposal(key=key, sources=sources, content="A sentence.", kind=kind)


def play(service: Service) -> str:
    """A turn whose model fails, one that is learned from, changes by hand, conflicts, and bad input."""
    session = service.session()
    service.model.script.put(ModelFailed("The model did not answer in time."))
    service.turn(session, "t-1", SAID)
    service.deliver()
    proposed = [remember("a", "i-01"), remember("b", "i-01"), remember("b", "i-01"), remember("c", "i-99")]
    service.model.script.put(lambda _: [*proposed])
    service.turn(session, "t-2", SAID)
    service.deliver()
    service.remember(session, SAID, SAID)
    service.forget(session, SAID)
    stale = {"expected": "v-1", "revision": 1, "command": {"_tag": "Forget", "key": SAID}}
    assert service.call("POST", f"/v1/sessions/{session}/memory", stale).status == 409
    assert service.call("POST", f"/v1/sessions/{session}/memory", stale | {"command": {"_tag": SAID}}).status == 400
    return session


def test_the_work_is_counted(service: Service, output: Output) -> None:
    """Each batch once, each proposal by what became of it, and each change by who made it."""
    play(service)

    assert counted(output) == {
        "ModelCalls": 2 + 1,  # the failed batch, the same again, and the rest
        "ModelFailures": 1,
        "InputTokens": 200,
        "OutputTokens": 20,
        "WaitingItems": 1 + 2 + 1,
        "OldestWaitingAge": 0,
        "ChangesApplied/consolidation": 2,
        "ChangesDropped/second-change-of-key": 1,
        "ChangesDropped/no-unread-source": 1,
        "ChangesApplied/person": 2,
        "Conflicts": 1,
    }


def test_the_oldest_waiting_item_tells_its_age(service: Service, output: Output) -> None:
    """In seconds, since it was appended."""
    session = service.session()
    service.turn(session, "t-1", SAID, model=None)
    world = service.functions["consolidate"].world(service.functions["consolidate"].MODEL_TIMEOUT)
    later = world.now() + 90_500
    object.__setattr__(world, "now", lambda: later)
    service.turn(session, "t-2", SAID)
    service.deliver()

    assert counted(output)["OldestWaitingAge"] == 90


def test_what_an_agent_learns_is_counted_too(service: Service, output: Output) -> None:
    service.call("PATCH", "/v1/organization", {"agentMemoryModel": "other"}, caller="admin")
    service.post("/v1/agents", {"name": "Helper", "id": "a-1"})
    session = service.session(agent="a-1", model="offline")
    service.model.script.put(
        lambda _: [remember("tests-first", "i-01", kind=Kind.PROCEDURE), remember("budget", "i-01")]
    )
    service.turn(session, "t-1", "Hello.", model="offline")
    service.deliver()

    counts = counted(output)
    assert counts["ModelCalls"] == 2
    assert (counts["ChangesApplied/consolidation"], counts["ChangesDropped/kind-not-durable"]) == (1, 1)


def test_each_line_says_which_request_or_event_it_belongs_to(service: Service, output: Output) -> None:
    """What modules of the package log goes the same way as what the functions log."""
    session = play(service)
    event = {"id": "event-1", "detail-type": "Turn Finished"}
    gone = {"organization": "globex", "session": session, "turn": "t", "agent": None, "model": "x", "queueEmpty": True}
    service.functions["consolidate"].handler(event | {"detail": gone}, context())

    written = logged(output)
    assert [line["message"] for line in written if line["message"].startswith("refused")] == [
        "refused: SessionConflict",
        "refused: InvalidRequest",
    ]
    assert {line["level"] for line in written} == {"INFO"}
    assert all(line["correlation_id"] for line in written)
    assert (written[-1]["message"], written[-1]["correlation_id"]) == ("the session is gone", "event-1")


def test_no_content_and_no_token_is_ever_written(
    service: Service, output: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also not by an error that nobody expected and whose words quote what came in."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(f"cannot write {SAID}")

    session = play(service)
    headers = {"authorization": f"Bearer {TOKEN}"}
    monkeypatch.setattr(Table, "commit", broken)
    reply = service.call("POST", "/v1/sessions", {"model": "test", "id": SAID}, headers=headers)
    poison = {"id": "event-1", "detail-type": "Turn Finished", "detail": {"session": {"text": SAID}}}
    with pytest.raises(ValueError, match="validation error") as raised:  # which Lambda writes into its log
        service.functions["consolidate"].handler(poison, context())

    assert reply.status == 500
    failed = logged(output)[-1]
    assert (failed["message"], failed["error"]) == ("request failed", "RuntimeError")
    assert "in broken" not in failed["stack"]
    assert failed["stack"][-1].endswith("broken")
    for secret in (SAID, TOKEN):
        assert secret not in output.text + str(raised.value) + reply.body["message"]
    assert session


def test_an_error_is_told_by_its_type_and_code() -> None:
    """Also one that has no answer to take a code from."""
    refused = ClientError({"Error": {"Code": "ThrottlingException", "Message": SAID}}, "Query")

    assert unexpected(refused) == {"error": "ClientError", "stack": [], "code": "ThrottlingException"}
    assert unexpected(ReadTimeoutError(endpoint_url=SAID)) == {"error": "ReadTimeoutError", "stack": []}
