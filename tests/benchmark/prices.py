"""AWS's on-demand prices in dollars, published for us-east-1, looked up on 2026-12-03, without the free tier."""

from typing import NamedTuple

from meter import Cost

MILLION = 1_000_000

# for a million
READ_UNITS = 0.125  # of DynamoDB
WRITE_UNITS = 0.625
REQUESTS = 1.00  # of the HTTP API
EVENTS = 1.00  # put on an event bus of one's own
INVOCATIONS = 0.20  # of Lambda

GIGABYTE_SECOND = 0.0000133334  # of Lambda on arm64
MEMORY = 0.5  # GB of each function, as the template says
WAITING = 0.008  # seconds that a function waits for a round of DynamoDB: assumed, not measured


class Dollars(NamedTuple):
    """The price of a million operations."""

    table: float
    rest: float

    @property
    def whole(self) -> float:
        return self.table + self.rest


def dollars(cost: Cost, own_time: float, *, over_http: bool) -> Dollars:
    """`own_time`: seconds of the handler without DynamoDB. Tokens of models, logs and traffic are not included."""
    seconds = own_time + cost.rounds * WAITING
    rest = INVOCATIONS + MILLION * seconds * MEMORY * GIGABYTE_SECOND + cost.events * EVENTS
    table = cost.read_units * READ_UNITS + cost.write_units * WRITE_UNITS
    return Dollars(table, rest + (REQUESTS if over_http else 0))
