"""Builds template.yaml with AWS SAM and deploys it to the emulator. Skips both while the sources are unchanged."""

import hashlib
import platform
from contextlib import suppress
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from openbot_memory_emulator.config import REGION, STACK, StackConfig
from openbot_memory_emulator.console import CommandError, run, step

BUCKET = "openbot-memory-artifacts"
SOURCES = ("src", "functions")
PARAMETERS = ("Stage=local", "DeletionProtection=false", "AuthorizerCacheSeconds=1")


def deploy(config: StackConfig) -> None:
    """Build and deploy, unless the running stack was deployed from the same sources."""
    digest = build(config)
    if _deployed_digest(config) == digest:
        return
    with step("Deploying the template"):
        _make_bucket(config.client("s3"))
        command: list[str | Path] = [
            _sam(config), "deploy",
            "--template-file", config.build / "template.yaml",
            "--stack-name", STACK,
            "--s3-bucket", BUCKET,
            "--capabilities", "CAPABILITY_IAM",
            "--no-confirm-changeset",
            "--no-fail-on-empty-changeset",
            "--parameter-overrides", *PARAMETERS,
            "--tags", f"sources={digest}",
        ]  # fmt: skip
        environment = config.environment() | {"SAM_CLI_POLL_DELAY": "0.5"}
        log = config.logs / "deploy.log"
        run(command, log=log, cwd=config.root, environment=environment, failed="`sam deploy` failed.")


def on_arm() -> bool:
    return platform.machine().lower() in {"arm64", "aarch64"}


def _make_bucket(s3: Any) -> None:  # noqa: ANN401
    with suppress(s3.exceptions.BucketAlreadyOwnedByYou):
        s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})


def _template(root: Path) -> str:
    """template.yaml with this machine's architecture, and with the emulator's name for the model permission."""
    template = (root / "template.yaml").read_text()
    if not on_arm():
        template = template.replace("arm64", "x86_64")  # BuildArchitecture takes no parameter
    return template.replace("bedrock:InvokeModel", "bedrock:Converse")  # on AWS, InvokeModel allows Converse


def build(config: StackConfig) -> str:
    """Run `sam build` on the changed template and return the digest of the sources."""
    template = _template(config.root)
    digest, built = _digest(config.root, template), config.build / "sources"
    if built.exists() and built.read_text() == digest:
        return digest
    with step("Building the functions"):
        config.logs.mkdir(parents=True, exist_ok=True)
        copy = config.directory / "template.yaml"
        copy.write_text(template)
        command: list[str | Path] = [
            _sam(config), "build",
            "--template-file", copy,
            "--base-dir", config.root,
            "--build-dir", config.build,
            "--cache-dir", config.directory / "cache",
            "--cached",
            "--parallel",
        ]  # fmt: skip
        log = config.logs / "build.log"
        environment = config.environment() | {"ARCHITECTURE": "aarch64" if on_arm() else "x86_64"}
        run(command, log=log, cwd=config.root, environment=environment, failed="`sam build` failed.")
        built.write_text(digest)
    return digest


def _sam(config: StackConfig) -> Path:
    program = config.tool("sam", "sam")
    if not program.exists():
        raise CommandError("AWS SAM CLI is not installed. Run `make setup` to install it.")
    return program


def _digest(root: Path, template: str) -> str:
    """A hash of everything that a deployment depends on."""
    whole = hashlib.sha256("\n".join([*PARAMETERS, template]).encode())
    for source in SOURCES:
        for file in sorted(each for each in (root / source).rglob("*") if each.is_file()):
            if "__pycache__" not in file.parts:
                whole.update(f"\0{file.relative_to(root)}\0".encode())
                whole.update(file.read_bytes())
    return whole.hexdigest()


def _deployed_digest(config: StackConfig) -> str | None:
    """The digest of the sources of the running stack; None if no complete stack is deployed."""
    try:
        stack = config.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"][0]
    except ClientError:
        return None
    tags = {tag["Key"]: tag["Value"] for tag in stack.get("Tags", [])}
    return tags.get("sources") if stack["StackStatus"] in {"CREATE_COMPLETE", "UPDATE_COMPLETE"} else None
