"""Makes tables of latencies and errors by route, and of what the consistency check compared."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from consistency import Json, Totals

PERCENTILES = (0.5, 0.95, 0.99)


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [heads, ["---"] * len(heads), *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def latencies(statistics: Iterable[Json]) -> str:
    heads = ["route", "requests", "p50 ms", "p95 ms", "p99 ms", "longest ms", "failed"]
    rows = sorted(statistics, key=lambda row: (row["name"], row["method"]))
    return table(heads, (list(_row(each)) for each in rows))


def _row(counted: Json) -> Iterator[object]:
    times = {float(took): many for took, many in counted["response_times"].items()}
    yield f"{counted['method']} {counted['name']}"
    yield f"{counted['num_requests']:,}"
    yield from (f"{percentile(times, share):.0f}" for share in PERCENTILES)
    yield f"{counted['max_response_time']:.0f}"
    yield counted["num_failures"]


def percentile(times: Mapping[float, int], share: float) -> float:
    """A percentile of Locust's counts of rounded times."""
    left = sum(times.values()) * share
    for took in sorted(times):
        left -= times[took]
        if left <= 0:
            return took
    return 0


def totals(found: Totals, dead_letters: int) -> str:
    rows = [
        ("sessions, of which forks", f"{found.sessions}, {found.forks}"),
        ("acknowledged turns", found.turns),
        ("acknowledged changes of sessions by hand = versions in their logs", found.changed),
        ("versions of sessions by consolidation", found.consolidations),
        ("acknowledged changes of the agent by hand = versions in its log", found.taught),
        ("versions of the agent by lessons", found.lessons),
        ("entries of the agent", found.entries),
        ("dead letters", dead_letters),
    ]
    return table(["compared", ""], rows)
