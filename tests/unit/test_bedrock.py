"""S8: one call of the tool is an answer; anything else is a failure, reported in the service's own words."""

from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import EndpointConnectionError, ReadTimeoutError
from botocore.session import get_session
from botocore.stub import Stubber
from examples import item

from openbot_memory.domain.errors import ModelFailed
from openbot_memory.domain.rules import Proposal
from openbot_memory.domain.session import Tokens
from openbot_memory.models.bedrock import Bedrock
from openbot_memory.models.choose import Models
from openbot_memory.models.port import Answer, Question

MODEL = "eu.example.model-v1:0"
QUESTION = Question(items=(item(),), known=(), today=0)
FORGET = {"action": "forget", "key": "tea", "sources": ["i-01"]}
CALL = {"toolUse": {"toolUseId": "t1", "name": "update_memory", "input": {"changes": [FORGET]}}}

type Json = dict[str, Any]


@pytest.fixture(scope="module")
def session() -> Any:  # noqa: ANN401
    """Loads the description of Bedrock once for all clients."""
    return get_session()


@pytest.fixture
def client(session: Any) -> Any:  # noqa: ANN401
    return session.create_client(
        "bedrock-runtime",
        region_name="eu-central-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(retries={"total_max_attempts": 1}),
    )


@pytest.fixture
def stub(client: Any) -> Stubber:  # noqa: ANN401
    stubber = Stubber(client)
    stubber.activate()
    return stubber


def response(*content: Json, stop: str = "tool_use") -> Json:
    return {
        "output": {"message": {"role": "assistant", "content": list(content)}},
        "stopReason": stop,
        "usage": {"inputTokens": 120, "outputTokens": 30, "totalTokens": 150},
        "metrics": {"latencyMs": 1},
    }


def failing(client: Any, error: Exception) -> None:  # noqa: ANN401
    def fail(**_: object) -> None:
        raise error

    client.meta.events.register("before-send.bedrock-runtime.Converse", fail)


def test_one_call_of_the_tool_is_parsed(client: Any, stub: Stubber) -> None:  # noqa: ANN401
    stub.add_response("converse", response({"text": "Gladly."}, CALL))

    answer = Bedrock(client).propose(MODEL, QUESTION)

    assert answer == Answer(proposals=(Proposal(key="tea", sources=("i-01",)),), tokens=Tokens(120, 30))


def request_to(client: Any, stub: Stubber, model: str) -> Json:  # noqa: ANN401
    """What Bedrock is sent for one question."""
    stub.add_response("converse", response(CALL))
    asked = list[Json]()

    def note(params: Json, **_: object) -> None:
        asked.append(params)

    client.meta.events.register("provide-client-params.bedrock-runtime.Converse", note)
    Bedrock(client).propose(model, QUESTION)
    (request,) = asked
    return request


def test_the_tool_is_forced_and_the_answer_bounded(client: Any, stub: Stubber) -> None:  # noqa: ANN401
    request = request_to(client, stub, MODEL)

    (tool,) = request["toolConfig"]["tools"]
    assert request["modelId"] == MODEL
    assert request["toolConfig"]["toolChoice"] == {"tool": {"name": tool["toolSpec"]["name"]}}
    assert tool["toolSpec"]["inputSchema"]["json"]["type"] == "object"
    assert request["inferenceConfig"]["maxTokens"] <= 4096


@pytest.mark.parametrize(
    ("model", "cached"),
    [
        ("anthropic.claude-3-5-haiku-20241022-v1:0", True),
        ("eu.anthropic.claude-sonnet-4-5-20250929-v1:0", True),
        ("arn:aws:bedrock:eu-west-1:1:inference-profile/eu.amazon.nova-lite-v1:0", True),
        ("anthropic.claude-3-haiku-20240307-v1:0", False),
        ("amazon.nova-canvas-v1:0", False),
        (MODEL, False),
    ],
)
def test_prompt_caching_is_requested_from_models_that_support_it(
    client: Any,  # noqa: ANN401
    stub: Stubber,
    model: str,
    *,
    cached: bool,
) -> None:
    parts = request_to(client, stub, model)["messages"][0]["content"]

    assert [next(iter(part)) for part in parts] == ["text", *(["cachePoint"] if cached else []), "text"]


def test_cached_tokens_are_counted(client: Any, stub: Stubber) -> None:  # noqa: ANN401
    answer = response(CALL)
    answer["usage"] |= {"cacheReadInputTokens": 1000, "cacheWriteInputTokens": 200}
    stub.add_response("converse", answer)

    assert Bedrock(client).propose(MODEL, QUESTION).tokens == Tokens(1320, 30)


@pytest.mark.parametrize(
    "answer",
    [
        response({"text": '```json\n{"changes": []}\n```'}, stop="end_turn"),
        response(stop="end_turn"),
        response(CALL, CALL),
        response(CALL, stop="max_tokens"),
        response(CALL, stop="guardrail_intervened"),
        response({"text": "I will not."}, stop="content_filtered"),
        response({"toolUse": CALL["toolUse"] | {"name": "other"}}),
        response({"toolUse": CALL["toolUse"] | {"input": {}}}),
        response({"toolUse": CALL["toolUse"] | {"input": "changes"}}),
    ],
)
def test_any_other_answer_is_a_failure(client: Any, stub: Stubber, answer: Json) -> None:  # noqa: ANN401
    stub.add_response("converse", answer)

    with pytest.raises(ModelFailed):
        Bedrock(client).propose(MODEL, QUESTION)


@pytest.mark.parametrize("code", ["ThrottlingException", "AccessDeniedException", "ValidationException", "Unheard"])
def test_the_message_of_a_failure_quotes_nothing_from_bedrock(client: Any, stub: Stubber, code: str) -> None:  # noqa: ANN401
    """S7: the saved text of an error never holds a secret."""
    stub.add_client_error("converse", code, "my password is hunter2")

    with pytest.raises(ModelFailed) as failed:
        Bedrock(client).propose(MODEL, QUESTION)

    assert "hunter2" not in str(failed.value)
    assert str(failed.value).startswith("The ")


@pytest.mark.parametrize(
    "error",
    [ReadTimeoutError(endpoint_url="https://secret.example"), EndpointConnectionError(endpoint_url="https://secret")],
)
def test_an_unreachable_model_is_a_failure(client: Any, error: Exception) -> None:  # noqa: ANN401
    failing(client, error)

    with pytest.raises(ModelFailed) as failed:
        Bedrock(client).propose(MODEL, QUESTION)

    assert "secret" not in str(failed.value)


def test_an_impossible_model_name_is_a_failure(client: Any) -> None:  # noqa: ANN401
    with pytest.raises(ModelFailed):
        Bedrock(client).propose("", QUESTION)


def test_offline_creates_no_client() -> None:
    def no_client() -> None:
        raise AssertionError

    assert Models(no_client).propose("offline", QUESTION).tokens == Tokens()


def test_other_names_share_one_client_of_bedrock(client: Any, stub: Stubber) -> None:  # noqa: ANN401
    made = iter([client])
    models = Models(lambda: next(made))

    for _ in range(2):
        stub.add_response("converse", response(CALL))
        assert models.propose(MODEL, QUESTION).proposals
