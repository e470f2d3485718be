"""The memory map of a program as a drawing: instructions to the right, arena offsets upwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from gradmote.errors import shorten

from .gather import Code, Report
from .liveness import Span

#: The size of the drawing in its units. Offsets are in the MARGIN at the left, instructions in the
#: FOOT below.
WIDTH, HEIGHT, MARGIN, FOOT = 1100, 520, 80, 40
#: The shares of the drawing's height and width above which a rectangle shows its name.
TALL, WIDE = 0.035, 0.06
#: The width of a letter in units.
LETTER = 6.5
LASTING = ("#5b6770", "#75818b", "#8d99a3", "#a5b0b8", "#bcc6cd", "#d0d7dc")
PASSING = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#9d755d", "#d4a72c")


@dataclass(frozen=True)
class Scale:
    """The scale from instructions and bytes to units of the drawing."""

    steps: int
    size: int

    def x(self, step: float) -> float:
        """Return the horizontal position of an instruction."""
        return MARGIN + (WIDTH - MARGIN) * step / self.steps

    def y(self, offset: float) -> float:
        """Return the vertical position of an arena offset; 0 is the top of the drawing."""
        return HEIGHT * (1 - offset / self.size)


def memory_map(report: Report, program: Code) -> str:
    """Return an SVG element; pointing at a buffer shows its name, address and life."""
    scale = Scale(max(len(program.steps), 1), max(program.arena, 1))
    lasting = [Span(r.name, r.offset, r.size, 0, scale.steps) for r in report.regions if r.size and r.name != "scratch"]
    shapes = [
        *(rectangle(scale, span, LASTING[n % len(LASTING)], "always") for n, span in enumerate(lasting)),
        *(rectangle(scale, span, PASSING[n % len(PASSING)], life(span)) for n, span in enumerate(program.spans)),
        *peak_line(scale, program.peak()),
        *axes(scale),
    ]
    return f"<svg viewBox='0 0 {WIDTH} {HEIGHT + FOOT}' role='img'>\n" + "\n".join(shapes) + "\n</svg>"


def life(span: Span) -> str:
    """Return the instructions during which a buffer is alive, in words."""
    last = span.end - 1
    return f"instruction {last}" if span.start == last else f"instructions {span.start} to {last}"


def rectangle(scale: Scale, span: Span, color: str, when: str) -> str:
    """Return the rectangle of one buffer, with its name inside if there is room."""
    x, y = scale.x(span.start), scale.y(span.offset + span.size)
    width, height = scale.x(span.end) - x, scale.y(span.offset) - y
    title = f"{span.name}\n{span.size:,} bytes at {span.offset:,}\n{when}"
    box = f"x='{x:.1f}' y='{y:.1f}' width='{width:.1f}' height='{height:.1f}'"
    drawn = f"<rect class='buffer' {box} fill='{color}'><title>{escape(title)}</title></rect>"
    if height < TALL * HEIGHT or width < WIDE * WIDTH:
        return drawn
    name = escape(shorten(span.name, int((width - 10) / LETTER), "…"))
    return f"{drawn}<text class='name' x='{x + 5:.1f}' y='{y + height / 2 + 4:.1f}'>{name}</text>"


def peak_line(scale: Scale, peak: int) -> Iterator[str]:
    """Yield a line at the instruction with the most bytes alive, and its label."""
    at = f"{scale.x(peak + 0.5):.1f}"
    yield f"<line class='peak' x1='{at}' x2='{at}' y1='0' y2='{HEIGHT}'/>"
    yield f"<text x='{at}' y='{HEIGHT + 32}' text-anchor='middle'>peak: instruction {peak}</text>"


def axes(scale: Scale) -> Iterator[str]:
    """Yield the labels of the axes: offsets at the left, instructions below."""
    for part in range(5):
        offset = scale.size * part // 4
        y = scale.y(offset) + (10 if part == 4 else 0)
        yield f"<text x='{MARGIN - 8}' y='{y:.1f}' text-anchor='end'>{offset:,}</text>"
    yield f"<text x='{MARGIN}' y='{HEIGHT + 16}'>instruction 0</text>"
    yield f"<text x='{WIDTH}' y='{HEIGHT + 16}' text-anchor='end'>{scale.steps - 1}</text>"
