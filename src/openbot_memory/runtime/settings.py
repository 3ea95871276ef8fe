"""The environment, read once into one object. No other module reads it."""

import os
from dataclasses import dataclass, fields
from functools import cache


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Each field is the environment variable of its name in capitals, set in template.yaml."""

    table_name: str
    event_bus_name: str = ""
    memory_max_length: int = 8000  # code points of a memory text (S4)
    memory_max_content: int = 2000  # code points of one content (S4)


@cache
def settings() -> Settings:
    """Raises KeyError or ValueError where the environment is wrong: at the first use, so a deploy shows it."""
    given = {field.name: os.environ.get(field.name.upper()) for field in fields(Settings)}
    if not given["table_name"]:
        raise KeyError("TABLE_NAME")
    numbers = {"memory_max_length", "memory_max_content"}
    values = {name: int(value) if name in numbers else value for name, value in given.items() if value}
    return Settings(**values)  # pyright: ignore[reportArgumentType] - the names decide the types, just above
