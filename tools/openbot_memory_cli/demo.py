"""A short conversation over real HTTP, and what the memory makes of it."""

import time
from collections.abc import Callable
from typing import Any

import httpx
from rich.table import Table
from rich.text import Text

from openbot_memory_local.steps import LocalError, console, step

LONGEST_WAIT = 60  # seconds, for one turn to be read

CONVERSATION = (
    (("user", "My trip budget is 1500 EUR."), ("assistant", "Noted. Where do you want to go?")),
    (("user", "I prefer short answers."), ("assistant", "Fine.")),
    (("user", "Wir haben entschieden, dass wir mit dem Zug fahren."), ("assistant", "Gut, dann suche ich Züge.")),
)

type Json = dict[str, Any]


def play(stack: Json) -> None:
    """Talk, wait until the memory has read it, show what it learned, then change it by hand."""
    with client(stack, "person") as api:
        session = call(api, "POST", "/v1/sessions", {"model": "offline"})["session"]["id"]
        path = f"/v1/sessions/{session}"
        for number, messages in enumerate(CONVERSATION, 1):
            _turn(api, path, number, messages)
        learned = call(api, "GET", f"{path}/memory")["entries"]
        show("Learned from the conversation", learned)
        console.print("\n[bold]What goes into the model's instructions[/]")
        console.print(call(api, "GET", f"{path}/instructions")["text"], markup=False)
        forgotten = next(iter(learned))
        _change(
            api, path, {"_tag": "Remember", "key": "seat", "content": "Ana sits at the window.", "kind": "preference"}
        )
        _change(api, path, {"_tag": "Forget", "key": forgotten})
        show(f"After Remember seat and Forget {forgotten}", call(api, "GET", f"{path}/memory")["entries"])
    token = stack["tokens"]["person"]
    console.print("\n[bold]Go on from here[/] [dim](more tokens: openbot-memory token --help)[/]")
    console.print(f"url      {stack['url']}\ntoken    {token}\nsession  {session}\n", markup=False)
    command = f"curl -s '{stack['url']}{path}/memory' -H 'Authorization: Bearer {token}'"
    console.print(command, markup=False)


def client(stack: Json, token: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {stack['tokens'][token]}"}
    return httpx.Client(base_url=stack["url"], headers=headers, timeout=60, trust_env=False)


def _turn(api: httpx.Client, path: str, number: int, messages: tuple[tuple[str, str], ...]) -> None:
    for role, text in messages:
        console.print(Text.assemble((f"{role:>9}  ", "bold cyan" if role == "user" else "dim"), text))
    items = [{"type": "message", "role": role, "text": text} for role, text in messages]
    with step(f"Turn {number}"):
        call(api, "POST", f"{path}/turns", {"turn": f"t-{number}", "model": "offline", "items": items})
        wait_until(lambda: _read(call(api, "GET", path)["memory"]["consolidation"]))


def _read(consolidation: Json) -> bool:
    if error := consolidation["error"]:
        raise LocalError(f"The consolidation failed: {error['message']}")
    return consolidation["waiting"] == 0


def wait_until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + LONGEST_WAIT
    while not done():
        if time.monotonic() > end:
            raise LocalError("The turn was not read in time. `openbot-memory logs` shows what the functions did.")
        time.sleep(0.2)


def _change(api: httpx.Client, path: str, command: Json) -> None:
    seen = call(api, "GET", path)["session"]
    body = {"expected": seen["head"], "revision": seen["revision"], "command": command}
    call(api, "POST", f"{path}/memory", body)


def show(title: str, entries: Json) -> None:
    table = Table(title=title, title_justify="left", title_style="bold")
    for column in ("key", "kind", "content", "status", "sources"):
        table.add_column(column)
    for key, entry in entries.items():
        style = "dim" if entry["status"] == "retracted" else ""
        sources = ", ".join(source if isinstance(source, str) else source["item"] for source in entry["sources"])
        cells = (key, entry["kind"], entry["content"], entry["status"], sources)
        table.add_row(*(Text(cell) for cell in cells), style=style)
    console.print()
    console.print(table)


def call(api: httpx.Client, method: str, path: str, body: Json | None = None) -> Json:
    try:
        answer = api.request(method, path, json=body)
    except httpx.HTTPError as error:
        raise LocalError(f"The API does not answer: {error}") from error
    if not answer.is_success:
        raise LocalError(f"{method} {path} was answered with {answer.status_code}: {answer.text}")
    return answer.json()
