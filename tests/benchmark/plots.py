"""Draws the measurements as SVG files beside the page."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pygal  # pyright: ignore[reportMissingTypeStubs] - it has none
from cold import Cold
from meter import Cost

DRAWN = (
    "GET memory, whole",
    "GET instructions",
    "Remember, a known key",
    "Forget",
    "Configure",
    "Refresh, a batch of 50 items",
)
PLAIN: dict[str, Any] = {"js": [], "width": 800, "height": 400, "disable_xml_declaration": True}


def units(path: Path, facts: Sequence[int], measured: Mapping[str, Sequence[Cost | None]]) -> None:
    """Capacity units of one request, by the size of the memory."""
    chart = cast("Any", pygal).Line(title="Read and write units of a request, by facts", logarithmic=True, **PLAIN)
    chart.x_labels = [f"{number:,}" for number in facts]
    for name in DRAWN:
        chart.add(name, [cost.read_units + cost.write_units for cost in measured[name][: len(facts)] if cost])
    _save(chart, path)


def cold(path: Path, starts: Sequence[Cold]) -> None:
    """Processor time of a cold start, by function."""
    chart = cast("Any", pygal).StackedBar(title="A cold start, in ms of the processor", **PLAIN)
    chart.x_labels = [start.function for start in starts]
    chart.add("loaded", [round(start.imported) for start in starts])
    chart.add("its clients, later", [round(start.built) for start in starts])
    _save(chart, path)


def _save(chart: Any, path: Path) -> None:  # noqa: ANN401
    path.parent.mkdir(exist_ok=True)
    path.write_text(chart.render(is_unicode=True) + "\n")
