"""What the functions of the local stack wrote, one line an event, oldest first."""

from datetime import UTC, datetime

from openbot_memory_local.place import Place
from openbot_memory_local.steps import console

NOISE = ("START RequestId", "END RequestId", "REPORT RequestId", '{"_aws"')  # the last: metrics


def show(place: Place, name: str, *, everything: bool) -> None:
    """`name`: a part of a function's name, empty for all."""
    client = place.client("logs")
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
    console.print(f"The emulator's own log: {place.logs / 'emulator.log'}", style="dim", markup=False)
