"""The copies that a compiled image had to keep: inside, layout is a matter of strides, and these are the exceptions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ..compiler.lowering import COPY_RANK
from ..compiler.program import Compiled, Program


@dataclass(frozen=True)
class Copy:
    """One COPY. node: the ONNX node whose elements it moves; reason: `row-major for READER` where a reader cannot walk
    strides, else the operator that is a copy by itself (Concat, Pad, ...)."""

    program: str
    node: str
    bytes: int
    reason: str


def kept_copies(compiled: Compiled) -> list[Copy]:
    """All copies of an image in the order of its programs; filling with a number is none."""
    return [copy for program in compiled.programs for copy in copies_of(program)]


def copies_of(program: Program) -> Iterable[Copy]:
    for i in program.instructions:
        if i.opcode == "COPY" and i.reason != "fill":
            size = 4 * math.prod(int(i.params[f"d{axis}"]) for axis in range(COPY_RANK))
            yield Copy(program.kind, i.origin, size, i.reason)


def by_reason(copies: Iterable[Copy]) -> str:
    """`2 Concat, 1 row-major for Reshape`; the most frequent first."""
    reasons = [c.reason for c in copies]
    return ", ".join(f"{reasons.count(r)} {r}" for r in sorted(set(reasons), key=lambda r: (-reasons.count(r), r)))
