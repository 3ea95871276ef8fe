"""Builds the adapters, once a container. No other module builds one."""

from functools import cache
from typing import Any, cast

from botocore.config import Config
from botocore.session import Session

from openbot_memory.domain.rules import MemoryRules
from openbot_memory.runtime.settings import settings
from openbot_memory.store.table import Table
from openbot_memory.use_cases.world import Reader, World

QUICK = Config(
    connect_timeout=2,
    read_timeout=5,
    retries={"mode": "standard", "total_max_attempts": 4},
    tcp_keepalive=True,
    max_pool_connections=10,
)


@cache
def _session() -> Any:  # noqa: ANN401 - botocore makes its clients at run time
    """Botocore's session, shared by all clients. boto3 is not used: its layers for S3 cost 0.1 s of a cold start."""
    return cast("Any", Session())


def _client(service: str, config: Config = QUICK) -> Any:  # noqa: ANN401
    return _session().create_client(service, config=config)


def _asked_once(read_timeout: float) -> Config:
    """For models: no retries, because S8 decides what a failure means."""
    return Config(connect_timeout=2, read_timeout=read_timeout, retries={"mode": "standard", "total_max_attempts": 1})


@cache
def table() -> Table:
    return Table(_client("dynamodb"), settings().table_name)


@cache
def rules() -> MemoryRules:
    return MemoryRules(max_length=settings().memory_max_length, max_content=settings().memory_max_content)


@cache
def reader() -> Reader:
    """What the reading routes need: no event bus, no model, no detection of credentials."""
    return Reader(table(), rules())


@cache
def world(model_timeout: float) -> World:
    """Everything that a writing function needs, with a model that answers within so many seconds or fails."""
    from openbot_memory.models.choose import Models  # noqa: PLC0415 - the reading path does not pay for these
    from openbot_memory.runtime.event_bus import EventBus  # noqa: PLC0415
    from openbot_memory.runtime.metrics import emit  # noqa: PLC0415
    from openbot_memory.secrets import holds_secret  # noqa: PLC0415

    bus = EventBus(_client("events"), settings().event_bus_name)
    models = Models(lambda: _client("bedrock-runtime", _asked_once(model_timeout)))
    return World(table(), rules(), bus, models, holds_secret, emit)
