"""The functions' logger: one line of JSON for each record of any module, because it is named as the package.

Content and tokens are never logged, only ids, tags, reasons and counts. The words of an unexpected error may quote
what came in, so of it only the type, the code and the place in the source are logged.
"""

import traceback
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.logging import Logger

logger = Logger(service="openbot_memory")


def unexpected(error: BaseException) -> Mapping[str, object]:
    """An error as fields of a log line, without its message."""
    response: dict[str, Any] = getattr(error, "response", None) or {}
    code = response.get("Error", {}).get("Code")
    stack = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
    return {"error": type(error).__name__, "stack": stack} | ({"code": code} if code else {})
