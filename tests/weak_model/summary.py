"""Makes tables of the weak model's calls and of their results."""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median

from gate import Called
from runner import Outcome


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [heads, ["---"] * len(heads), *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def calls(made: Sequence[Called]) -> str:
    heads = ["calls of the model", "calls", "refused", "whole tool calls", "proposals", "median s", "longest s"]
    sorts = {"with the service's own schema": False, "with the narrower schema": True}
    return table(heads, (_calls(name, [each for each in made if each.helped is helped])
                         for name, helped in sorts.items()))  # fmt: skip


def _calls(name: str, made: Sequence[Called]) -> list[object]:
    seconds = [each.seconds for each in made] or [0.0]
    refused, whole = sum(each.status != 200 for each in made), sum(each.whole for each in made)
    proposed = sum(each.proposed for each in made)
    return [name, len(made), refused, whole, proposed, f"{median(seconds):.1f}", f"{max(seconds):.1f}"]


def outcomes(outcome: Sequence[Outcome], seconds: float) -> str:
    rows = [row for each in outcome for row in each.log if row["trigger"] == "consolidation"]
    dropped = Counter(drop["reason"] for row in rows for drop in row["dropped"])
    failures = Counter(message for each in outcome for message in each.failures)
    kinds = Counter(fact["kind"] for each in outcome for fact in each.memory["entries"].values())
    waiting = sum(each.view["memory"]["consolidation"]["waiting"] for each in outcome)
    return table(["result", ""], [
        ("conversations, turns", f"{len(outcome)}, {sum(each.turns for each in outcome)}"),
        ("answered batches", len(rows)),
        *((f"failed: {message}", count) for message, count in failures.most_common()),
        ("proposals kept", sum(len(row["keys"]) for row in rows)),
        *((f"dropped: {reason}", count) for reason, count in dropped.most_common()),
        ("unread items, with a stored error", waiting),
        ("final facts, by kind", ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())),
        ("time", f"{seconds / 60:.1f} minutes, a turn {median(each for one in outcome for each in one.seconds):.1f} s"),
    ])  # fmt: skip
