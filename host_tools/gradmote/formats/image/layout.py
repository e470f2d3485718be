"""The layout of the arena.

| parameters | statistics | control | store | properties | moments | gradients | inputs | scratch |
|<------------------------------ state --------------------------->|

The scratch is that of a program; the labels follow the inputs.

Inputs that a program may overwrite lie at the beginning of the scratch instead; labels stay.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...compiler.plan import Placement, place
from ...compiler.program import Buffer, Compiled, Program
from ...generated.records import SECTION_ALIGN
from .. import records

#: A planner: from a program and the offsets in scratch that are taken to all of its offsets there.
Placing = Callable[[Program, dict[Buffer, int]], Placement]


@dataclass
class Layout:
    """The offset of every buffer in the arena, in bytes.

    `offsets` holds state, gradients and inputs; the offsets in scratch
    differ by program and are in `placements`.
    """

    offsets: dict[Buffer, int]
    parameters_size: int
    control_offset: int
    properties_offset: int
    state_size: int
    gradients_offset: int
    gradients_size: int
    inputs_offset: int
    scratch_offset: int
    arena_size: int
    placements: dict[str, Placement]  # by program kind

    @property
    def inputs_size(self) -> int:
        """Return the bytes of the inputs and labels that no program may overwrite."""
        return self.scratch_offset - self.inputs_offset

    def arena_of(self, kind: str) -> int:
        """Return the bytes of arena that a program uses."""
        return self.scratch_offset + self.placements[kind].peak


def lay_out(compiled: Compiled, place_program: Placing | None = None) -> Layout:
    """Return the arena offset of every buffer of an image.

    place_program: the planner of a program's scratch, plan.place by default.
    """
    offsets: dict[Buffer, int] = {}
    end = pack(offsets, 0, [p.buffer for p in compiled.parameters])
    parameters_size = end
    end = pack(offsets, end, [s.buffer for s in compiled.statistics])
    control_offset = end
    end = pack(offsets, end, [compiled.control, *([compiled.store.buffer] if compiled.store else [])])
    properties_offset = end
    end += compiled.properties * records.size_of("property")
    state_size = pack(offsets, end, [s.buffer for s in compiled.slots])
    gradients = [p.gradient for p in compiled.parameters if p.gradient is not None]
    gradients_end = pack(offsets, state_size, gradients)
    inputs = [b.ref.buffer for b in compiled.inputs]
    scratch = pack(offsets, gradients_end, [b for b in (*inputs, *aside(compiled)) if b.region == "input"])
    overwritten: dict[Buffer, int] = {}
    least = pack(overwritten, 0, [b for b in inputs if b.region == "scratch"])
    offsets |= {key: scratch + offset for key, offset in overwritten.items()}
    placements = {p.kind: (place_program or place)(p, overwritten) for p in compiled.programs}
    peak = max([least, *(p.peak for p in placements.values())])
    return Layout(
        offsets,
        parameters_size,
        control_offset,
        properties_offset,
        state_size,
        state_size,
        gradients_end - state_size,
        gradients_end,
        scratch,
        align(scratch + peak),
        placements,
    )


def aside(compiled: Compiled) -> list[Buffer]:
    """Return a list of the buffer for the sample that is put aside; empty where there is none."""
    return [compiled.store.aside] if compiled.store and compiled.store.aside else []


def align(size: int) -> int:
    """Return the size rounded up to a multiple of SECTION_ALIGN."""
    return (size + SECTION_ALIGN - 1) // SECTION_ALIGN * SECTION_ALIGN


def pack(offsets: dict[Buffer, int], start: int, buffers: list[Buffer]) -> int:
    """Lay buffers one after another at multiples of 4 bytes; return the offset where they end."""
    for buffer in buffers:
        offsets[buffer] = start
        start += (buffer.size + 3) // 4 * 4
    return start
