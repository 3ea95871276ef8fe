"""Checks which module imports which, from the source code."""

import ast
import re
import sys
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

SRC = Path(__file__).parents[2] / "src"
PACKAGE = SRC / "openbot_memory"
MODULES = sorted(PACKAGE.rglob("*.py"))
HEAVY = ("boto3", "botocore", "pydantic", "aws_lambda_powertools")


def name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@cache
def imports(path: Path) -> frozenset[str]:
    """The full names of the modules that a file imports anywhere, also within its functions."""
    return frozenset(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=aliases):
                yield from (alias.name for alias in aliases)
            case ast.ImportFrom(module=str(module), level=0, names=aliases):
                yield module
                yield from (f"{module}.{alias.name}" for alias in aliases)
            case ast.ImportFrom():
                yield "."
            case _:
                pass


def within(*folders: str) -> list[Path]:
    files = [path for path in MODULES if name(path).split("/")[0] in folders]
    assert files
    return files


def imported(path: Path, *modules: str) -> set[str]:
    """What a file imports of the modules."""
    return {
        each for each in imports(path) if any(each == module or each.startswith(f"{module}.") for module in modules)
    }


def importing(paths: Collection[Path], *modules: str) -> dict[str, set[str]]:
    """Which of the files import something of the modules, and what."""
    return {name(path): found for path in paths if (found := imported(path, *modules))}


def files_with(pattern: str) -> set[str]:
    return {name(path) for path in MODULES if re.search(pattern, path.read_text())}


def test_the_domain_imports_only_the_standard_library_and_itself() -> None:
    allowed = {*sys.stdlib_module_names, "openbot_memory"}
    foreign = {
        name(path): found
        for path in within("domain")
        if (found := {each for each in imports(path) if each.partition(".")[0] not in allowed})
    }
    assert foreign == {}
    assert importing(within("domain"), "openbot_memory") == importing(within("domain"), "openbot_memory.domain")


def test_the_domain_has_no_clock_and_makes_no_ids() -> None:
    assert importing(within("domain"), "time", "random", "secrets", "uuid", "os") == {}
    clocks = files_with(r"\b(now|today|utcnow)\(\)|\bnow\(UTC\)")
    assert [name(path) for path in within("domain") if name(path) in clocks] == []


def test_inner_layers_import_neither_http_nor_runtime() -> None:
    inner = within("store", "models", "use_cases")
    assert importing(inner, "functions", "openbot_memory.http", "openbot_memory.runtime") == {}


def test_the_store_imports_only_the_domain_and_itself() -> None:
    every = importing(within("store"), "openbot_memory")
    assert every == importing(within("store"), "openbot_memory.domain", "openbot_memory.store")


def test_use_cases_import_no_external_library() -> None:
    assert importing(within("use_cases"), *HEAVY) == {}


def test_deployed_code_imports_no_development_tool() -> None:
    tools = (
        "openbot_memory_cli",
        "openbot_memory_emulator",
        "openbot_memory_openapi",
        "typer",
        "rich",
        "httpx",
        "pytest",
    )
    assert importing(MODULES, *tools) == {}


def test_imports_are_absolute() -> None:
    assert [name(path) for path in MODULES if "." in imports(path)] == []


def test_only_the_settings_read_the_environment() -> None:
    assert files_with(r"\benviron\b|\bgetenv\b") == {"runtime/settings.py"}


def test_only_the_wiring_builds_clients() -> None:
    assert {name(path) for path in MODULES if {"boto3", "botocore.session"} & imports(path)} == {"runtime/wiring.py"}
