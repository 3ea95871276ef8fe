"""Prints the log lines of the local stack's functions, oldest first."""

from datetime import UTC, datetime

from openbot_memory_emulator.config import StackConfig
from openbot_memory_emulator.console import console

NOISE = ("START RequestId", "END RequestId", "REPORT RequestId", '{"_aws"')  # the last are metrics


def show(config: StackConfig, name: str, *, everything: bool) -> None:
    """Print the lines of all functions whose names contain `name`. `everything` adds metrics and Lambda's own lines."""
    client = config.client("logs")
    lines = list[tuple[int, str, str]]()
    for group in client.describe_log_groups()["logGroups"]:
        source = group["logGroupName"].rsplit("/", 1)[-1].removesuffix("Logs")
        if name.lower() in source.lower():
            pages = client.get_paginator("filter_log_events").paginate(logGroupName=group["logGroupName"])
            lines += [(each["timestamp"], source, each["message"]) for page in pages for each in page["events"]]
    for at, source, message in sorted(lines):
        if everything or not message.startswith(NOISE):
            moment = datetime.fromtimestamp(at / 1000, UTC).astimezone().strftime("%H:%M:%S")
            console.print(f"{moment} {source:<12} {message.rstrip()}", markup=False)
    console.print(f"Log of the emulator itself: {config.logs / 'emulator.log'}", style="dim", markup=False)
