"""The commands of `openbot-memory`."""

import signal
import sys
import time
from typing import Annotated, Any, cast

import boto3
import typer
from botocore.exceptions import BotoCoreError, ClientError

from openbot_memory.domain.errors import OpenBotError
from openbot_memory.domain.session import Principal, PrincipalType
from openbot_memory.store import tokens
from openbot_memory.store.table import Table
from openbot_memory_cli import demo as demo_session
from openbot_memory_cli import demo_agents
from openbot_memory_cli import logs as function_logs
from openbot_memory_cli import redrive as dead_letters
from openbot_memory_emulator import stack
from openbot_memory_emulator.config import STACK, StackConfig
from openbot_memory_emulator.console import CommandError, console, show_error
from openbot_memory_emulator.sample_tokens import ORGANIZATION, local_table

DAY = 24 * 60 * 60

app = typer.Typer(
    help="Learned memory for AI agents: run it on this machine, and manage tokens and failed events.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

ModelUrl = Annotated[
    str | None,
    typer.Option(
        envvar="OPENBOT_LOCAL_MODEL_URL", help="OpenAI-compatible server for all model ids other than `offline`."
    ),
]
Reset = Annotated[bool, typer.Option("--reset", help="Delete the data of earlier runs first.")]


@app.command()
def up(model_url: ModelUrl = None, *, reset: Reset = False) -> None:
    """Start the API in the background, or update it if it is running."""
    config = StackConfig.from_environment()
    started = stack.up(config, model_url=model_url, reset=reset)
    console.print(f"\n[bold]The API runs at[/] {started['url']}")
    console.print(f"Tokens are in {config.stack_file}; make more with `openbot-memory token --help`.", markup=False)


@app.command()
def demo(*, agents: Annotated[bool, typer.Option("--agents", help="Two people and one shared agent.")] = False) -> None:
    """Hold a short conversation with the running API and show what it learned."""
    run = demo_agents.run if agents else demo_session.run
    run(stack.read(StackConfig.from_environment()))


@app.command()
def down() -> None:
    """Stop the API. Its data is kept for the next `up`."""
    stopped = stack.down(StackConfig.from_environment())
    console.print("Stopped." if stopped else "The local stack is not running.")


@app.command()
def token(
    organization: Annotated[str, typer.Option(help="Organization of the token's owner.")] = ORGANIZATION,
    principal: Annotated[PrincipalType, typer.Option("--type", help="Type of the owner.")] = PrincipalType.PERSON,
    identifier: Annotated[str | None, typer.Option("--id", help="Id of the owner.")] = None,
    name: Annotated[str, typer.Option(help="Name of the owner.")] = "",
    expires_days: Annotated[int | None, typer.Option(min=1, help="Without it, the token does not expire.")] = None,
    revoke: Annotated[str | None, typer.Option(metavar="TOKEN", help="Revoke this token instead.")] = None,
    table: Annotated[str | None, typer.Option(help="Use this table on AWS, with your AWS credentials.")] = None,
    *,
    admin: Annotated[bool, typer.Option("--admin", help="The owner may administer the organization.")] = False,
) -> None:
    """Print a new token, or revoke one."""
    store = _table(table)
    if revoke:
        if not tokens.revoke(store, revoke):
            raise CommandError(
                "There is no such token. Check that it is complete, and that the table is the right one."
            )
        console.print("Revoked.")
        return
    if not identifier:
        raise typer.BadParameter("say who the token is for", param_hint="--id")
    owner = Principal(organization=organization, type=principal, id=identifier, name=name, admin=admin)
    expires = int(time.time()) + expires_days * DAY if expires_days else None
    typer.echo(tokens.issue(store, owner, expires=expires))


@app.command()
def logs(
    function: Annotated[str, typer.Argument(help="Part of a function's name, for example consolidate.")] = "",
    *,
    everything: Annotated[bool, typer.Option("--all", help="With metrics, and the lines that Lambda writes.")] = False,
) -> None:
    """Print the log lines of the running functions."""
    config = _running_stack()
    function_logs.show(config, function, everything=everything)


@app.command()
def redrive(
    name: Annotated[
        str | None, typer.Option("--stack", help="Use this stack on AWS, with your AWS credentials.")
    ] = None,
) -> None:
    """Send the events in the dead-letter queues again."""
    if name:
        dead_letters.redrive(cast("Any", boto3).client, name)
    else:
        dead_letters.redrive(_running_stack().client, STACK)


def _running_stack() -> StackConfig:
    """The local stack; raises CommandError if it is not running."""
    config = StackConfig.from_environment()
    stack.read(config)
    return config


def _table(name: str | None) -> Table:
    """The table of this name on AWS, or without a name that of the local stack."""
    return Table(cast("Any", boto3).client("dynamodb"), name) if name else local_table(_running_stack())


def main() -> None:
    """Run a command. Expected failures are shown in one sentence; SIGTERM stops what the command started."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        app()
    except CommandError as error:
        show_error(error)
    except (OpenBotError, ClientError, BotoCoreError) as error:
        console.print(f"[bold red]✗[/] {error}", highlight=False)
    else:
        return
    sys.exit(1)
