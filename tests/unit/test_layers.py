"""What may import what, read from the code itself."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"
PACKAGE = SRC / "openbot_memory"
MODULES = sorted(PACKAGE.rglob("*.py"))
HEAVY = ("boto3", "botocore", "pydantic", "aws_lambda_powertools")


def name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def imports(path: Path) -> Iterator[str]:
    """The full names of the modules that a file imports anywhere, also within its functions."""
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


def below(*folders: str) -> list[Path]:
    return [path for path in MODULES if name(path).split("/")[0] in folders]


def reaches(path: Path, *modules: str) -> set[str]:
    """Those imports of a file that are one of the modules, or within it."""
    return {
        each for each in imports(path) if any(each == module or each.startswith(f"{module}.") for module in modules)
    }


def files_with(pattern: str) -> set[str]:
    return {name(path) for path in MODULES if re.search(pattern, path.read_text())}


@pytest.mark.parametrize("path", below("domain"), ids=name)
def test_the_domain_imports_only_the_standard_library_and_itself(path: Path) -> None:
    foreign = {each for each in imports(path) if each.partition(".")[0] not in sys.stdlib_module_names}
    assert foreign == reaches(path, "openbot_memory.domain")


@pytest.mark.parametrize("path", below("domain"), ids=name)
def test_the_domain_has_no_clock_and_makes_no_ids(path: Path) -> None:
    assert not reaches(path, "time", "random", "secrets", "uuid", "os")
    assert not re.search(r"\b(now|today|utcnow)\(\)|\bnow\(UTC\)", path.read_text())


@pytest.mark.parametrize("path", below("store", "models", "use_cases"), ids=name)
def test_nothing_within_knows_of_the_doors(path: Path) -> None:
    assert not reaches(path, "functions", "openbot_memory.http", "openbot_memory.runtime")


@pytest.mark.parametrize("path", below("store"), ids=name)
def test_the_store_knows_only_the_domain_and_itself(path: Path) -> None:
    assert reaches(path, "openbot_memory") == reaches(path, "openbot_memory.domain", "openbot_memory.store")


@pytest.mark.parametrize("path", below("use_cases"), ids=name)
def test_use_cases_import_no_library_of_the_outside(path: Path) -> None:
    assert not reaches(path, *HEAVY)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_what_is_deployed_imports_nothing_that_is_only_local(path: Path) -> None:
    assert not reaches(
        path,
        "openbot_memory_cli",
        "openbot_memory_emulator",
        "openbot_memory_openapi",
        "typer",
        "rich",
        "httpx",
        "pytest",
    )


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_imports_are_absolute(path: Path) -> None:
    assert "." not in set(imports(path))


def test_only_the_settings_read_the_environment() -> None:
    assert files_with(r"\benviron\b|\bgetenv\b") == {"runtime/settings.py"}


def test_only_the_wiring_builds_clients() -> None:
    assert {name(path) for path in MODULES if {"boto3", "botocore.session"} & set(imports(path))} == {
        "runtime/wiring.py"
    }
