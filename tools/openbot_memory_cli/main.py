"""openbot-memory: the local stack from the command line, and tokens here and on AWS."""

import signal
import sys
from typing import Annotated, Any, cast

import boto3
import typer
from botocore.exceptions import BotoCoreError, ClientError

from openbot_memory.domain.errors import OpenBotError
from openbot_memory.domain.session import Principal, PrincipalType
from openbot_memory.store import tokens
from openbot_memory_local import access, demo_agents, journal, stack
from openbot_memory_local import demo as conversation
from openbot_memory_local import redrive as dead_letters
from openbot_memory_local.place import STACK, Place
from openbot_memory_local.steps import LocalError, console, show_error

app = typer.Typer(
    help="Learned memory for AI agents, on this machine.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

ModelUrl = Annotated[
    str | None,
    typer.Option(envvar="OPENBOT_LOCAL_MODEL_URL", help="An OpenAI-compatible server for models other than `offline`."),
]
Reset = Annotated[bool, typer.Option("--reset", help="Forget everything that earlier runs kept.")]


@app.command()
def up(model_url: ModelUrl = None, *, reset: Reset = False) -> None:
    """Start the stack, or bring a running one up to date, and leave it running."""
    place = Place.here()
    started = stack.up(place, model_url=model_url, reset=reset)
    console.print(f"\n[bold]The API runs at[/] {started['url']}")
    console.print(f"Tokens are in {place.stack_file}; make more with `openbot-memory token --help`.", markup=False)


@app.command()
def demo(*, agents: Annotated[bool, typer.Option("--agents", help="Two people and one shared agent.")] = False) -> None:
    """Play a short conversation and show what was learned."""
    play = demo_agents.play if agents else conversation.play
    play(stack.read(Place.here()))


@app.command()
def down() -> None:
    """Stop the stack. Its data stays for the next `up`."""
    console.print("Stopped." if stack.down(Place.here()) else "The local stack is not running.")


@app.command()
def token(
    organization: Annotated[str, typer.Option()] = access.ORGANIZATION,
    principal: Annotated[PrincipalType, typer.Option("--type")] = PrincipalType.PERSON,
    identifier: Annotated[str | None, typer.Option("--id", help="Who the token stands for.")] = None,
    name: Annotated[str, typer.Option()] = "",
    expires_days: Annotated[int | None, typer.Option(min=1, help="Without it the token stays valid.")] = None,
    revoke: Annotated[str | None, typer.Option(metavar="TOKEN", help="Make this token useless at once.")] = None,
    table: Annotated[str | None, typer.Option(help="A table on AWS instead, with your AWS credentials.")] = None,
    *,
    admin: Annotated[bool, typer.Option("--admin", help="May administer the organization.")] = False,
) -> None:
    """Print a new token, or revoke one."""
    if table is None:
        stack.read(Place.here())
    store = access.aws_table(table) if table else access.local_table(Place.here())
    if revoke:
        if not tokens.revoke(store, revoke):
            raise LocalError("There is no such token.")
        console.print("Revoked.")
        return
    if not identifier:
        raise typer.BadParameter("say who the token stands for", param_hint="--id")
    who = Principal(organization=organization, type=principal, id=identifier, name=name, admin=admin)
    typer.echo(access.issue(store, who, expires_days))


@app.command()
def logs(
    function: Annotated[str, typer.Argument(help="For example consolidate; empty for all.")] = "",
    *,
    everything: Annotated[
        bool, typer.Option("--all", help="With metrics, and the lines that Lambda itself writes.")
    ] = False,
) -> None:
    """Show what the functions wrote."""
    place = Place.here()
    stack.read(place)
    journal.show(place, function, everything=everything)


@app.command()
def redrive(
    name: Annotated[
        str | None, typer.Option("--stack", help="A stack on AWS instead, with your AWS credentials.")
    ] = None,
) -> None:
    """Send the events again that could not be worked off."""
    if name:
        dead_letters.send_again(cast("Any", boto3).client, name)
    else:
        stack.read(Place.here())
        dead_letters.send_again(Place.here().client, STACK)


def main() -> None:
    """Run a command; what fails is told in a sentence, and an interrupt ends what was started."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        app()
    except LocalError as error:
        show_error(error)
    except (OpenBotError, ClientError, BotoCoreError) as error:
        console.print(f"[bold red]✗[/] {error}", highlight=False)
    else:
        return
    sys.exit(1)
