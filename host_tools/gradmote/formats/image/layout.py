"""The layout of the arena.

| parameters | statistics | control | store | properties | moments | gradients | inputs | scratch |
|<------------------------------ state --------------------------->|

The scratch is that of a program; the labels follow the inputs.

Inputs that a program may overwrite are in the scratch instead, at the same offset in all programs; labels stay.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...generated.records import SECTION_ALIGN
from ...ir.instruction import Buffer
from ...ir.program import Compiled, Program
from ...plan import Placement, check_overlays, place
from .. import records

#: A planner: maps a program and its given scratch offsets to all of its scratch offsets.
Placing = Callable[[Program, dict[Buffer, int]], Placement]


@dataclass
class Layout:
    """The offset of every buffer in the arena, in bytes.

    `offsets` holds state, gradients and inputs; the offsets in scratch differ by program and are in `placements`.
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
    parameters_end = pack(offsets, 0, [p.buffer for p in compiled.parameters])
    control = pack(offsets, parameters_end, [s.buffer for s in compiled.statistics])
    properties = pack(offsets, control, [compiled.control, *([compiled.store.buffer] if compiled.store else [])])
    slots = properties + compiled.properties * records.size_of("property")
    state_end = pack(offsets, slots, [s.buffer for s in compiled.slots])
    gradients_end = pack(offsets, state_end, [p.gradient for p in compiled.parameters if p.gradient is not None])
    scratch = pack(offsets, gradients_end, kept_inputs(compiled))
    overwritten, peak = place_inputs(compiled)
    placements = {p.kind: (place_program or place)(p, overwritten) for p in compiled.programs}
    for program in compiled.programs:
        check_overlays(program, placements[program.kind].offsets)
    return Layout(
        offsets=offsets | {buffer: scratch + offset for buffer, offset in overwritten.items()},
        parameters_size=parameters_end,
        control_offset=control,
        properties_offset=properties,
        state_size=state_end,
        gradients_offset=state_end,
        gradients_size=gradients_end - state_end,
        inputs_offset=gradients_end,
        scratch_offset=scratch,
        arena_size=align(scratch + max([peak, *(p.peak for p in placements.values())])),
        placements=placements,
    )


def place_inputs(compiled: Compiled) -> tuple[dict[Buffer, int], int]:
    """Return the scratch offsets of the inputs that programs may overwrite, and the end of the last one.

    They start at the start of scratch, unless a plan is smaller that leaves room before them for results that
    overlay them.
    """
    inputs = [b.ref.buffer for b in compiled.inputs if b.ref.buffer.region == "scratch"]
    choices = []
    for room in sorted(rooms_before(compiled, inputs)):
        offsets: dict[Buffer, int] = {}
        choices.append((offsets, pack(offsets, room, inputs)))
    if len(choices) == 1:
        return choices[0]
    programs = compiled.programs
    return min(choices, key=lambda c: max([c[1], *(place(program, c[0], search=False).peak for program in programs)]))


def rooms_before(compiled: Compiled, inputs: list[Buffer]) -> set[int]:
    """Return the bytes in front of inputs that let a result overlay one, and others overlay that."""
    rooms = {0}
    for program in compiled.programs:
        for upper in program.overlays:
            reach, buffer = 0, upper
            while (overlay := program.overlays.get(buffer)) is not None:
                reach, buffer = reach + overlay.furthest, overlay.under
            rooms |= {max(0, -reach)} if buffer in inputs else set()
    return rooms


def kept_inputs(compiled: Compiled) -> list[Buffer]:
    """Return the buffers of inputs and labels that no program overwrites.

    The last one is for the sample that is set aside, if there is one.
    """
    buffers = [b.ref.buffer for b in compiled.inputs]
    aside = [compiled.store.aside] if compiled.store and compiled.store.aside else []
    return [buffer for buffer in (*buffers, *aside) if buffer.region == "input"]


def align(size: int) -> int:
    """Return the size rounded up to a multiple of SECTION_ALIGN."""
    return (size + SECTION_ALIGN - 1) // SECTION_ALIGN * SECTION_ALIGN


def pack(offsets: dict[Buffer, int], start: int, buffers: list[Buffer]) -> int:
    """Place buffers one after another at multiples of 4 bytes; return the end offset."""
    for buffer in buffers:
        offsets[buffer] = start
        start += (buffer.size + 3) // 4 * 4
    return start
