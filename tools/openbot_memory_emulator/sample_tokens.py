"""Issues one token for each kind of caller, so that a new local stack can be used at once."""

import time

from openbot_memory.domain.session import Principal, PrincipalType
from openbot_memory.store import tokens
from openbot_memory.store.table import Table
from openbot_memory_emulator import gateway
from openbot_memory_emulator.config import StackConfig

ORGANIZATION = "acme"

PRINCIPALS = {
    "person": Principal(organization=ORGANIZATION, type=PrincipalType.PERSON, id="ana", name="Ana"),
    "agent": Principal(organization=ORGANIZATION, type=PrincipalType.AGENT, id="helper", name="Helper"),
    "host": Principal(organization=ORGANIZATION, type=PrincipalType.HOST, id="runtime", name="Runtime"),
    "admin": Principal(organization=ORGANIZATION, type=PrincipalType.PERSON, id="ada", name="Ada", admin=True),
    "otherOrganization": Principal(organization="globex", type=PrincipalType.PERSON, id="gus", name="Gus"),
}


def local_table(config: StackConfig) -> Table:
    """The table of the stack that runs on the emulator."""
    return Table(config.client("dynamodb"), gateway.outputs(config)["TableName"])


def issue_sample_tokens(table: Table, existing: dict[str, str]) -> dict[str, str]:
    """A token for each sample principal. A token from an earlier run is reused while it is still valid."""
    now = time.time()
    return {
        name: existing[name]
        if tokens.find(table, existing.get(name, ""), now) == principal
        else tokens.issue(table, principal)
        for name, principal in PRINCIPALS.items()
    }
