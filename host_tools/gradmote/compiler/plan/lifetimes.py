"""When each scratch buffer holds something that is still needed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from ..program import Buffer, Program, Uses


@dataclass(frozen=True)
class Lifetime:
    """A buffer is needed from instruction `start` up to but not including instruction `end`."""

    buffer: Buffer
    start: int
    end: int

    def overlaps(self, other: Lifetime) -> bool:
        return self.start < other.end and other.start < self.end


def lifetimes(program: Program, uses: dict[int, Uses] | None = None) -> list[Lifetime]:
    """One for each scratch buffer, in order of first touch. What an instruction reads and what it writes live together;
    inputs live from the beginning, outputs to the end. uses: program.uses(), where it is known."""
    bound, end = program.bound(), len(program.instructions)
    return [
        Lifetime(used.buffer, 0 if used.is_given else used.first, end if key in bound else used.last + 1)
        for key, used in (program.uses() if uses is None else uses).items()
        if used.buffer.region == "scratch"
    ]


def usage(program: Program, uses: dict[int, Uses] | None = None) -> list[int]:
    """Bytes of scratch that live at each instruction."""
    bound, end = program.bound(), len(program.instructions)
    change = [0] * (end + 1)
    for key, used in (program.uses() if uses is None else uses).items():
        if used.buffer.region == "scratch":
            size = aligned(used.buffer.size)
            change[0 if used.is_given else used.first] += size
            change[end if key in bound else used.last + 1] -= size
    return list(accumulate(change))[:-1]


def lower_bound(program: Program) -> int:
    """The most bytes of scratch that live at one instruction: no placement can need less."""
    return max(usage(program), default=0)


def aligned(size: int) -> int:
    """Scratch buffers begin at multiples of 4 bytes."""
    return (size + 3) // 4 * 4
