"""Teaches Schemathesis what the OpenAPI document cannot express."""

import random
from threading import Lock
from typing import Any, cast

import schemathesis
from known_ids import KnownIds
from schemathesis.specs.openapi import checks

of_schemathesis: Any = schemathesis  # its types are incomplete
known_ids, lock = KnownIds(random.Random(0)), Lock()  # noqa: S311


def whole(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Write 1.0 as 1: JSON Schema accepts both as integers, and strict JSON parsing does not."""
    match value:
        case dict():
            return {name: whole(each) for name, each in cast("dict[str, Any]", value).items()}
        case list():
            return [whole(each) for each in cast("list[Any]", value)]
        case float() if value.is_integer():
            return int(value)
        case _:
            return value


@of_schemathesis.hook
def map_body(_context: object, body: Any) -> Any:  # noqa: ANN401
    return whole(body)


def body_of(case: Any) -> dict[str, Any]:  # noqa: ANN401
    body: Any = case.body
    return cast("dict[str, Any]", body) if isinstance(body, dict) else {}


@of_schemathesis.hook
def before_call(_context: object, case: Any, _kwargs: object) -> None:  # noqa: ANN401
    if case.meta and case.meta.generation.mode.is_positive:
        with lock:
            known_ids.name(case.path, case.path_parameters or {}, case.query or {}, body_of(case))


@of_schemathesis.hook
def after_call(_context: object, case: Any, response: Any) -> None:  # noqa: ANN401
    if response.status_code in {200, 201}:
        with lock:
            known_ids.record(case.path, case.path_parameters or {}, body_of(case), response.json())


@of_schemathesis.check
def acceptance_of_allowed_requests(ctx: object, response: Any, case: object) -> bool | None:  # noqa: ANN401
    """As positive_data_acceptance, but for refusals that no schema can express: forged cursors, used keys, secrets."""
    if response.status_code in {400, 422}:
        refusal = response.json()
        paths = {issue["path"] for issue in refusal.get("issues", ())}
        if paths == {"cursor"} or refusal["_tag"] in {"KeyReused", "SecretRefused"}:
            return None
    return cast("Any", checks).positive_data_acceptance(ctx, response, case)
