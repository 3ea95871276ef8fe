"""Loads a function from its folder, as Lambda does: each has its own `app`."""

import importlib.util
from pathlib import Path
from typing import Any

FUNCTIONS = Path(__file__).parents[2] / "functions"


def load(function: str) -> Any:  # noqa: ANN401
    spec = importlib.util.spec_from_file_location(f"{function}_app", FUNCTIONS / function / "app.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
