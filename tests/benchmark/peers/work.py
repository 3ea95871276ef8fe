"""The work that every system does in a process of its own: `work.py MODULE` prints the measurements as JSON."""

import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable
from statistics import median
from typing import Any, Protocol

FEW, MANY = 50, 1000
LENGTH = 8000  # characters of a text for a prompt
RUNS = 200
CONTENT = "This is what was agreed on as point {}, told in one plain sentence of a usual length, as models write them."


class System(Protocol):
    """A memory of one session."""

    def store(self, key: str, content: str) -> None: ...

    def facts(self, number: int) -> list[str]:
        """The contents of a number of facts, in any order."""
        ...

    def text(self) -> str:
        """A text for a prompt with at most `LENGTH` characters of facts; words that the system adds are not counted."""
        ...


def main(module: str) -> dict[str, float]:
    sys.path += os.environ["WORK_PATH"].split(os.pathsep)
    before = resident()
    begun = time.perf_counter()
    make: Callable[[], System] = importlib.import_module(module).make
    system = make()
    found = {"imported and made ready": since(begun), "memory for that": resident() - before}
    contents = [CONTENT.format(number) for number in range(MANY)]
    found["store the first 50 facts, each"] = stored(system, contents[:FEW], 0)
    assert sorted(system.facts(FEW)) == sorted(contents[:FEW])
    found["read 50 facts"] = timed(lambda: system.facts(FEW))
    found["text from 50 facts"] = timed(system.text)
    assert all(content in system.text() for content in contents[:FEW])
    found["store the next 950 facts, each"] = stored(system, contents[FEW:], FEW)
    found["text from 1,000 facts"] = timed(system.text)
    shown = [content for content in contents if content in system.text()]
    assert LENGTH * 0.8 < sum(map(len, shown)) <= LENGTH
    return found


def fitting(lines: Iterable[str]) -> str:
    """As many of the lines as fit, for systems without a text of their own."""
    text = ""
    for line in lines:
        if len(text) + len(line) > LENGTH:
            break
        text += line
    return text


def stored(system: System, contents: list[str], first: int) -> float:
    times = list[float]()
    for number, content in enumerate(contents, first):
        begun = time.perf_counter()
        system.store(f"key-{number}", content)
        times.append(since(begun))
    return median(times)


def timed(call: Callable[[], Any]) -> float:
    times = list[float]()
    for _ in range(RUNS):
        begun = time.perf_counter()
        call()
        times.append(since(begun))
    return median(times)


def since(begun: float) -> float:
    """Milliseconds since then."""
    return 1000 * (time.perf_counter() - begun)


def resident() -> float:
    """The peak memory of the process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))  # noqa: T201
