"""The local stack as a whole: up and down."""

import json
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from openbot_memory_local import access, emulator, gateway
from openbot_memory_local.deploy import deploy
from openbot_memory_local.place import Place
from openbot_memory_local.steps import LocalError, console, step

LEFT_BY_RUNS = ("state", "build", "build.toml", "cache", "logs", "template.yaml", "stack.json")


def up(place: Place, *, model_url: str | None, reset: bool) -> dict[str, Any]:
    """Bring the stack up and return what stack.json says. What this call started ends again if it fails."""
    place.directory.mkdir(parents=True, exist_ok=True)
    with _emulator(place, model_url, reset=reset) as process:
        deploy(place)
        with step("Registering routes"):
            url = gateway.register(place)
        with step("Issuing tokens"):
            tokens = access.first_tokens(access.local_table(place), _kept(place))
    stack = {"url": url, "organization": access.ORGANIZATION, "tokens": tokens, "pid": process.pid}
    place.stack_file.touch(mode=0o600)
    place.stack_file.write_text(json.dumps(stack, indent=2) + "\n")
    return stack


def down(place: Place) -> bool:
    """Stop the stack; its data stays. False: none was running."""
    process = emulator.running(place)
    if not process:
        return False
    with step("Stopping the emulator"):
        emulator.stop(place, process)
    return True


def read(place: Place) -> dict[str, Any]:
    """What stack.json says of the running stack."""
    if not emulator.running(place) or not place.stack_file.exists():
        raise LocalError("The local stack is not running. Start it with `make run` or `openbot-memory up`.")
    return json.loads(place.stack_file.read_text())


@contextmanager
def _emulator(place: Place, model_url: str | None, *, reset: bool) -> Generator[emulator.Process]:
    process = emulator.running(place)
    if process and (reset or process.port != place.port or process.model_url != model_url):
        down(place)
        process = None
    if process:
        console.print(f"The emulator is running already on port {process.port}; it is used as it is.")
        yield process
        return
    emulator.check_port(place)
    if reset:
        _erase(place)
    with step(f"Starting the emulator on {place.endpoint}"):
        process = emulator.start(place, model_url)
    try:
        yield process
    except BaseException:
        emulator.stop(place, process)
        raise


def _kept(place: Place) -> dict[str, str]:
    try:
        return json.loads(place.stack_file.read_text())["tokens"]
    except (FileNotFoundError, ValueError, KeyError):
        return {}


def _erase(place: Place) -> None:
    for name in LEFT_BY_RUNS:
        path = place.directory / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
