"""Where one local stack keeps its files, which port it listens on, and how to reach its AWS services."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import boto3

HOST = "127.0.0.1"
REGION = "eu-central-1"
DEFAULT_PORT = 4566
STACK = "openbot-memory"


@dataclass(frozen=True, slots=True)
class StackConfig:
    root: Path  # of the repository
    directory: Path  # for everything that a run writes
    port: int = DEFAULT_PORT

    @classmethod
    def from_environment(cls) -> "StackConfig":
        """The default stack, or another beside it: OPENBOT_LOCAL_DIR and OPENBOT_LOCAL_PORT choose which."""
        root = Path(__file__).resolve().parents[2]
        directory = Path(os.environ.get("OPENBOT_LOCAL_DIR", root / ".local")).resolve()
        return cls(root, directory, int(os.environ.get("OPENBOT_LOCAL_PORT", DEFAULT_PORT)))

    @property
    def endpoint(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def logs(self) -> Path:
        return self.directory / "logs"

    @property
    def state(self) -> Path:
        return self.directory / "state"

    @property
    def build(self) -> Path:
        return self.directory / "build"

    @property
    def stack_file(self) -> Path:
        return self.directory / "stack.json"

    def tool(self, environment: str, name: str) -> Path:
        """A program from one of the environments that `make setup` creates; all local stacks share them."""
        return self.root / ".local" / environment / "bin" / name

    def client(self, service: str) -> Any:  # noqa: ANN401 - boto3 generates its clients at run time
        """A boto3 client for one of the emulator's services."""
        return cast("Any", boto3).client(
            service,
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id="local",
            aws_secret_access_key="local",  # noqa: S106 - the emulator accepts any
        )

    def environment(self) -> dict[str, str]:
        """The environment for child processes, without the user's AWS credentials, profile and proxy.

        So no command of the local stack can reach AWS by mistake.
        """
        own = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        own.pop("PYTHONDONTWRITEBYTECODE", None)  # else SAM and each new container compile all they import again
        path = os.pathsep.join([str(self.tool("sam", "sam").parent), str(Path(sys.executable).parent), own["PATH"]])
        return own | {
            "PATH": path,
            "NO_PROXY": "127.0.0.1,localhost",
            "SAM_CLI_TELEMETRY": "0",
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true",
        }
