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
    """Return the bytes of scratch that are alive at each instruction.

    Bytes that two buffers can share count once.
    """
    bound, end = program.bound(), len(program.instructions)
    change = [0] * (end + 1)
    loops = list(spans(program.instructions))
    needs: dict[Buffer, tuple[int, int]] = {}
    for buffer, used in (program.uses() if uses is None else uses).items():
        if buffer.region == "scratch":
            first = first_need(program, used, loops)
            needs[buffer] = first, end if buffer in bound else last_need(program, used, loops)
            change[first] += aligned(buffer.size)
            change[needs[buffer][1]] -= aligned(buffer.size)
    for upper, overlay in program.overlays.items():
        change[needs[upper][0]] -= overlay.shared(aligned(upper.size))
        change[needs[overlay.under][1]] += overlay.shared(aligned(upper.size))
    return list(accumulate(change))[:-1]


def lower_bound(program: Program) -> int:
    """Return the most bytes of scratch alive at one instruction, which every placement needs."""
    return max(usage(program), default=0)


def aligned(size: int) -> int:
    """Return the size rounded up to a multiple of 4 bytes, at which scratch buffers begin."""
    return (size + 3) // 4 * 4
