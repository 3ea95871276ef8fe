"""The OpenAPI document, which `make openapi` writes beside this file."""

import json
from pathlib import Path
from typing import Any

WRITTEN = Path(__file__).with_name("openapi.json")


def document() -> dict[str, Any]:
    """Read from the file at each call: it is seldom asked for, and a cold start should not pay for it."""
    return json.loads(WRITTEN.read_text())
