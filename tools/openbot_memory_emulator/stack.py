"""Starts and stops the whole local stack: the emulator, the deployed template, its routes and sample tokens."""

import json
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from openbot_memory_emulator import gateway, process, sample_tokens
from openbot_memory_emulator.config import StackConfig
from openbot_memory_emulator.console import CommandError, console, step
from openbot_memory_emulator.deploy import deploy
from openbot_memory_emulator.process import Emulator

FILES_OF_A_RUN = ("state", "build", "build.toml", "cache", "logs", "template.yaml", "stack.json")


def up(config: StackConfig, *, model_url: str | None, reset: bool) -> dict[str, Any]:
    """Start or update the stack and return the content of stack.json. On failure, stop what this call started."""
    config.directory.mkdir(parents=True, exist_ok=True)
    with _emulator(config, model_url, reset=reset) as emulator:
        deploy(config)
        with step("Registering routes"):
            url = gateway.register(config)
        with step("Issuing tokens"):
            issued = sample_tokens.issue_sample_tokens(sample_tokens.local_table(config), _existing_tokens(config))
    stack = {"url": url, "organization": sample_tokens.ORGANIZATION, "tokens": issued, "pid": emulator.pid}
    config.stack_file.touch(mode=0o600)
    config.stack_file.write_text(json.dumps(stack, indent=2) + "\n")
    return stack


def down(config: StackConfig) -> bool:
    """Stop the stack and keep its data. False if it was not running."""
    emulator = process.running(config)
    if not emulator:
        return False
    with step("Stopping the emulator"):
        process.stop(config, emulator)
    return True


def read(config: StackConfig) -> dict[str, Any]:
    """The content of stack.json: URL, organization, tokens and process id of the running stack."""
    if not process.running(config) or not config.stack_file.exists():
        raise CommandError("The local stack is not running. Start it with `make run` or `openbot-memory up`.")
    return json.loads(config.stack_file.read_text())


@contextmanager
def _emulator(config: StackConfig, model_url: str | None, *, reset: bool) -> Generator[Emulator]:
    """The running emulator, or a new one, which is stopped again if the block fails."""
    emulator = process.running(config)
    if emulator and (reset or emulator.port != config.port or emulator.model_url != model_url):
        down(config)
        emulator = None
    if emulator:
        console.print(f"The emulator is already running on port {emulator.port}; using it.")
        yield emulator
        return
    process.check_port(config)
    if reset:
        _erase(config)
    with step(f"Starting the emulator on {config.endpoint}"):
        emulator = process.start(config, model_url)
    try:
        yield emulator
    except BaseException:
        process.stop(config, emulator)
        raise


def _existing_tokens(config: StackConfig) -> dict[str, str]:
    try:
        return json.loads(config.stack_file.read_text())["tokens"]
    except (FileNotFoundError, ValueError, KeyError):
        return {}


def _erase(config: StackConfig) -> None:
    for name in FILES_OF_A_RUN:
        path = config.directory / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
