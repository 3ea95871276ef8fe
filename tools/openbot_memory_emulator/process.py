"""Starts, finds and stops the emulator's process. It listens on 127.0.0.1 only."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx
import psutil

from openbot_memory_emulator.config import HOST, REGION, StackConfig
from openbot_memory_emulator.console import CommandError

SERVICES = "apigateway,bedrock-runtime,cloudformation,cloudwatch,dynamodb,events,iam,lambda,logs,s3,sqs,sts"
LONGEST_START = 60  # seconds
LONGEST_STOP = 30  # seconds; it saves its state


@dataclass(frozen=True, slots=True)
class Emulator:
    """A running emulator. The system may reuse its process id, so the start time is stored with it."""

    pid: int
    started: float  # seconds since the epoch
    port: int
    model_url: str | None


def running(config: StackConfig) -> Emulator | None:
    """The emulator that the last `up` for this directory started, if it still runs."""
    try:
        emulator = Emulator(**json.loads(_file(config).read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None
    return emulator if _started_at(emulator.pid) == emulator.started else None


def check_port(config: StackConfig) -> None:
    """Raise CommandError if another program uses the port."""
    with socket.socket() as probe:
        taken = probe.connect_ex((HOST, config.port)) == 0
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, config.port))
        except OSError:
            taken = True
    if taken:
        raise CommandError(
            f"Port {config.port} is taken by another program. Stop it, or choose a free port: "
            f"OPENBOT_LOCAL_PORT={config.port + 1} make run"
        )


def start(config: StackConfig, model_url: str | None) -> Emulator:
    """Start the emulator in a session of its own, so that it outlives this command, and wait until it answers."""
    program = config.tool("emulator", "ministack")
    if not program.exists():
        raise CommandError("The emulator is not installed. Run `make setup` to install it.")
    config.logs.mkdir(parents=True, exist_ok=True)
    (config.directory / "tmp").mkdir(exist_ok=True)
    log = config.logs / "emulator.log"
    with log.open("ab") as output:
        child = subprocess.Popen(  # noqa: S603
            [program],
            cwd=config.directory,
            env=_environment(config, model_url),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    emulator = Emulator(child.pid, _started_at(child.pid) or 0, config.port, model_url)
    _file(config).write_text(json.dumps(asdict(emulator)))
    try:
        for _ in _poll(LONGEST_START):
            if child.poll() is not None:
                raise CommandError("The emulator stopped while it was starting. See its log.", log)
            with suppress(httpx.HTTPError):
                if httpx.get(f"{config.endpoint}/_ministack/health", trust_env=False).is_success:
                    return emulator
        raise CommandError(f"The emulator did not answer within {LONGEST_START} seconds. See its log.", log)
    except BaseException:
        stop(config, emulator)
        raise


def stop(config: StackConfig, emulator: Emulator) -> None:
    """Stop exactly this process; it saves its state first."""
    with suppress(ProcessLookupError):
        os.kill(emulator.pid, signal.SIGTERM)
    for _ in _poll(LONGEST_STOP):
        _reap(emulator.pid)
        if _started_at(emulator.pid) != emulator.started:
            break
    else:
        os.kill(emulator.pid, signal.SIGKILL)
    _file(config).unlink(missing_ok=True)
    shutil.rmtree(config.directory / "tmp", ignore_errors=True)


def _environment(config: StackConfig, model_url: str | None) -> dict[str, str]:
    given = {
        "AUTH": "true",  # every call is checked against the policies in the template, as on AWS
        "BIND_HOST": HOST,
        "GATEWAY_PORT": str(config.port),
        "IOT_MTLS_ENABLED": "0",  # otherwise it listens on every interface
        "MINISTACK_REGION": REGION,
        "PERSIST_STATE": "1",
        "S3_DATA_DIR": str(config.state / "s3"),
        "S3_PERSIST": "1",
        "SERVICES": SERVICES,
        "SFTP_ENABLED": "0",
        "STATE_DIR": str(config.state),
        "TMPDIR": str(config.directory / "tmp"),
    }
    if model_url:
        given |= {"MINISTACK_BEDROCK_PROXY_URL": model_url, "MINISTACK_BEDROCK_PROXY_TIMEOUT_SECONDS": "100"}
    return config.environment() | given


def _file(config: StackConfig) -> Path:
    return config.directory / "emulator.json"


def _started_at(pid: int) -> float | None:
    """When the process with this id started; None if there is none or it has ended."""
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process.create_time()
    except psutil.NoSuchProcess:
        return None


def _reap(pid: int) -> None:
    """Collect the exit status if the process is a child of ours, so that it does not stay as a zombie."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _poll(longest: float) -> Iterator[None]:
    """Yield every tenth of a second until the time is up."""
    end = time.monotonic() + longest
    while time.monotonic() < end:
        yield
        time.sleep(0.1)
