"""The lifetimes of scratch buffers: from which instruction to which each holds needed data."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from ..instruction import Buffer
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
    return [
        Lifetime(buffer, 0 if used.is_given else used.first, end if buffer in bound else used.last + 1)
        for buffer, used in (program.uses() if uses is None else uses).items()
        if buffer.region == "scratch"
    ]


def usage(program: Program, uses: dict[Buffer, Uses] | None = None) -> list[int]:
    """Return the bytes of scratch that are alive at each instruction."""
    bound, end = program.bound(), len(program.instructions)
    change = [0] * (end + 1)
    for buffer, used in (program.uses() if uses is None else uses).items():
        if buffer.region == "scratch":
            size = aligned(buffer.size)
            change[0 if used.is_given else used.first] += size
            change[end if buffer in bound else used.last + 1] -= size
    return list(accumulate(change))[:-1]


def lower_bound(program: Program) -> int:
    """Return the most bytes of scratch alive at one instruction, which every placement needs."""
    return max(usage(program), default=0)


def aligned(size: int) -> int:
    """Return the size rounded up to a multiple of 4 bytes, at which scratch buffers begin."""
    return (size + 3) // 4 * 4
