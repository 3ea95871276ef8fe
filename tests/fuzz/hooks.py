"""What Schemathesis cannot know of this API."""

from typing import Any, cast

import schemathesis
from schemathesis.specs.openapi import checks

of_schemathesis: Any = schemathesis  # whose types are known in part only


def whole(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Whole numbers without a fraction: JSON Schema takes 1.0 for one, and a strict reader of JSON does not."""
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


@of_schemathesis.check
def honest_acceptance(ctx: object, response: Any, case: object) -> bool | None:  # noqa: ANN401
    """As positive_data_acceptance, but for what no schema tells: which cursors were given out, which keys are used."""
    if response.status_code in {400, 422}:
        refusal = response.json()
        paths = {issue["path"] for issue in refusal.get("issues", ())}
        if paths == {"cursor"} or refusal["_tag"] in {"KeyReused", "SecretRefused"}:
            return None
    return cast("Any", checks).positive_data_acceptance(ctx, response, case)
