"""Records the AWS calls of each function as IAM actions, resources and partition keys, to compare with its policy."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

type Json = Mapping[str, Any]
type AwsCall = Callable[[Any, str, Json], Any]

TABLE, INDEX, BUS = "${Table.Arn}", "${Table.Arn}/index/", "${EventBus.Arn}"
BEDROCK = "arn:${AWS::Partition}:bedrock:eu-central-1:"
ACCOUNT = "${AWS::AccountId}"
TRANSACTED = {"Put": "PutItem", "Delete": "DeleteItem", "Update": "UpdateItem", "ConditionCheck": "ConditionCheckItem"}
LEARNED = {"action": "remember", "key": "tests-first", "content": "Test first.", "kind": "procedure"}


class Need(NamedTuple):
    """What must be allowed for a call. `pk`: the partition that it reaches, where it is the table's."""

    action: str
    resource: str
    pk: str | None = None


@dataclass
class Recorder:
    """Stands between botocore's clients and AWS, and answers for Bedrock, which the emulation has not."""

    aws: AwsCall
    running: str | None = None  # the function whose handler is at work; None for a test's own calls
    needs: dict[str, set[Need]] = field(default_factory=dict[str, set[Need]])
    events: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])  # that are to be delivered
    started_by: set[str] = field(default_factory=set[str])  # the routes and kinds of event that started a function

    def call(self, client: Any, operation: str, request: Json) -> Any:  # noqa: ANN401
        if self.running:
            self.needs.setdefault(self.running, set()).update(needs(operation, request))
        if operation == "PutEvents":
            self.events += map(_event, request["Entries"])
        return _learned() if operation == "Converse" else self.aws(client, operation, request)

    def watched(self, function: str, handler: Callable[..., Any]) -> Callable[..., Any]:
        """The handler, with what is called meanwhile noted as this function's."""

        def watched(event: Json, context: object) -> Any:  # noqa: ANN401
            self.running = function
            self.started_by |= {event[name] for name in ("routeKey", "detail-type") if name in event}
            try:
                return handler(event, context)
            finally:
                self.running = None

        return watched


def needs(operation: str, request: Json) -> Iterator[Need]:
    match operation:
        case "Query":
            index = request.get("IndexName")
            partition = request["ExpressionAttributeValues"][":pk"]["S"]
            yield Need("dynamodb:Query", f"{INDEX}{index}" if index else TABLE, partition)
        case "BatchGetItem":
            keys = [key for asked in request["RequestItems"].values() for key in asked["Keys"]]
            yield from (Need("dynamodb:BatchGetItem", TABLE, key["pk"]["S"]) for key in keys)
        case "BatchWriteItem":
            bodies = [body for asked in request["RequestItems"].values() for write in asked for body in write.values()]
            yield from (Need("dynamodb:BatchWriteItem", TABLE, _partition(body)) for body in bodies)
        case "TransactWriteItems":
            for write in request["TransactItems"]:
                ((kind, body),) = write.items()
                yield Need(f"dynamodb:{TRANSACTED[kind]}", TABLE, _partition(body))
        case "PutEvents":
            yield Need("events:PutEvents", BUS)
        case "Converse":
            yield Need("bedrock:InvokeModel", _model(request["modelId"]))
        case other:
            raise NotImplementedError(f"which permission {other} needs")


def _partition(body: Json) -> str:
    return (body.get("Item") or body["Key"])["pk"]["S"]


def _model(identifier: str) -> str:
    """The ARN of a model by the id that Converse takes."""
    if identifier.startswith("arn:"):
        return re.sub(r"^arn:aws:bedrock:[\w-]+:\d{12}:", f"{BEDROCK}{ACCOUNT}:", identifier)
    if re.match(r"(eu|us|apac|global)\.", identifier):
        return f"{BEDROCK}{ACCOUNT}:inference-profile/{identifier}"
    return f"{BEDROCK}:foundation-model/{identifier}"


def _event(entry: Json) -> dict[str, Any]:
    return {"source": entry["Source"], "detail-type": entry["DetailType"], "detail": json.loads(entry["Detail"])}


def _learned() -> Json:
    """Converse's answer, with one change whose source is the first item."""
    changes = {"changes": [LEARNED | {"sources": ["i-01"]}]}
    call = {"toolUse": {"toolUseId": "t-1", "name": "update_memory", "input": changes}}
    return {
        "output": {"message": {"role": "assistant", "content": [call]}},
        "stopReason": "tool_use",
        "usage": {"inputTokens": 1, "outputTokens": 1},
    }
