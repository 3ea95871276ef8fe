"""LangGraph's store of long-term memories, in this process and without an index of embeddings."""

import importlib
from operator import attrgetter
from typing import Any

from work import fitting

store: Any = importlib.import_module("langgraph.store.memory")

SESSION = ("acme", "sessions", "peers")
ALL = 1_000_000


class LangGraph:
    def __init__(self) -> None:
        self.memory = store.InMemoryStore()

    def store(self, key: str, content: str) -> None:
        self.memory.put(SESSION, key, {"content": content, "kind": "fact"})

    def facts(self, number: int) -> list[str]:
        return [each.value["content"] for each in self.memory.search(SESSION, limit=number)]

    def text(self) -> str:
        """The newest facts, sorted here: the store has neither an order nor a text of its own."""
        found = sorted(self.memory.search(SESSION, limit=ALL), key=attrgetter("updated_at"), reverse=True)
        return fitting(f"- {each.value['content']}\n" for each in found)


make = LangGraph
