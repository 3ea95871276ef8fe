"""Counts requests, responses and checks from the events file of Schemathesis."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Report:
    phases: Counter[str] = field(default_factory=Counter[str])
    statuses: Counter[str] = field(default_factory=Counter[str])
    checked: Counter[str] = field(default_factory=Counter[str])
    failed: Counter[str] = field(default_factory=Counter[str])

    @classmethod
    def of(cls, events: Path) -> "Report":
        report = cls()
        with events.open() as lines:
            for line in lines:
                if scenario := json.loads(line).get("ScenarioFinished"):
                    report.add(scenario["phase"], scenario["recorder"])
        return report

    def add(self, phase: str, recorder: dict[str, Any]) -> None:
        if "interactions" not in recorder:
            return  # a route without examples
        self.phases[phase] += len(recorder["interactions"])
        for interaction in recorder["interactions"].values():
            answered = interaction["response"]
            self.statuses[f"{answered['status_code'] // 100}xx" if answered else "none"] += 1
        for check in (each for case in recorder["checks"].values() for each in case):
            (self.failed if check["status"] == "failure" else self.checked)[check["name"]] += 1

    @property
    def of_5xx(self) -> int:
        return self.statuses["5xx"]

    def lines(self) -> Iterator[str]:
        yield f"\n| cases | {self.phases.total()} |\n|---|---|"
        yield from (f"| {phase} | {count} |" for phase, count in sorted(self.phases.items()))
        yield from (f"| answered {status} | {count} |" for status, count in sorted(self.statuses.items()))
        yield "\n| check | passed | failed |\n|---|---|---|"
        names = sorted(self.checked.keys() | self.failed.keys())
        yield from (f"| {name} | {self.checked[name]} | {self.failed[name]} |" for name in names)
