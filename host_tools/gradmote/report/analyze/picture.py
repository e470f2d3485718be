"""The memory map of a program as a matplotlib drawing, for `gradmote plan --png`.

Arena offsets go upwards, and instructions to the right. Needs matplotlib (extra `plot`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .gather import Code, Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The shares of the picture's height and width above which a rectangle shows its name.
_TALL_ENOUGH, _WIDE_ENOUGH = 0.035, 0.12


def draw_memory_map(axes: Axes, report: Report, program: Code, bottom: int = 0) -> None:
    """Fill `axes` with the permanent regions and a rectangle for each scratch buffer.

    The permanent regions are state, gradients and inputs. The drawing begins at arena offset `bottom`.
    """
    steps, top = max(len(program.steps), 1), program.arena
    extent = (steps, top - bottom)
    lasting = [r for r in report.regions if r.size and r.name != "scratch"]
    for index, region in enumerate(lasting):
        name, color = f"{region.name}: {region.size:,} B", str(min(0.55 + 0.09 * index, 0.9))
        rectangle(axes, (0, region.offset, steps, region.size), name, color, extent)
    for index, span in enumerate(program.spans):
        box = (span.start, span.offset, span.end - span.start, span.size)
        rectangle(axes, box, span.name, f"C{index % 8 + 1}", extent)
    axes.set(xlim=(0, steps), ylim=(bottom, top), xlabel="instruction", ylabel="arena offset (bytes)")
    axes.set_title(f"program {program.kind}: bytes {bottom:,} to {top:,} of the arena")


def rectangle(axes: Axes, box: tuple[int, int, int, int], name: str, color: str, extent: tuple[int, int]) -> None:
    """Draw one buffer at (start, offset, instructions, bytes), with its name if there is room."""
    x, y, width, height = box
    axes.broken_barh([(x, width)], (y, height), facecolors=color, edgecolors="white", linewidth=0.5)
    if width / extent[0] >= _WIDE_ENOUGH and height / extent[1] >= _TALL_ENOUGH:
        axes.text(x + width / 2, y + height / 2, name, ha="center", va="center", fontsize=7, clip_on=True)
