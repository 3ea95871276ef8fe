"""Fixtures for tests of the real template: each worker has an emulator, a directory, a port and a model of its own."""

import os
import shutil
from collections.abc import Iterator

import httpx
import pytest
from local_stack import ROOT, Api, Session, Stack, free_port
from model_server import ModelServer


@pytest.fixture(scope="session")
def stack(worker_id: str) -> Iterator[Stack]:
    """A local stack that is independent of a running one and of those of other workers."""
    directory, port, model = ROOT / ".local/test-stacks" / worker_id, free_port(), ModelServer()
    environment = os.environ | {
        "OPENBOT_LOCAL_DIR": str(directory),
        "OPENBOT_LOCAL_PORT": str(port),
        "OPENBOT_LOCAL_MODEL_URL": model.url,
        "COLUMNS": "200",
    }
    running = Stack(directory, port, environment, model)
    running.command("down")  # a stack left by a test run that was killed
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
    """Make clients by a token's name; they are closed after the test."""
    clients = list[httpx.Client]()

    def make(token: str | None) -> httpx.Client:
        clients.append(stack.api(token))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def session(api: Api) -> Session:
    """A new session of a person, consolidated by the scripted model."""
    return Session.begin(api("person"))
