"""S8 on the wire: what a failing Bedrock answers over HTTP, what is stored of it, and how often it was asked."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest
from service import ROOT, Json, ScriptedModel, Service, context

from openbot_memory.domain.errors import Unavailable

MODEL = "eu.example.model-v1:0"
TIMEOUT = 0.3  # seconds, instead of a function's own, where a test is about it
PRIVATE = "Ana said hello."  # what a provider quotes in its errors


class Answer(NamedTuple):
    status: int = 200
    body: str = ""
    error: str = ""  # Bedrock's name of it
    wait: float = 0
    missing: int = 0  # bytes of the body that never come; -1: not even a status


class Server:
    """Bedrock's Converse; `answer` makes the next answers, `requests` are what it was asked."""

    def __init__(self) -> None:
        self.requests: list[Json] = []
        self.answer: Callable[[Json], Answer] = proposing
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())

    @property
    def shown(self) -> list[list[str]]:
        """The ids of the items that each request showed."""
        return [item_ids(request) for request in self.requests]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                server.requests.append(request)
                answer = server.answer(request)
                time.sleep(answer.wait)
                if answer.missing < 0:
                    return
                body = answer.body.encode()
                self.send_response(answer.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body) + answer.missing))
                if answer.error:
                    self.send_header("x-amzn-errortype", answer.error)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
                pass

        return Handler


@pytest.fixture
def bedrock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    server = Server()
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", f"http://127.0.0.1:{server.http.server_port}")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(server.http.serve_forever, 0.01)
        yield server
        server.http.shutdown()
    server.http.server_close()


@pytest.fixture
def service(aws: Any, bedrock: Server) -> Service:  # noqa: ANN401
    """The functions, with models as they are deployed."""
    del bedrock
    return Service(aws, ScriptedModel())


@pytest.fixture
def impatient(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    for function in ("command", "consolidate"):
        monkeypatch.setattr(service.functions[function], "MODEL_TIMEOUT", TIMEOUT)


def item_ids(request: Json) -> list[str]:
    _, _, items = request["messages"][0]["content"][-1]["text"].partition("New items:\n")
    return [json.loads(line)["id"] for line in items.splitlines() if line]


def said(*blocks: Json, stop: str = "tool_use") -> Answer:
    message = {"role": "assistant", "content": list(blocks)}
    usage = {"inputTokens": 120, "outputTokens": 30, "totalTokens": 150}
    return Answer(body=json.dumps({"output": {"message": message}, "stopReason": stop, "usage": usage}))


def called(*changes: Json, tool: str = "update_memory", stop: str = "tool_use") -> Answer:
    return said({"toolUse": {"toolUseId": "t1", "name": tool, "input": {"changes": list(changes)}}}, stop=stop)


def fact(source: str, key: str = "") -> Json:
    return {"action": "remember", "key": key or source, "content": "Hello.", "kind": "fact", "sources": [source]}


def proposing(request: Json) -> Answer:
    """One fact an item."""
    return called(*(fact(source) for source in item_ids(request)))


def error(status: int, name: str) -> Answer:
    return Answer(status, json.dumps({"message": f"{name}: {PRIVATE}"}), name)


BUSY, ABSENT, LATE = "The model is too busy.", "The model is not available.", "The model did not answer in time."
UNASKED, CUT_OFF = "The model could not be asked.", "The model's answer was cut off."
OTHERWISE = "The model did not answer as it was asked."
MEGABYTES = PRIVATE * 200_000  # 3 MB

FAULTS: dict[str, tuple[Answer, str]] = {
    "429 throttled": (error(429, "ThrottlingException"), BUSY),
    "400 quota": (error(400, "ServiceQuotaExceededException"), "The model's quota is used up."),
    "403 access denied": (error(403, "AccessDeniedException"), "The service may not use this model."),
    "408 model's time-out": (error(408, "ModelTimeoutException"), LATE),
    "424 model's error": (error(424, "ModelErrorException"), UNASKED),
    "404 unknown model": (error(404, "ResourceNotFoundException"), "There is no such model."),
    "400 malformed": (error(400, "ValidationException"), "The model does not take this request."),
    "400 too long": (
        Answer(400, '{"message": "Input is too long for requested model."}', "ValidationException"),
        "The request is too long for the model.",
    ),
    "429 not ready": (error(429, "ModelNotReadyException"), ABSENT),
    "500": (error(500, "InternalServerException"), UNASKED),
    "503": (error(503, "ServiceUnavailableException"), ABSENT),
    "502 of a proxy, HTML": (Answer(502, "<html>Bad Gateway</html>"), UNASKED),
    "connection closed": (Answer(missing=-1), UNASKED),
    "connection closed in the answer": (Answer(body='{"output": ', missing=100), OTHERWISE),
    "no JSON": (Answer(body=PRIVATE), OTHERWISE),
    "prose": (said({"text": PRIVATE}, stop="end_turn"), OTHERWISE),
    "another tool": (called(fact("i-01"), tool="send_mail"), OTHERWISE),
    "empty": (said(stop="end_turn"), OTHERWISE),
    "refusal in words": (said({"text": "I cannot help with that."}, stop="end_turn"), OTHERWISE),
    "content filtered": (said(stop="content_filtered"), OTHERWISE),
    "guardrail": (said({"text": "Blocked."}, stop="guardrail_intervened"), OTHERWISE),
    "malformed tool use": (said(stop="malformed_tool_use"), OTHERWISE),
    "cut off, though it is whole": (called(fact("i-01"), stop="max_tokens"), CUT_OFF),
    "cut off after 3 MB": (said({"text": MEGABYTES}, stop="max_tokens"), CUT_OFF),
    "3 MB of prose": (said({"text": MEGABYTES}, stop="end_turn"), OTHERWISE),
}


MAY_PASS = {  # what the event is tried again for (S8)
    "429 throttled",
    "408 model's time-out",
    "424 model's error",
    "429 not ready",
    "500",
    "503",
    "502 of a proxy, HTML",
    "connection closed",
}
OF_SERVICE = MAY_PASS | {"400 quota", "403 access denied", "404 unknown model", "400 malformed"}


@pytest.mark.parametrize("fault", sorted(OF_SERVICE))
def test_a_failure_of_the_service_never_uses_an_item_up(service: Service, bedrock: Server, fault: str) -> None:
    """S8: only counted as attempts; neither halved nor passed over, and read when the service is well again."""
    answer, _ = FAULTS[fault]
    bedrock.answer = lambda _: answer
    session = service.session(MODEL)
    service.turn(session, "t-1", "One.", "Two.", model=MODEL)

    for _ in range(8):
        finish(service, session)

    assert bedrock.shown == [["i-01", "i-02"]] * 8
    assert service.get(f"/v1/sessions/{session}/memory")["error"]["attempts"] == 8
    bedrock.answer = proposing
    finish(service, session)
    assert service.entries(session).keys() == {"i-01", "i-02"}


def test_failures_of_the_service_between_do_not_count_for_a_batch_that_cannot_be_read(
    service: Service, bedrock: Server
) -> None:
    """S8: an item alone is passed over at its fifth failure that its content can have caused."""
    session = service.session(MODEL)
    service.turn(session, "t-1", "One.", model=MODEL)
    for fault in ("prose", "503", "prose", "403 access denied", "prose", "429 throttled", "prose", "503", "prose"):
        assert service.get(f"/v1/sessions/{session}")["memory"]["consolidation"]["waiting"] == 1
        bedrock.answer = lambda _, fault=fault: FAULTS[fault][0]
        finish(service, session)

    assert service.get(f"/v1/sessions/{session}")["memory"]["consolidation"]["waiting"] == 0


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_asked_once_and_stored_and_the_next_turn_reads_everything(
    service: Service, bedrock: Server, fault: str
) -> None:
    """S8: one call a batch, none by botocore; the error in our own words; nothing read."""
    answer, message = FAULTS[fault]
    bedrock.answer = lambda _: answer
    session = service.session(MODEL)
    head = service.turn(session, "t-1", PRIVATE, model=MODEL)["session"]["head"]

    assert finish(service, session) == (fault in MAY_PASS)

    assert bedrock.shown == [["i-01"]]
    assert service.get(f"/v1/sessions/{session}")["session"]["head"] == head
    memory = service.get(f"/v1/sessions/{session}/memory")
    assert (memory["entries"], memory["processed"]) == ({}, [])
    assert (memory["error"]["message"], memory["error"]["attempts"]) == (message, 1)

    bedrock.answer = proposing
    service.turn(session, "t-2", "Hello again.", model=MODEL)
    finish(service, session)

    assert bedrock.shown == [["i-01"], ["i-01"], ["i-02"]]
    memory = service.get(f"/v1/sessions/{session}/memory")
    assert memory["entries"].keys() == {"i-01", "i-02"}
    assert "error" not in memory


@pytest.mark.usefixtures("impatient")
def test_a_model_slower_than_the_time_out_is_asked_once_by_a_turn_and_once_by_a_refresh(
    service: Service, bedrock: Server
) -> None:
    """S8, S10."""
    bedrock.answer = lambda _: Answer(wait=2 * TIMEOUT)
    session = service.session(MODEL)
    service.turn(session, "t-1", "Hello.", model=MODEL)

    finish(service, session)

    assert len(bedrock.requests) == 1
    error = service.get(f"/v1/sessions/{session}/memory")["error"]
    assert (error["message"], error["attempts"]) == (LATE, 1)

    reply = service.change(session, {"_tag": "Refresh"})

    assert (reply.status, reply.body["_tag"], reply.body["message"]) == (502, "ModelFailed", LATE)
    assert len(bedrock.requests) == 2


def test_a_huge_list_of_changes_is_bounded_and_the_turn_is_read(service: Service, bedrock: Server) -> None:
    """S6: 4 MB of changes; what they cost is bounded too, though each would have its own key to look up."""
    huge = called(*(fact("i-01", f"key-{number}") for number in range(40_000)))
    bedrock.answer = lambda _: huge
    session = service.session(MODEL)
    service.turn(session, "t-1", "Hello.", model=MODEL)
    requests = list[str]()

    def count(model: Any, **_: object) -> None:  # noqa: ANN401
        requests.append(model.name)

    service.client_of_functions.meta.events.register("provide-client-params.dynamodb.*", count)
    finish(service, session)

    assert requests.count("BatchGetItem") <= 10
    memory = service.get(f"/v1/sessions/{session}/memory")
    assert memory["processed"] == ["i-01"]
    assert 0 < len(memory["entries"]) <= 100
    (row,) = service.get(f"/v1/sessions/{session}/memory/log")["log"]
    assert 0 < len(row["dropped"]) <= 100
    assert len(bedrock.requests) == 1


@pytest.mark.parametrize(
    ("items", "bad", "calls"),
    [(1, 1, 5), (4, 1, 3 + 3 + 5 + 1), (4, 4, 3 + 1 + 3 + 1 + 5), (8, 5, 3 + 1 + 3 + 3 + 5 + 1)],
)
def test_one_item_that_no_model_can_read_costs_so_many_calls_and_holds_up_nothing_for_good(
    service: Service, bedrock: Server, items: int, bad: int, calls: int
) -> None:
    """S8: three for a batch, then its half; five for the item; one for each part that can be read."""
    culprit = f"i-{bad:02}"

    def answer(request: Json) -> Answer:
        return said({"text": PRIVATE}, stop="end_turn") if culprit in item_ids(request) else proposing(request)

    bedrock.answer = answer
    session = service.session(MODEL)
    service.turn(session, "t-1", *(f"Sentence {n}." for n in range(items)), model=MODEL)
    failing = 0
    while service.get(f"/v1/sessions/{session}")["memory"]["consolidation"]["waiting"]:
        before = len(bedrock.requests)
        finish(service, session)
        failed = [culprit in shown for shown in bedrock.shown[before:]]
        assert sum(failed) <= 1, "a failing batch is asked for once a turn"
        failing += 1
        assert failing < 100

    assert len(bedrock.requests) == calls
    others = {f"i-{n:02}" for n in range(1, items + 1)} - {culprit}
    assert service.entries(session).keys() == others
    dropped = [row["dropped"] for row in service.get(f"/v1/sessions/{session}/memory/log")["log"] if row["dropped"]]
    assert dropped == [[{"key": culprit, "reason": "unreadable"}]]
    read = [source for shown in bedrock.shown if culprit not in shown for source in shown]
    assert sorted(read) == sorted(others), "what can be read is paid for once"


def finish(service: Service, session: str) -> bool:
    """Deliver the event of a finished turn. Returns whether Lambda would try it again."""
    event = json.loads((ROOT / "events/consolidate.json").read_text())
    event["detail"] |= {"session": session, "model": MODEL}
    try:
        service.functions["consolidate"].handler(event, context())
    except Unavailable:
        return True
    return False
