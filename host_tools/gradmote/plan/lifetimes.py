"""The lifetimes of scratch buffers: the instructions from which to which each holds needed data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from ..ir.instruction import Buffer
from ..ir.loops import Span, spans
from ..ir.program import Program, Uses


@dataclass(frozen=True)
class Lifetime:
    """The range of instructions that need a buffer: `start` is inclusive, `end` exclusive."""

    buffer: Buffer
    start: int
    end: int

    def overlaps(self, other: Lifetime) -> bool:
        """Return whether some instruction needs both buffers."""
        return self.start < other.end and other.start < self.end


def lifetimes(program: Program, uses: dict[Buffer, Uses] | None = None) -> list[Lifetime]:
    """Return a lifetime for each scratch buffer, in order of first use.

    The operands and results of one instruction are live together; inputs are live from the start, and
    outputs to the end. `uses` is program.uses(), if the caller has it already.
    """
    uses = program.uses() if uses is None else uses
    return [Lifetime(buffer, first, end) for buffer, first, end in needs(program, uses)]


def needs(program: Program, uses: dict[Buffer, Uses]) -> Iterator[tuple[Buffer, int, int]]:
    """Yield each scratch buffer with the first instruction that needs it, and the index past the last."""
    bound, end = program.bound(), len(program.instructions)
    loops = list(spans(program.instructions))
    for buffer, used in uses.items():
        if buffer.region == "scratch":
            is_held = bool(loops) and program.rows.get(buffer, True)
            first, last = used.first, used.last
            until = end if buffer in bound else last_need(last, loops if is_held else [])
            if used.is_given and buffer not in program.rows:
                yield buffer, 0, until
            else:
                yield buffer, first_need(first, loops if is_held else []), until


def first_need(first: int, loops: list[Span]) -> int:
    """Return the first instruction that needs what `first` uses first: a loop holds it from its start."""
    return next((loop.start for loop in loops if loop.start < first < loop.end), first)


def last_need(last: int, loops: list[Span]) -> int:
    """Return the index past the last instruction that needs what `last` uses last."""
    return next((loop.end for loop in loops if loop.start < last < loop.end), last + 1)


def usage(program: Program, uses: dict[Buffer, Uses] | None = None) -> list[int]:
    """Return the live scratch bytes at each instruction.

    Bytes that two buffers can share count once.
    """
    change = [0] * (len(program.instructions) + 1)
    ends: dict[Buffer, tuple[int, int]] = {}
    for buffer, first, end in needs(program, program.uses() if uses is None else uses):
        size = aligned(buffer.size)
        change[first] += size
        change[end] -= size
        if program.overlays:
            ends[buffer] = first, end
    for upper, overlay in program.overlays.items():
        change[ends[upper][0]] -= overlay.shared(aligned(upper.size))
        change[ends[overlay.under][1]] += overlay.shared(aligned(upper.size))
    return list(accumulate(change))[:-1]


def lower_bound(program: Program, uses: dict[Buffer, Uses] | None = None) -> int:
    """Return the most live scratch bytes at one instruction, which every placement needs."""
    return max(usage(program, uses), default=0)


def aligned(size: int) -> int:
    """Return the size rounded up to 4 bytes, the alignment of scratch buffers."""
    return (size + 3) // 4 * 4
