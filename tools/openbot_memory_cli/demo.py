"""The demo of one session: a short conversation over HTTP, and the facts that the memory learns from it."""

import time
from collections.abc import Callable
from typing import Any

import httpx
from rich.table import Table
from rich.text import Text

from openbot_memory_emulator.console import CommandError, console, step

LONGEST_WAIT = 60  # seconds, for one turn to be consolidated

CONVERSATION = (
    (("user", "My trip budget is 1500 EUR."), ("assistant", "Noted. Where do you want to go?")),
    (("user", "I prefer short answers."), ("assistant", "Fine.")),
    (("user", "Wir haben entschieden, dass wir mit dem Zug fahren."), ("assistant", "Gut, dann suche ich Züge.")),
)

type Json = dict[str, Any]


def run(stack: Json) -> None:
    """Append turns, wait for the consolidation, show the facts, then change the memory by hand."""
    with client(stack, "person") as api:
        session = call(api, "POST", "/v1/sessions", {"model": "offline"})["session"]["id"]
        path = f"/v1/sessions/{session}"
        for number, messages in enumerate(CONVERSATION, 1):
            _append_turn(api, path, number, messages)
        learned = call(api, "GET", f"{path}/memory")["entries"]
        show_entries("Learned from the conversation", learned)
        console.print("\n[bold]Instructions for the model[/]")
        console.print(call(api, "GET", f"{path}/instructions")["text"], markup=False)
        forgotten = next(iter(learned))
        _change(
            api, path, {"_tag": "Remember", "key": "seat", "content": "Ana sits at the window.", "kind": "preference"}
        )
        _change(api, path, {"_tag": "Forget", "key": forgotten})
        show_entries(f"After Remember seat and Forget {forgotten}", call(api, "GET", f"{path}/memory")["entries"])
    token = stack["tokens"]["person"]
    console.print("\n[bold]Continue from here[/] [dim](more tokens: openbot-memory token --help)[/]")
    console.print(f"url      {stack['url']}\ntoken    {token}\nsession  {session}\n", markup=False)
    command = f"curl -s '{stack['url']}{path}/memory' -H 'Authorization: Bearer {token}'"
    console.print(command, markup=False)


def client(stack: Json, token: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {stack['tokens'][token]}"}
    return httpx.Client(base_url=stack["url"], headers=headers, timeout=60, trust_env=False)


def _append_turn(api: httpx.Client, path: str, number: int, messages: tuple[tuple[str, str], ...]) -> None:
    for role, text in messages:
        console.print(Text.assemble((f"{role:>9}  ", "bold cyan" if role == "user" else "dim"), text))
    items = [{"type": "message", "role": role, "text": text} for role, text in messages]
    with step(f"Turn {number}"):
        call(api, "POST", f"{path}/turns", {"turn": f"t-{number}", "model": "offline", "items": items})
        wait_for(lambda: _is_consolidated(call(api, "GET", path)["memory"]["consolidation"]))


def _is_consolidated(consolidation: Json) -> bool:
    if error := consolidation["error"]:
        raise CommandError(f"The consolidation failed: {error['message']}")
    return consolidation["waiting"] == 0


def wait_for(done: Callable[[], bool]) -> None:
    end = time.monotonic() + LONGEST_WAIT
    while not done():
        if time.monotonic() > end:
            raise CommandError(
                f"The turn was not consolidated within {LONGEST_WAIT} seconds. Run `openbot-memory logs` to see why."
            )
        time.sleep(0.2)


def _change(api: httpx.Client, path: str, command: Json) -> None:
    session = call(api, "GET", path)["session"]
    body = {"expected": session["head"], "revision": session["revision"], "command": command}
    call(api, "POST", f"{path}/memory", body)


def show_entries(title: str, entries: Json) -> None:
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
        raise CommandError(f"The API does not answer: {error}. Start it with `make run`.") from error
    if not answer.is_success:
        raise CommandError(f"{method} {path} failed with status {answer.status_code}: {answer.text}")
    return answer.json()
