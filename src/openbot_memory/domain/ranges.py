"""Sets of item or step numbers as few ranges, so that a long history costs a short string (design: `processed`)."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise


@dataclass(frozen=True, slots=True)
class Ranges:
    """An immutable set of positive integers: sorted, disjoint, inclusive spans. Written `1-4,6`."""

    spans: tuple[tuple[int, int], ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Ranges":
        pairs = (part.partition("-") for part in text.split(",") if part)
        return cls(tuple((int(first), int(last or first)) for first, _, last in pairs))

    @classmethod
    def of(cls, numbers: Iterable[int]) -> "Ranges":
        return cls.joined((n, n) for n in numbers)

    @classmethod
    def span(cls, first: int, last: int) -> "Ranges":
        return cls(((first, last),)) if first <= last else cls()

    @classmethod
    def joined(cls, spans: Iterable[tuple[int, int]]) -> "Ranges":
        """Sort and melt overlapping or touching spans."""
        out: list[tuple[int, int]] = []
        for first, last in sorted(spans):
            if out and first <= out[-1][1] + 1:
                out[-1] = (out[-1][0], max(out[-1][1], last))
            else:
                out.append((first, last))
        return cls(tuple(out))

    def __str__(self) -> str:
        return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in self.spans)

    def __bool__(self) -> bool:
        return bool(self.spans)

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.spans)

    def __iter__(self) -> Iterator[int]:
        for first, last in self.spans:
            yield from range(first, last + 1)

    def __contains__(self, number: int) -> bool:
        at = bisect_right(self.spans, number, key=lambda span: span[0])
        return at > 0 and number <= self.spans[at - 1][1]

    def __or__(self, other: "Ranges") -> "Ranges":
        return Ranges.joined((*self.spans, *other.spans))

    def __and__(self, other: "Ranges") -> "Ranges":
        mine, theirs, out = iter(self.spans), iter(other.spans), list[tuple[int, int]]()
        a, b = next(mine, None), next(theirs, None)
        while a and b:
            if (first := max(a[0], b[0])) <= (last := min(a[1], b[1])):
                out.append((first, last))
            if a[1] < b[1]:
                a = next(mine, None)
            else:
                b = next(theirs, None)
        return Ranges(tuple(out))

    def __sub__(self, other: "Ranges") -> "Ranges":
        edges = [(0, 0), *other.spans, (self.last + 1, self.last + 1)]
        gaps = tuple((a[1] + 1, b[0] - 1) for a, b in pairwise(edges) if a[1] + 1 < b[0])
        return self & Ranges(gaps)

    @property
    def last(self) -> int:
        """The greatest number, 0 when empty."""
        return self.spans[-1][1] if self.spans else 0

    def first(self, count: int) -> "Ranges":
        return Ranges.of(islice(self, count))

    def after(self, number: int) -> "Ranges":
        return self & Ranges.span(number + 1, self.last)

    def upto(self, number: int) -> "Ranges":
        return self & Ranges.span(1, number)
