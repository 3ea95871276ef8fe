"""Facts, items and Hypothesis strategies for the tests of the domain."""

from dataclasses import replace

from hypothesis import strategies as st

from openbot_memory.domain.facts import Fact, Kind, Person
from openbot_memory.domain.items import Item, ItemType

characters = st.characters(exclude_categories=["Cs"])  # all of Unicode but lone surrogates
texts = st.text(characters, min_size=1, max_size=300)
keys = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=20)
kinds = st.sampled_from(Kind)


def fact(key: str = "tea", content: str = "green", **given: object) -> Fact:
    made = Fact(key=key, content=content, kind=Kind.FACT, sources=("i-01",), updated_at=1_000, step=2)
    return replace(made, **given)


def item(
    number: int = 1, item_type: ItemType = ItemType.MESSAGE, role: str = "user", person: Person | None = None
) -> Item:
    body = {"role": role, "text": "I like green tea."} if item_type is ItemType.MESSAGE else {"text": "done"}
    return Item(number=number, type=item_type, at=1_000, body=body, person=person)
