"""The copies that a compiled image could not avoid.

Most operators that only move elements become strides in the operators that read them. The copies
here are the exceptions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..ir import copies
from ..ir.generated import instructions
from ..ir.program import Compiled, Program


@dataclass(frozen=True)
class Copy:
    """One COPY instruction.

    `node` is the ONNX node whose elements it moves. `reason` is `row-major for READER` if the reader
    cannot use strides; otherwise it is an operator that is itself a copy (Concat, Pad, ...).
    """

    program: str
    node: str
    bytes: int
    reason: str


def kept_copies(compiled: Compiled) -> list[Copy]:
    """Return all copies in an image, in the order of its programs.

    Instructions that fill with a number do not count.
    """
    return [copy for program in compiled.programs for copy in copies_of(program)]


def copies_of(program: Program) -> Iterable[Copy]:
    """Yield the copies of one program."""
    for i in program.instructions:
        if isinstance(i, instructions.Copy) and i.reason != "fill":
            yield Copy(program.kind, i.origin, 4 * copies.elements(i), i.reason)


def by_reason(copies: Iterable[Copy]) -> str:
    """Return how many copies each reason has, for example `2 Concat, 1 row-major for Reshape`.

    The most frequent reason comes first.
    """
    reasons = [c.reason for c in copies]
    return ", ".join(f"{reasons.count(r)} {r}" for r in sorted(set(reasons), key=lambda r: (-reasons.count(r), r)))
