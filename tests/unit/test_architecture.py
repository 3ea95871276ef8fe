"""Every file, function and link in the documents for contributors exists, and every package is documented."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/openbot_memory"
BASES = (ROOT, PACKAGE)  # from which paths in the documents start
CODE = ("src", "functions", "tools", "tests")
NOT_COMMITTED = (".local/", ".venv/")  # made by `make setup` and `make run`

SPAN = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*(?:/|\.(?:py|md|toml|yaml|json|svg|txt|lock))")
FUNCTION = re.compile(r"(\w+)\(\)")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")


def text(name: str) -> str:
    return (ROOT / name).read_text()


def tables(document: str) -> str:
    return "".join(line for line in document.splitlines(keepends=True) if line.startswith("|"))


DOCUMENTS = {
    "docs/architecture.md": text("docs/architecture.md"),
    "CONTRIBUTING.md": text("CONTRIBUTING.md"),
    "README.md": tables(text("README.md")),
}


def paths(document: str) -> Iterator[str]:
    """The code spans that are a file or a folder."""
    spans = (span for span in SPAN.findall(document) if PATH.fullmatch(span))
    yield from (span for span in spans if not span.startswith(NOT_COMMITTED))


def functions(document: str) -> Iterator[str]:
    """The names of the code spans that are a function: `decide()`."""
    yield from (found[1] for span in SPAN.findall(document) if (found := FUNCTION.fullmatch(span)))


def found(path: str) -> bool:
    """Whether a path exists. A bare name may lie in any folder of code."""
    if any((base / path).exists() for base in BASES):
        return True
    return "/" not in path and path in {file.name for file in sources()}


@cache
def sources() -> tuple[Path, ...]:
    return tuple(file for folder in CODE for file in (ROOT / folder).rglob("*.py"))


@cache
def defined() -> frozenset[str]:
    return frozenset(name for file in sources() for name in re.findall(r"^ *def (\w+)", file.read_text(), re.MULTILINE))


def cases(find: Iterable[str]) -> list[str]:
    return sorted(set(find))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_named_file_exists(document: str) -> None:
    named = cases(paths(DOCUMENTS[document]))
    assert named
    assert [path for path in named if not found(path)] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_named_function_exists(document: str) -> None:
    assert [name for name in cases(functions(DOCUMENTS[document])) if name not in defined()] == []


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/architecture.md"])
def test_every_linked_file_exists(document: str) -> None:
    beside = (ROOT / document).parent
    links = cases(LINK.findall(text(document)))
    assert [link for link in links if not (beside / link).exists()] == []


@pytest.mark.parametrize("package", cases(each.parent.name for each in PACKAGE.glob("*/__init__.py")))
def test_every_package_is_on_the_page(package: str) -> None:
    assert f"`{package}/`" in DOCUMENTS["docs/architecture.md"]


def test_paths_and_functions_are_distinguished_from_other_code() -> None:
    document = (
        "`domain/rules.py` `POST /v1/sessions` `make test` `decide()` `a()` b.py `.local/stack.json` `http/` `is`"
    )
    assert list(paths(document)) == ["domain/rules.py", "http/"]
    assert list(functions(document)) == ["decide", "a"]


@pytest.mark.parametrize("path", ["domain/no_such.py", "no_such.py", "no_such/", "rules.md"])
def test_a_missing_file_is_not_found(path: str) -> None:
    assert not found(path)


@pytest.mark.parametrize("path", ["domain/rules.py", "rules.py", "template.yaml", "tools/", "secrets/words.toml"])
def test_a_file_is_found_from_the_repository_the_package_or_by_its_name(path: str) -> None:
    assert found(path)
