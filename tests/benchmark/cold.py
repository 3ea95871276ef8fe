"""Measures cold starts: each function's built artifact in new processes, with the layer and botocore as on Lambda.

Times are processor time, the least of several runs, so that other work on the machine counts as little as possible.
As on Lambda, all files are compiled but the function's own.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from openbot_memory_emulator.config import REGION, StackConfig

RUNS = 7
FROM_LAMBDA = ("botocore", "dateutil", "jmespath", "six.py", "urllib3")  # what its runtime adds to the standard library
# As a child of a shell, because a process inherits the peak of memory of the one that forks it.
APART = ("/bin/sh", "-c", '"$@"; exit $?', "sh")
FUNCTIONS = ("Authorize", "Read", "Command", "Consolidate", "Learn")
PROGRAM = """\
import json, resource, sys, time
begin = time.process_time()
import app
imported = time.process_time()
from openbot_memory.runtime import wiring
wiring.world(app.MODEL_TIMEOUT) if hasattr(app, "MODEL_TIMEOUT") else wiring.reader()
built = time.process_time()
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([imported - begin, built - imported, memory / 1024, len(sys.modules)]))
"""


class Cold(NamedTuple):
    function: str
    imported: float  # ms
    built: float  # ms, for the clients that the first request needs
    memory: float  # MB, the most that the process had
    modules: int


def starts(config: StackConfig) -> list[Cold]:
    """Measure the cold start of every function built into `config.build`."""
    with tempfile.TemporaryDirectory() as folder:
        found = [_site() / name for name in FROM_LAMBDA]
        subprocess.run([sys.executable, "-m", "compileall", "-q", *found], check=True)  # noqa: S603
        for each in found:
            (Path(folder) / each.name).symlink_to(each)
        return [_least(function, [_start(config, function, folder) for _ in range(RUNS)]) for function in FUNCTIONS]


def _site() -> Path:
    import botocore  # noqa: PLC0415 - only to find where it lies

    return Path(botocore.__file__).parents[1]


def _start(config: StackConfig, function: str, runtime: str) -> list[float]:
    paths = [config.build / function, config.build / "CoreLayer/python", runtime]
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "bench",
        "AWS_SECRET_ACCESS_KEY": "bench",
        "PYTHONDONTWRITEBYTECODE": "1",  # nor can Lambda
        "TABLE_NAME": "bench",
    }
    command = [*APART, sys.executable, "-S", "-c", PROGRAM]  # -S: without the packages of this environment
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: S603
    return json.loads(done.stdout)


def _least(function: str, runs: list[list[float]]) -> Cold:
    imported, built, memory, modules = map(min, zip(*runs, strict=True))
    return Cold(function, imported * 1000, built * 1000, memory, int(modules))


def layer_size(config: StackConfig) -> float:
    """The size of the layer in MB, unzipped."""
    return sum(each.stat().st_size for each in (config.build / "CoreLayer").rglob("*") if each.is_file()) / 1e6
