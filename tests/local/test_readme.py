"""The first conversation of README.md, as it is printed there."""

import json
import re
import subprocess
from pathlib import Path

from local_stack import ROOT, Json, Stack


def test_the_first_conversation_of_the_readme_works_as_printed(stack: Stack, tmp_path: Path) -> None:
    (tmp_path / ".local").mkdir()
    (tmp_path / ".local/stack.json").symlink_to(stack.directory / "stack.json")

    run = subprocess.run(
        ["bash"],  # noqa: S607 - the reader's own
        input="\n".join(blocks("A first conversation")),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert (run.returncode, run.stderr) == (0, "")
    created, turn, memory, found, instructions, changed, log = (
        answer for line in run.stdout.splitlines() if (answer := response(line))
    )
    assert created["session"]["id"] == turn["session"]["id"] == "trip"
    (learned,) = memory["entries"].values()
    assert learned.items() >= {"content": "My trip budget is 1500 EUR.", "sources": ["i-01"]}.items()
    assert found["found"] == [learned["key"]]
    assert learned["content"] in instructions["text"]
    assert changed["session"]["revision"] > turn["session"]["revision"]
    assert [(row["trigger"], row["keys"]) for row in log["log"]] == [
        ("person", ["seat"]),
        ("consolidation", [learned["key"]]),
    ]


def blocks(section: str) -> list[str]:
    """The shell blocks of a section."""
    (text,) = re.findall(rf"^## {section}\n(.*?)^## ", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    return re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def response(line: str) -> Json | None:
    """The API's response on this line of the output, if it is one."""
    return json.loads(line) if line.startswith("{") else None
