"""The lifetimes of scratch buffers: from which instruction to which each holds needed data."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from ..instruction import Buffer
from ..loops import Span, spans
from ..program import Program, Uses


@dataclass(frozen=True)
class Lifetime:
    """The range of instructions that need a buffer: `start` is inside, `end` is outside."""

    buffer: Buffer
    start: int
    end: int

    def overlaps(self, other: Lifetime) -> bool:
        """Tell whether some instruction needs both buffers."""
        return self.start < other.end and other.start < self.end


def lifetimes(program: Program, uses: dict[Buffer, Uses] | None = None) -> list[Lifetime]:
    """Return a lifetime for each scratch buffer, in order of first use.

    The operands and results of one instruction are alive together; inputs are alive from the
    beginning, and outputs to the end. `uses` is program.uses(), where the caller has it already.
    """
    bound, end = program.bound(), len(program.instructions)
    loops = list(spans(program.instructions))
    return [
        Lifetime(buffer, first_need(program, used, loops), end if buffer in bound else last_need(program, used, loops))
        for buffer, used in (program.uses() if uses is None else uses).items()
        if buffer.region == "scratch"
    ]


def first_need(program: Program, used: Uses, loops: list[Span]) -> int:
    """Return the first instruction that needs a buffer: of a loop, all need what stays in it."""
    if used.is_given and used.buffer not in program.rows:
        return 0
    first = used.first
    held = program.rows.get(used.buffer, True)
    return next((loop.start for loop in loops if held and loop.start < first < loop.end), first)


def last_need(program: Program, used: Uses, loops: list[Span]) -> int:
    """Return the index behind the last instruction that needs a buffer."""
    last = used.last
    held = program.rows.get(used.buffer, True)
    return next((loop.end for loop in loops if held and loop.start < last < loop.end), last + 1)


def usage(program: Program, uses: dict[Buffer, Uses] | None = None) -> list[int]:
    """Return the bytes of scratch that are alive at each instruction."""
    bound, end = program.bound(), len(program.instructions)
    change = [0] * (end + 1)
    loops = list(spans(program.instructions))
    for buffer, used in (program.uses() if uses is None else uses).items():
        if buffer.region == "scratch":
            size = aligned(buffer.size)
            change[first_need(program, used, loops)] += size
            change[end if buffer in bound else last_need(program, used, loops)] -= size
    return list(accumulate(change))[:-1]


def lower_bound(program: Program) -> int:
    """Return the most bytes of scratch alive at one instruction, which every placement needs."""
    return max(usage(program), default=0)


def aligned(size: int) -> int:
    """Return the size rounded up to a multiple of 4 bytes, at which scratch buffers begin."""
    return (size + 3) // 4 * 4
