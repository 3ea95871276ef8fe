"""The demo of a shared agent: what it learns from two people, and the instructions both of them get."""

from typing import Any

import httpx

from openbot_memory_cli.demo import call, client, show_entries, wait_for
from openbot_memory_emulator.console import console, step

type Json = dict[str, Any]

SAID = (
    ({"id": "ana", "name": "Ana"}, "I prefer short answers. Always run the tests before you report."),
    ({"id": "ben", "name": "Ben"}, "I prefer long answers."),
)


def run(stack: Json) -> None:
    """Turn learning on while the demo runs, talk as each person, and show the agent's memory."""
    with client(stack, "admin") as admin, client(stack, "host") as host, client(stack, "person") as ana:
        before = call(admin, "GET", "/v1/organization")["agentMemoryModel"]
        call(admin, "PATCH", "/v1/organization", {"agentMemoryModel": "offline"})
        try:
            agent = call(host, "POST", "/v1/agents", {"name": "Helper", "shared": True})["agent"]["id"]
            path = f"/v1/agents/{agent}"
            sessions = [_finish_turn(host, path, person, text) for person, text in SAID]
        finally:
            call(admin, "PATCH", "/v1/organization", {"agentMemoryModel": before})
        show_entries("Learned by the agent that Ana and Ben share", call(ana, "GET", f"{path}/memory")["entries"])
        console.print("\n[bold]Instructions for both[/]")
        console.print(call(ana, "GET", f"/v1/sessions/{sessions[0]}/instructions")["text"], markup=False)
        expected = call(ana, "GET", path)["agent"]["version"]
        command = {"_tag": "Forget", "key": "ben-long-answers"}
        call(ana, "POST", f"{path}/memory", {"expected": expected, "command": command})
        show_entries("After Forget ben-long-answers", call(ana, "GET", f"{path}/memory")["entries"])
    console.print(f"\nagent  {agent}\n", markup=False)


def _finish_turn(host: httpx.Client, path: str, person: Json, text: str) -> str:
    """Append one finished turn to a new session and wait until the agent has learned from it."""
    console.print(f"[bold cyan]{person['name']:>9}[/]  {text}")
    agent = call(host, "GET", path)["agent"]
    session = call(host, "POST", "/v1/sessions", {"model": "offline", "agent": agent["id"]})["session"]["id"]
    items = [{"type": "message", "role": "user", "text": text}]
    with step(f"A turn with {person['name']}"):
        turn = {"turn": "t-1", "model": "offline", "person": person, "items": items}
        call(host, "POST", f"/v1/sessions/{session}/turns", turn)
        wait_for(lambda: call(host, "GET", path)["agent"]["version"] > agent["version"])
    return session
