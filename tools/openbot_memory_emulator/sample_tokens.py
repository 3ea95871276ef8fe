"""Tokens, here and on AWS."""

import time
from typing import Any, cast

import boto3

from openbot_memory.domain.session import Principal, PrincipalType
from openbot_memory.store import tokens
from openbot_memory.store.table import Table
from openbot_memory_local import gateway
from openbot_memory_local.place import Place

DAY = 24 * 60 * 60
ORGANIZATION = "acme"

FIRST = {
    "person": Principal(organization=ORGANIZATION, type=PrincipalType.PERSON, id="ana", name="Ana"),
    "agent": Principal(organization=ORGANIZATION, type=PrincipalType.AGENT, id="helper", name="Helper"),
    "host": Principal(organization=ORGANIZATION, type=PrincipalType.HOST, id="runtime", name="Runtime"),
    "admin": Principal(organization=ORGANIZATION, type=PrincipalType.PERSON, id="ada", name="Ada", admin=True),
    "otherOrganization": Principal(organization="globex", type=PrincipalType.PERSON, id="gus", name="Gus"),
}


def local_table(place: Place) -> Table:
    return Table(place.client("dynamodb"), gateway.outputs(place)["TableName"])


def aws_table(name: str) -> Table:
    """A table on AWS, with the user's own credentials and region."""
    return Table(cast("Any", boto3).client("dynamodb"), name)


def first_tokens(table: Table, kept: dict[str, str]) -> dict[str, str]:
    """A token for each first principal. One of an earlier run is kept while it is still valid."""
    now = time.time()
    return {
        name: kept[name] if tokens.find(table, kept.get(name, ""), now) == principal else tokens.issue(table, principal)
        for name, principal in FIRST.items()
    }


def issue(table: Table, principal: Principal, days: int | None) -> str:
    return tokens.issue(table, principal, expires=int(time.time()) + days * DAY if days else None)
