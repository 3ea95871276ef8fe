"""The real template on an emulator of its own: another folder and another port than a stack that runs already."""

import os
import shutil
from collections.abc import Iterator

import httpx
import pytest
from local_stack import ROOT, Api, Session, Stack, free_port
from model_server import ModelServer


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    directory, port, model = ROOT / ".local/test-stack", free_port(), ModelServer()
    given = {
        "OPENBOT_LOCAL_DIR": str(directory),
        "OPENBOT_LOCAL_PORT": str(port),
        "OPENBOT_LOCAL_MODEL_URL": model.url,
        "COLUMNS": "200",
    }
    running = Stack(directory, port, os.environ | given, model)
    running.command("down")  # of a test run that was killed
    shutil.rmtree(directory / "state", ignore_errors=True)
    model.start()
    try:
        started = running.command("up")
        assert started.returncode == 0, started.stdout + started.stderr
        yield running
    finally:
        running.command("down")
        model.stop()


@pytest.fixture
def model(stack: Stack) -> ModelServer:
    """The scripted model, with an empty script and no calls yet."""
    stack.model.reset()
    return stack.model


@pytest.fixture
def api(stack: Stack) -> Iterator[Api]:
    """Makes clients by a token's name, and closes them."""
    made = list[httpx.Client]()

    def make(token: str | None) -> httpx.Client:
        made.append(stack.api(token))
        return made[-1]

    yield make
    for client in made:
        client.close()


@pytest.fixture
def session(api: Api) -> Session:
    """A new session of a person's, whose model is the scripted one."""
    return Session.begin(api("person"))
