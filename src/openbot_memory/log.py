"""The functions' logger. It is named as the package, so what any module logs leaves through it: one line of JSON.

No content and no token is ever logged: ids, tags, reasons and counts only, and of an error that nobody expected its
type and where it was raised, because its words may quote what came in.
"""

import traceback
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.logging import Logger

logger = Logger(service="openbot_memory")


def unexpected(error: BaseException) -> Mapping[str, object]:
    """An error as fields of a log line, without its words."""
    response: dict[str, Any] = getattr(error, "response", None) or {}
    code = response.get("Error", {}).get("Code")
    stack = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
    return {"error": type(error).__name__, "stack": stack} | ({"code": code} if code else {})
