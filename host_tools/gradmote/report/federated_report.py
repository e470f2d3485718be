"""The rounds of a federation as a table, as lines, and as a drawing in SVG or on a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from ..terminal.printable import Rows

if TYPE_CHECKING:
    from ..federated.simulate import Round

#: The drawing's size, and the space for words around its two curves, in pixels.
WIDTH, HEIGHT, LEFT, TOP, GAP, BOTTOM = 720, 420, 60, 40, 50, 40
#: The curves: a title, the value of a round, and its color.
CURVES: tuple[tuple[str, Callable[[Round], float], str], ...] = (
    ("accuracy on the test set, %", lambda r: 100 * r.test.accuracy, "#4c78a8"),
    ("loss of the devices' steps", lambda r: r.loss, "#b3382c"),
)


def rows(rounds: Sequence[Round]) -> Rows:
    """Return the table of all rounds."""
    columns = ("round#", "devices#", "refused#", "loss#", "test loss#", "accuracy#", "bytes up#", "bytes down#", "s#")
    return columns, [
        (
            str(r.round), f"{r.devices:,}", f"{r.refused:,}", shown(r.loss, ".4f"), shown(r.test.loss, ".4f"),
            shown(r.test.accuracy, ".2%"), f"{r.bytes_up:,}", f"{r.bytes_down:,}", f"{r.seconds:.2f}",
        )
        for r in rounds
    ]  # fmt: skip


def line(done: Round, rounds: int) -> str:
    """Return a round as a line of text, for a reader without a bar."""
    refused = f" {done.refused:,} refused" if done.refused else ""
    accuracy = f" accuracy {done.test.accuracy:.2%}" if not math.isnan(done.test.accuracy) else ""
    return (
        f"round {done.round} of {rounds} {done.devices:,} devices{refused} loss {done.loss:.4f}{accuracy} "
        f"{done.bytes_up:,} B up {done.bytes_down:,} B down"
    )


def shown(value: float, form: str) -> str:
    """Return a number as text; "" for NaN."""
    return "" if math.isnan(value) else format(value, form)


def svg(title: str, rounds: Sequence[Round]) -> str:
    """Return a drawing of accuracy and loss over the rounds; a curve without numbers is left out."""
    curves = [(name, [value(r) for r in rounds], color) for name, value, color in CURVES]
    curves = [curve for curve in curves if any(map(math.isfinite, curve[1]))]
    parts = [f"<text x='{LEFT}' y='22' font-weight='bold'>{escape(title)}</text>"]
    height = (HEIGHT - TOP - BOTTOM - GAP * (len(curves) - 1)) / max(len(curves), 1)
    for index, (name, values, color) in enumerate(curves):
        parts += _curve(name, values, color, TOP + index * (height + GAP), height)
    parts.append(f"<text x='{WIDTH - 20}' y='{HEIGHT - 8}' text-anchor='end'>round</text>")
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' font-family='sans-serif' "
        f"font-size='12' fill='#1f2933'>{''.join(parts)}</svg>\n"
    )


def _curve(name: str, values: Sequence[float], color: str, top: float, height: float) -> Iterator[str]:
    """Yield a curve, its title, and the numbers at its axes."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite), max(finite)
    span, wide = (high - low) or 1.0, (WIDTH - LEFT - 20) / max(len(values) - 1, 1)
    points = [
        f"{LEFT + index * wide:.1f},{top + height - (value - low) / span * height:.1f}"
        for index, value in enumerate(values)
        if math.isfinite(value)
    ]
    yield f"<text x='{LEFT}' y='{top - 6:.1f}' fill='{color}'>{escape(name)}</text>"
    yield f"<path d='M{LEFT},{top:.1f}v{height:.1f}H{WIDTH - 20}' fill='none' stroke='#b8c1c8'/>"
    yield f"<polyline points='{' '.join(points)}' fill='none' stroke='{color}' stroke-width='2'/>"
    for value, y in ((high, top + 8), (low, top + height)):
        yield f"<text x='{LEFT - 6}' y='{y:.1f}' text-anchor='end'>{value:.4g}</text>"
    for number, x in ((1, float(LEFT)), (len(values), LEFT + (len(values) - 1) * wide)):
        yield f"<text x='{x:.1f}' y='{top + height + 16:.1f}' text-anchor='middle'>{number}</text>"


def page(title: str, rounds: Sequence[Round], devices: Rows | None = None) -> str:
    """Return the drawing and the table as one self-contained HTML page. devices: a table to show below."""
    from .analyze.html import STYLE, VIEWPORT, table

    return (
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'>{VIEWPORT}<title>{escape(title)}</title>"
        f"<style>{STYLE}</style></head><body><h1>{escape(title)}</h1>{svg(title, rounds)}"
        f"{table(rows(rounds))}{'' if devices is None else f'<h2>Devices</h2>{table(devices)}'}</body></html>\n"
    )
