"""The keys of the single table. A partition key begins with the organization, which only the caller's token tells.

Ids of organizations, sessions and agents hold no `#` (their patterns are checked where they come in), so no id reaches
into another partition; a fact's key, the only free text, is checked, stands after a fixed prefix and ends before a
control character that no key may hold.

| partition                | sort key             | row                                                     |
|--------------------------|----------------------|---------------------------------------------------------|
| ORG#o                    | SETTINGS             | the organization's settings                             |
| ORG#o#CALLER#type#id     | KEY#sha256           | the idempotency record of an Idempotency-Key            |
| ORG#o#SESSIONS#part      | createdAt#s          | a session in the list of all, in the index by its agent |
| ORG#o#AGENTS#part        | createdAt#a          | an agent in the list of all                             |
| ORG#o#SESSION#s          | M                    | the session                                             |
|                          | M#key␟generation     | a fact, under its generation                            |
|                          | N#digest␟generation  | a mark: which forgotten fact has this digest (S6)       |
|                          | I#number             | an item of the history                                  |
|                          | T#step, V#step       | a version made by a turn, by a change of memory         |
|                          | R#turn               | the idempotency record of a turn                        |
|                          | A                    | the ancestors that hold a fork's older rows             |
|                          | F#fork               | a fork that needs items and versions of this session    |
|                          | E#key                | the tombstone of an erased fact                         |
|                          | W                    | the lease of a consolidation                            |
|                          | D                    | the session is being deleted                            |
| ORG#o#AGENT#a            | M                    | the agent                                               |
|                          | M#key␟generation     | an entry of its memory, under its generation            |
|                          | N#digest␟generation  | a mark: which forgotten entry has this digest           |
|                          | V#version            | a version of its memory                                 |
|                          | X#generation#number  | a part of a version that does not fit one row           |
|                          | C#session            | its progress: what it has learned from of a session     |
|                          | W#session            | the lease of a consolidation into its memory            |
|                          | E#key                | the tombstone of an erased entry                        |
| TOKEN#sha256             | TOKEN                | a bearer token                                          |
"""

from openbot_memory.store.table import Key

HEAD = "M"
ANCESTORS = "A"
LEASE = "W"
DELETED = "D"
FORKS = "F#"
TOMBSTONES = "E#"
MARKS = "N#"
FACTS = "M#"
VERSIONS = "V#"
PARTS = "X#"
LAST = "~"  # after all ids and times
FIRST = "~"  # comes first in the index, which is read from its end
ACTIVE, FORGOTTEN = "#", "!"  # within a generation of the index
END = "\x1f"


def organization(org: str) -> Key:
    return f"ORG#{org}", "SETTINGS"


def session(org: str, identifier: str) -> str:
    return f"ORG#{org}#SESSION#{identifier}"


def agent(org: str, identifier: str) -> str:
    return f"ORG#{org}#AGENT#{identifier}"


def sessions(org: str, part: int) -> str:
    return f"ORG#{org}#SESSIONS#{part}"


def agents(org: str, part: int) -> str:
    return f"ORG#{org}#AGENTS#{part}"


def progress(session: str) -> str:
    return f"C#{session}"


def agent_lease(session: str) -> str:
    return f"W#{session}"


def part(generation: str, number: int) -> str:
    return f"{PARTS}{generation}#{number:06d}"


def fact(key: str, generation: str) -> str:
    return f"{FACTS}{key}{END}{generation}"


def mark(digest: str, generation: str) -> str:
    return f"{MARKS}{digest}{END}{generation}"


def item(number: int) -> str:
    return f"I#{number:012d}"


def version(step: int, *, turn: bool) -> str:
    return f"{'T' if turn else 'V'}#{step:012d}"


def turn(identifier: str) -> str:
    return f"R#{identifier}"


def caller(org: str, kind: str, identifier: str) -> str:
    return f"ORG#{org}#CALLER#{kind}#{identifier}"
