"""Mem0's open-source library, used without a server: Qdrant in this process, its history in SQLite.

No model is called (`infer=False`), and Mem0's own mock embedder always answers with the same 10 numbers.
"""

import importlib
import logging
import os
import tempfile
from typing import Any

from work import fitting

home = tempfile.TemporaryDirectory()
logging.getLogger("mem0").setLevel(logging.ERROR)  # or it warns of extras that are not installed
os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": home.name}
mem0: Any = importlib.import_module("mem0")
embeddings: Any = importlib.import_module("mem0.embeddings.mock")

WHO = {"user_id": "ana"}
ENOUGH = 80  # facts, more than fit the text


class Mem0:
    def __init__(self) -> None:
        unused = {"provider": "openai", "config": {"api_key": "none"}}  # required, and never called
        store = {"path": ":memory:", "embedding_model_dims": 10, "collection_name": "peers"}
        self.memory = mem0.Memory.from_config({
            "vector_store": {"provider": "qdrant", "config": store},
            "embedder": unused,
            "llm": unused,
            "history_db_path": ":memory:",
        })  # fmt: skip
        self.memory.embedding_model = embeddings.MockEmbeddings()

    def store(self, key: str, content: str) -> None:
        self.memory.add(content, infer=False, metadata={"key": key, "kind": "fact"}, **WHO)

    def facts(self, number: int) -> list[str]:
        return [each["memory"] for each in self.memory.get_all(filters=WHO, top_k=number)["results"]]

    def text(self) -> str:
        """The nearest facts, as in its documentation."""
        found = self.memory.search("What was agreed on?", filters=WHO, top_k=ENOUGH)["results"]
        return fitting(f"- {each['memory']}\n" for each in found)


make = Mem0
