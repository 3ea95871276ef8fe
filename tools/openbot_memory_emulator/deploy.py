"""Builds and deploys template.yaml as it is, but for two words. Unchanged sources do nothing."""

import hashlib
import platform
from contextlib import suppress
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from openbot_memory_local.place import REGION, STACK, Place
from openbot_memory_local.steps import LocalError, run, step

BUCKET = "openbot-memory-artifacts"
SOURCES = ("src", "functions")
PARAMETERS = ("Stage=local", "DeletionProtection=false", "AuthorizerCacheSeconds=1")


def deploy(place: Place) -> None:
    digest = build(place)
    if _deployed(place) == digest:
        return
    with step("Deploying the template"):
        _make_bucket(place.client("s3"))
        command: list[str | Path] = [
            _sam(place), "deploy",
            "--template-file", place.build / "template.yaml",
            "--stack-name", STACK,
            "--s3-bucket", BUCKET,
            "--capabilities", "CAPABILITY_IAM",
            "--no-confirm-changeset",
            "--no-fail-on-empty-changeset",
            "--parameter-overrides", *PARAMETERS,
            "--tags", f"sources={digest}",
        ]  # fmt: skip
        environment = place.environment() | {"SAM_CLI_POLL_DELAY": "0.5"}
        log = place.logs / "deploy.log"
        run(command, log=log, cwd=place.root, environment=environment, failed="The deploy failed.")


def on_arm() -> bool:
    return platform.machine().lower() in {"arm64", "aarch64"}


def _make_bucket(s3: Any) -> None:  # noqa: ANN401
    with suppress(s3.exceptions.BucketAlreadyOwnedByYou):
        s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})


def _template(root: Path) -> str:
    """What template.yaml says, with this machine's processor and the emulator's name of the right to ask a model."""
    template = (root / "template.yaml").read_text()
    if not on_arm():
        template = template.replace("arm64", "x86_64")  # BuildArchitecture takes no parameter
    return template.replace("bedrock:InvokeModel", "bedrock:Converse")  # on AWS, InvokeModel allows Converse


def build(place: Place) -> str:
    """`sam build` the changed copy of the template, and return the digest of what it was built from."""
    template = _template(place.root)
    digest, mark = _digest(place.root, template), place.build / "sources"
    if mark.exists() and mark.read_text() == digest:
        return digest
    with step("Building the functions"):
        place.logs.mkdir(parents=True, exist_ok=True)
        copy = place.directory / "template.yaml"
        copy.write_text(template)
        command: list[str | Path] = [
            _sam(place), "build",
            "--template-file", copy,
            "--base-dir", place.root,
            "--build-dir", place.build,
            "--cache-dir", place.directory / "cache",
            "--cached",
            "--parallel",
        ]  # fmt: skip
        log = place.logs / "build.log"
        environment = place.environment() | {"ARCHITECTURE": "aarch64" if on_arm() else "x86_64"}
        run(command, log=log, cwd=place.root, environment=environment, failed="The build failed.")
        mark.write_text(digest)
    return digest


def _sam(place: Place) -> Path:
    program = place.tool("sam", "sam")
    if not program.exists():
        raise LocalError("AWS SAM CLI is not installed. `make run` installs it.")
    return program


def _digest(root: Path, template: str) -> str:
    """Of all that a deploy depends on."""
    whole = hashlib.sha256("\n".join([*PARAMETERS, template]).encode())
    for source in SOURCES:
        for file in sorted(each for each in (root / source).rglob("*") if each.is_file()):
            if "__pycache__" not in file.parts:
                whole.update(f"\0{file.relative_to(root)}\0".encode())
                whole.update(file.read_bytes())
    return whole.hexdigest()


def _deployed(place: Place) -> str | None:
    """The digest that the running stack was deployed from; None if there is no whole stack."""
    try:
        stack = place.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"][0]
    except ClientError:
        return None
    tags = {tag["Key"]: tag["Value"] for tag in stack.get("Tags", [])}
    return tags.get("sources") if stack["StackStatus"] in {"CREATE_COMPLETE", "UPDATE_COMPLETE"} else None
