"""Prints progress and errors for the user, and runs programs whose output goes to a log file."""

import subprocess
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from rich.console import Console

console = Console(highlight=False, soft_wrap=True)
TAIL = 25  # lines of the log shown after a failure


class CommandError(Exception):
    """A failure that the user is shown as one sentence, with the log file that has the details."""

    def __init__(self, message: str, log: Path | None = None) -> None:
        super().__init__(message)
        self.log = log


@contextmanager
def step(text: str) -> Generator[None]:
    """Show what is running, and afterwards how long it took. Without a terminal it prints plain lines."""
    started = time.monotonic()
    if not console.is_terminal:
        console.print(f"{text} ...", markup=False)
    with console.status(text) if console.is_terminal else nullcontext():
        yield
    console.print(f"[green]✓[/] {text} [dim]({time.monotonic() - started:.1f} s)[/]")


def run(command: Sequence[str | Path], *, log: Path, cwd: Path, environment: Mapping[str, str], failed: str) -> None:
    """Run a program to its end; raise CommandError if it fails. An interrupt ends the program as well."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=cwd, env=environment, stdout=output, stderr=subprocess.STDOUT)  # noqa: S603
        try:
            code = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    if code:
        raise CommandError(failed, log)


def show_error(error: CommandError) -> None:
    """Print the error and the end of its log."""
    console.print(f"[bold red]✗[/] {error}")
    if error.log and error.log.exists():
        lines = error.log.read_text(errors="replace").splitlines()[-TAIL:]
        console.print("\n".join(f"  {line}" for line in lines), style="dim", markup=False)
        console.print(f"  Full log: {error.log}", markup=False)
