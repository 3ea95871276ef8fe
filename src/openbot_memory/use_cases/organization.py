"""The organization's settings (S3, A3)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from openbot_memory.domain.errors import Forbidden
from openbot_memory.store.organizations import Organizations
from openbot_memory.use_cases.views import organization_view
from openbot_memory.use_cases.world import Call, Json, World, until_committed


def configure(world: World, call: Call, fields: Mapping[str, Any]) -> Json:
    """Change the given fields of Organization; the others stay. Raises Forbidden unless an administrator asks."""
    if not call.caller.admin:
        raise Forbidden
    organizations = Organizations(world.table)
    after = until_committed(lambda: organizations.change(call.org, lambda before: replace(before, **fields)))
    return organization_view(after)
