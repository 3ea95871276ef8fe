"""template.yaml as plain data, `!Sub x` as `{"Fn::Sub": "x"}`. cfn-lint's parser would take 0.6 s to import."""

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]


class _Loader(yaml.CSafeLoader):
    """YAML with the short forms of CloudFormation's functions."""


def _function(loader: _Loader, name: str, node: yaml.Node) -> dict[str, Any]:
    match node:
        case yaml.ScalarNode():
            value = loader.construct_scalar(node)
        case yaml.SequenceNode():
            value = loader.construct_sequence(node, deep=True)
        case yaml.MappingNode():
            value = loader.construct_mapping(node, deep=True)
        case _:
            raise TypeError(node)
    if name == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {name if name in {"Ref", "Condition"} else f"Fn::{name}": value}


_Loader.add_multi_constructor("!", _function)  # pyright: ignore[reportUnknownMemberType]

TEMPLATE: dict[str, Any] = yaml.load((ROOT / "template.yaml").read_text(), _Loader)  # noqa: S506 - a safe loader
