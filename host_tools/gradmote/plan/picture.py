"""Draws a program's memory map: arena offset upwards, instructions to the right. Needs matplotlib (extra `plot`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..image import Layout
from ..program import Program

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Share of the picture's height and width that a rectangle needs before its name is written into it.
_TALL_ENOUGH, _WIDE_ENOUGH = 0.035, 0.12


def draw_memory_map(axes: Axes, layout: Layout, program: Program, bottom: int = 0) -> None:
    """Fills `axes` with the bands that last (state, gradients, inputs) and a rectangle for each scratch buffer, from
    arena offset `bottom` upwards."""
    steps = max(len(program.instructions), 1)
    top = layout.arena_of(program.kind)
    height = top - bottom
    for name, offset, size, color in lasting_bands(layout):
        if size:
            rectangle(axes, (0, offset, steps, size), f"{name}: {size:,} B", color, (steps, height))
    base = layout.scratch_offset
    placement = layout.placements[program.kind]
    for index, span in enumerate(placement.spans):
        place = (span.start, base + placement.offsets[id(span.buffer)], span.end - span.start, span.buffer.size)
        rectangle(axes, place, span.buffer.name, f"C{index % 8 + 1}", (steps, height))
    axes.set(xlim=(0, steps), ylim=(bottom, top), xlabel="instruction", ylabel="arena offset (bytes)")
    axes.set_title(f"program {program.kind}: bytes {bottom:,} to {top:,} of the arena")


def lasting_bands(layout: Layout) -> list[tuple[str, int, int, str]]:
    """(name, offset, size, colour) of what lies still for the whole program."""
    return [
        ("parameters", 0, layout.parameters_size, "0.55"),
        ("control, moments", layout.parameters_size, layout.state_size - layout.parameters_size, "0.7"),
        ("gradients", layout.gradients_offset, layout.gradients_size, "0.8"),
        ("inputs", layout.inputs_offset, layout.inputs_size, "0.88"),
    ]


def rectangle(axes: Axes, place: tuple[int, int, int, int], name: str, color: str, extent: tuple[int, int]) -> None:
    """One buffer: (start, offset, instructions, bytes), with its name where there is room."""
    x, y, width, height = place
    axes.broken_barh([(x, width)], (y, height), facecolors=color, edgecolors="white", linewidth=0.5)
    if width / extent[0] >= _WIDE_ENOUGH and height / extent[1] >= _TALL_ENOUGH:
        axes.text(x + width / 2, y + height / 2, name, ha="center", va="center", fontsize=7, clip_on=True)
