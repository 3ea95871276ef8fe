"""Shows what is being done, and runs programs whose output goes to a log."""

import subprocess
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from rich.console import Console

console = Console(highlight=False, soft_wrap=True)
TAIL = 25  # lines of a log that are shown after a failure


class LocalError(Exception):
    """What went wrong, as the user should read it, and the log that says more."""

    def __init__(self, message: str, log: Path | None = None) -> None:
        super().__init__(message)
        self.log = log


@contextmanager
def step(text: str) -> Generator[None]:
    """Say what is going on while it does, and how long it took. Without a terminal: plain lines."""
    begun = time.monotonic()
    if not console.is_terminal:
        console.print(f"{text} ...", markup=False)
    with console.status(text) if console.is_terminal else nullcontext():
        yield
    console.print(f"[green]✓[/] {text} [dim]({time.monotonic() - begun:.1f} s)[/]")


def run(command: Sequence[str | Path], *, log: Path, cwd: Path, environment: Mapping[str, str], failed: str) -> None:
    """Run a program to its end. Raises LocalError if it fails; whatever interrupts the wait ends it too."""
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
        raise LocalError(failed, log)


def show_error(error: LocalError) -> None:
    console.print(f"[bold red]✗[/] {error}")
    if error.log and error.log.exists():
        lines = error.log.read_text(errors="replace").splitlines()[-TAIL:]
        console.print("\n".join(f"  {line}" for line in lines), style="dim", markup=False)
        console.print(f"  The whole log: {error.log}", markup=False)
