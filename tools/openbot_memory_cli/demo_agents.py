"""Two people and one agent that they share: what it learns of each, and what goes into both their instructions."""

from typing import Any

import httpx

from openbot_memory_local.demo import call, client, show, wait_until
from openbot_memory_local.steps import console, step

type Json = dict[str, Any]

SAID = (
    ({"id": "ana", "name": "Ana"}, "I prefer short answers. Always run the tests before you report."),
    ({"id": "ben", "name": "Ben"}, "I prefer long answers."),
)


def play(stack: Json) -> None:
    """Let agents learn for as long as it plays, talk as each person, and show the agent's memory."""
    with client(stack, "admin") as admin, client(stack, "host") as host, client(stack, "person") as ana:
        before = call(admin, "GET", "/v1/organization")["agentMemoryModel"]
        call(admin, "PATCH", "/v1/organization", {"agentMemoryModel": "offline"})
        try:
            agent = call(host, "POST", "/v1/agents", {"name": "Helper", "shared": True})["agent"]["id"]
            path = f"/v1/agents/{agent}"
            sessions = [_talk(host, path, person, text) for person, text in SAID]
        finally:
            call(admin, "PATCH", "/v1/organization", {"agentMemoryModel": before})
        show("Learned by the agent that Ana and Ben share", call(ana, "GET", f"{path}/memory")["entries"])
        console.print("\n[bold]What goes into the instructions of both[/]")
        console.print(call(ana, "GET", f"/v1/sessions/{sessions[0]}/instructions")["text"], markup=False)
        expected = call(ana, "GET", path)["agent"]["version"]
        command = {"_tag": "Forget", "key": "ben-long-answers"}
        call(ana, "POST", f"{path}/memory", {"expected": expected, "command": command})
        show("After Forget ben-long-answers", call(ana, "GET", f"{path}/memory")["entries"])
    console.print(f"\nagent  {agent}\n", markup=False)


def _talk(host: httpx.Client, path: str, person: Json, text: str) -> str:
    """One finished turn of a new session. Wait until the agent has learned from it."""
    console.print(f"[bold cyan]{person['name']:>9}[/]  {text}")
    agent = call(host, "GET", path)["agent"]
    session = call(host, "POST", "/v1/sessions", {"model": "offline", "agent": agent["id"]})["session"]["id"]
    items = [{"type": "message", "role": "user", "text": text}]
    with step(f"A turn with {person['name']}"):
        turn = {"turn": "t-1", "model": "offline", "person": person, "items": items}
        call(host, "POST", f"/v1/sessions/{session}/turns", turn)
        wait_until(lambda: call(host, "GET", path)["agent"]["version"] > agent["version"])
    return session
