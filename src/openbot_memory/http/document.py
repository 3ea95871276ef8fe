"""The OpenAPI document, as `make openapi` writes it beside this file."""

import json
from pathlib import Path
from typing import Any

WRITTEN = Path(__file__).with_name("openapi.json")


def openapi() -> dict[str, Any]:
    """Read it; nobody else waits for that."""
    return json.loads(WRITTEN.read_text())
