"""Remembers ids, keys and versions from responses, so that later generated requests are not all answered with 404."""

import random
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

MOST = 20  # of the newest sessions and agents, so that requests meet again
SHARE = 0.8  # of the requests that get a known id

type Json = dict[str, Any]


@dataclass
class Memory:
    """Known versions and keys of one memory; a version holds the fields that a change must name, such as `expected`."""

    versions: list[Json] = field(default_factory=list[Json])
    keys: list[str] = field(default_factory=list[str])


@dataclass
class KnownIds:
    random: random.Random
    memories: dict[str, dict[str, Memory]] = field(default_factory=lambda: defaultdict[str, dict[str, Memory]](dict))

    def record(self, path: str, parameters: Json, sent: Json, answer: Json) -> None:
        """Remember the ids in a successful response; `path` is the route of the OpenAPI document."""
        match answer:
            case {"session": {"id": identifier, "head": head, "revision": revision}}:
                self._record("sessions", identifier, {"expected": head, "revision": revision}, sent)
            case {"agent": {"id": identifier, "version": version}}:
                self._record("agents", identifier, {"expected": version}, sent)
            case {"entries": _, "version": version} if path.startswith("/v1/agents"):
                self._record("agents", parameters["id"], {"expected": version}, sent)
            case _:
                pass

    def _record(self, sort: str, identifier: str, version: Json, sent: Json) -> None:
        memories = self.memories[sort]
        memory = memories[identifier] = memories.pop(identifier, None) or Memory()  # moved to the end, as the newest
        memory.versions.append(version)
        if "key" in sent.get("command", {}):
            memory.keys.append(sent["command"]["key"])
        for old in list(memories)[:-MOST]:
            del memories[old]

    def name(self, path: str, parameters: Json, query: Json, body: Json) -> None:
        """Put known ids, keys and versions into most requests."""
        memories = self.memories["agents" if path.startswith("/v1/agents") else "sessions"]
        if "id" not in parameters or not memories or self.random.random() > SHARE:
            return
        parameters["id"] = self.random.choice(list(memories))
        memory = memories[parameters["id"]]
        for given in (parameters, query, body, body.get("command", {})):
            self._fill(given, memory)

    def _fill(self, given: Json, memory: Memory) -> None:
        given |= {name: value for name, value in memory.versions[-1].items() if name in given}
        for name in {"at", "to", "version"} & given.keys():
            given[name] = self.random.choice(memory.versions)["expected"]
        if memory.keys and "key" in given and "content" not in given:
            given["key"] = self.random.choice(memory.keys)
        if "agent" in given and self.memories["agents"]:
            given["agent"] = self.random.choice(list(self.memories["agents"]))
