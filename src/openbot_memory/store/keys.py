"""The keys of the single table. The organization comes first and only from the caller's token.

Ids of organizations, sessions and agents hold no `#` (their patterns are checked at the door), so no id reaches into
another partition; a fact's key, the only free text, is checked, stands after a fixed prefix and ends before a control
character that no key may hold.

| partition                | sort key             | row                                                     |
|--------------------------|----------------------|---------------------------------------------------------|
| ORG#o                    | SETTINGS             | the organization's settings                             |
| ORG#o#CALLER#type#id     | KEY#sha256           | the answer kept for an Idempotency-Key                  |
| ORG#o#SESSION#s          | M                    | the session                                             |
|                          | M#key␟generation     | a fact, under its generation                            |
|                          | I#number             | an item of the history                                  |
|                          | T#step, V#step       | a version: made by a turn, by a change of memory        |
|                          | R#turn               | the answer kept for a turn                              |
|                          | A                    | where a fork's older items and versions lie             |
|                          | F#fork               | a fork that needs the older items and versions of this  |
|                          | E#key                | the stub of a fact that was erased for good             |
|                          | W                    | the lease of the consolidation at work                  |
|                          | D                    | the session is deleted, its rows are going              |
| ORG#o#AGENT#a            | M                    | the agent                                               |
|                          | M#key␟generation     | an entry of its memory, under its generation            |
|                          | V#version            | a version of its memory                                 |
|                          | X#generation#number  | a part of a version that does not fit one row           |
|                          | C#session            | how far it has learned from a session                   |
|                          | W#session            | the lease of the learning at work                       |
|                          | E#key                | the stub of an entry that was erased for good           |
| TOKEN#sha256             | TOKEN                | a bearer token                                          |
"""

from openbot_memory.store.table import Key

HEAD = "M"
ANCESTORS = "A"
LEASE = "W"
DELETED = "D"
FORKS = "F#"
ERASED = "E#"
FACTS = "M#"
VERSIONS = "V#"
PARTS = "X#"
FIRST = "~"  # of the index, read from the end
END = "\x1f"


def organization(org: str) -> Key:
    return f"ORG#{org}", "SETTINGS"


def session(org: str, identifier: str) -> str:
    return f"ORG#{org}#SESSION#{identifier}"


def agent(org: str, identifier: str) -> str:
    return f"ORG#{org}#AGENT#{identifier}"


def progress(session: str) -> str:
    return f"C#{session}"


def learning(session: str) -> str:
    return f"W#{session}"


def part(generation: str, number: int) -> str:
    return f"{PARTS}{generation}#{number:06d}"


def fact(key: str, generation: str) -> str:
    return f"{FACTS}{key}{END}{generation}"


def item(number: int) -> str:
    return f"I#{number:012d}"


def version(step: int, *, turn: bool) -> str:
    return f"{'T' if turn else 'V'}#{step:012d}"


def turn(identifier: str) -> str:
    return f"R#{identifier}"


def caller(org: str, kind: str, identifier: str) -> str:
    return f"ORG#{org}#CALLER#{kind}#{identifier}"
