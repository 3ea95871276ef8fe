"""The event bus: what is put there, and what is read from it."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from openbot_memory.domain.errors import Unavailable
from openbot_memory.log import unexpected

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EventBus:
    client: Any  # boto3's low-level client
    name: str

    def put(self, source: str, detail_type: str, detail: Mapping[str, object]) -> None:
        """Put one event. Raises Unavailable, also where only the entry was refused."""
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

    def tell(self, source: str, detail_type: str, detail: Mapping[str, object]) -> None:
        """Put one event that is only news: what it tells is committed, so a failure is logged, not raised."""
        try:
            self.put(source, detail_type, detail)
        except Unavailable as error:
            logger.warning("event lost: %s", detail_type, extra=unexpected(error.__cause__ or error))
