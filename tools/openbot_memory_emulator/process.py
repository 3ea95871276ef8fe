"""The emulator's process: start it on this machine alone, know it again, stop it."""

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

from openbot_memory_local.place import HOST, REGION, Place
from openbot_memory_local.steps import LocalError

SERVICES = "apigateway,bedrock-runtime,cloudformation,cloudwatch,dynamodb,events,iam,lambda,logs,s3,sqs,sts"
LONGEST_START = 60  # seconds
LONGEST_STOP = 30  # it saves its state


@dataclass(frozen=True, slots=True)
class Process:
    """A running emulator. A pid may be given to another program later, so the time of its start is kept with it."""

    pid: int
    started: float  # seconds since the epoch
    port: int
    model_url: str | None


def running(place: Place) -> Process | None:
    """The emulator that this folder's last `up` started, if it still runs."""
    try:
        process = Process(**json.loads(_file(place).read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None
    return process if _started(process.pid) == process.started else None


def check_port(place: Place) -> None:
    """Raises LocalError if another program has the port."""
    with socket.socket() as probe:
        taken = probe.connect_ex((HOST, place.port)) == 0
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, place.port))
        except OSError:
            taken = True
    if taken:
        raise LocalError(
            f"Port {place.port} is taken by another program. Stop that one, or choose a free port: "
            f"OPENBOT_LOCAL_PORT={place.port + 1} make run"
        )


def start(place: Place, model_url: str | None) -> Process:
    """Start the emulator in a session of its own, so that it outlives this program, and wait until it answers."""
    program = place.tool("emulator", "ministack")
    if not program.exists():
        raise LocalError("The emulator is not installed. `make run` installs it.")
    place.logs.mkdir(parents=True, exist_ok=True)
    (place.directory / "tmp").mkdir(exist_ok=True)
    log = place.logs / "emulator.log"
    with log.open("ab") as output:
        child = subprocess.Popen(  # noqa: S603
            [program],
            cwd=place.directory,
            env=_environment(place, model_url),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    process = Process(child.pid, _started(child.pid) or 0, place.port, model_url)
    _file(place).write_text(json.dumps(asdict(process)))
    try:
        for _ in _seconds(LONGEST_START):
            if child.poll() is not None:
                raise LocalError("The emulator ended at once.", log)
            with suppress(httpx.HTTPError):
                if httpx.get(f"{place.endpoint}/_ministack/health", trust_env=False).is_success:
                    return process
        raise LocalError("The emulator does not answer.", log)
    except BaseException:
        stop(place, process)
        raise


def stop(place: Place, process: Process) -> None:
    """End exactly this process; it saves its state before it goes."""
    with suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGTERM)
    for _ in _seconds(LONGEST_STOP):
        _reap(process.pid)
        if _started(process.pid) != process.started:
            break
    else:
        os.kill(process.pid, signal.SIGKILL)
    _file(place).unlink(missing_ok=True)
    shutil.rmtree(place.directory / "tmp", ignore_errors=True)


def _environment(place: Place, model_url: str | None) -> dict[str, str]:
    given = {
        "AUTH": "true",  # every call is held to the policies of the template, as on AWS
        "BIND_HOST": HOST,
        "GATEWAY_PORT": str(place.port),
        "IOT_MTLS_ENABLED": "0",  # or it listens on every interface
        "MINISTACK_REGION": REGION,
        "PERSIST_STATE": "1",
        "S3_DATA_DIR": str(place.state / "s3"),
        "S3_PERSIST": "1",
        "SERVICES": SERVICES,
        "SFTP_ENABLED": "0",
        "STATE_DIR": str(place.state),
        "TMPDIR": str(place.directory / "tmp"),
    }
    if model_url:
        given |= {"MINISTACK_BEDROCK_PROXY_URL": model_url, "MINISTACK_BEDROCK_PROXY_TIMEOUT_SECONDS": "100"}
    return place.environment() | given


def _file(place: Place) -> Path:
    return place.directory / "emulator.json"


def _started(pid: int) -> float | None:
    """When the process with this pid started, as the system tells it; None if there is none or it has ended."""
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process.create_time()
    except psutil.NoSuchProcess:
        return None


def _reap(pid: int) -> None:
    """Let go of an ended child of ours; of another program's child the system tells by itself."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _seconds(longest: float) -> Iterator[None]:
    end = time.monotonic() + longest
    while time.monotonic() < end:
        yield
        time.sleep(0.1)
