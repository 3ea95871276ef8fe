"""The EventBridge bus that the service puts its events on."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from openbot_memory.domain.errors import Unavailable
from openbot_memory.runtime.log import unexpected

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EventBus:
    client: Any  # botocore's client
    name: str

    def put(self, source: str, detail_type: str, detail: Mapping[str, object]) -> None:
        """Put one event. Raises Unavailable if the call failed or the bus refused the entry."""
        entry = {
            "EventBusName": self.name,
            "Source": source,
            "DetailType": detail_type,
            "Detail": json.dumps(detail, ensure_ascii=False),
        }
        try:
            answer = self.client.put_events(Entries=[entry])
        except (ClientError, BotoCoreError) as error:
            raise Unavailable from error
        if answer["FailedEntryCount"]:
            raise Unavailable

    def put_best_effort(self, source: str, detail_type: str, detail: Mapping[str, object]) -> None:
        """Put one event about a change that is committed already: a failure is logged and not raised."""
        try:
            self.put(source, detail_type, detail)
        except Unavailable as error:
            logger.warning("event lost: %s", detail_type, extra=unexpected(error.__cause__ or error))
