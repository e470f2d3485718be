"""Places scratch buffers: largest first, each in the smallest gap that its lifetime leaves."""

from __future__ import annotations

from dataclasses import dataclass

from ..program import Program
from .lifetimes import Lifetime, aligned, lifetimes, lower_bound


@dataclass(frozen=True)
class Placement:
    """Offsets of scratch buffers from the start of scratch; `peak` is the highest byte used, `bound` what is
    unavoidable."""

    offsets: dict[int, int]  # id(buffer) -> offset
    spans: list[Lifetime]
    peak: int
    bound: int


def place(program: Program) -> Placement:
    spans = lifetimes(program)
    offsets: dict[int, int] = {}
    placed: list[Lifetime] = []
    for span in sorted(spans, key=lambda s: (-s.buffer.size, s.start)):
        offsets[id(span.buffer)] = best_gap(span, [p for p in placed if p.overlaps(span)], offsets)
        placed.append(span)
    peak = max((offsets[id(s.buffer)] + aligned(s.buffer.size) for s in spans), default=0)
    return Placement(offsets, spans, peak, lower_bound(program))


def best_gap(span: Lifetime, neighbours: list[Lifetime], offsets: dict[int, int]) -> int:
    """Offset of the smallest gap between buffers alive at the same time that takes `span`, else the end."""
    need, cursor = aligned(span.buffer.size), 0
    gaps = []
    for other in sorted(neighbours, key=lambda n: offsets[id(n.buffer)]):
        start = offsets[id(other.buffer)]
        if start - cursor >= need:
            gaps.append((start - cursor, cursor))
        cursor = max(cursor, start + aligned(other.buffer.size))
    return min(gaps)[1] if gaps else cursor
