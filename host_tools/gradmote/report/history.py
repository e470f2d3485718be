"""A training in a notebook: curves of loss and accuracy by epoch, and a table."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from gradmote.errors import GradmoteError

from ..device.fitting import Epoch, Fit
from ..terminal.printable import Row, Rows
from .html_tables import table
from .notebook import scrolled, shown

#: The size of a chart and its margins, in units of the drawing.
_WIDTH, _HEIGHT, _LEFT, _TOP, _FOOT = 420, 220, 56, 26, 24
_COLORS = {"training": "#4c78a8", "test": "#f58518"}
#: The curves by their names, a value for each epoch; NaN leaves a gap.
_Curves = dict[str, list[float]]


def fit_as_html(result: Fit) -> str:
    """Return the curves and the table of a training, and what is said of its end."""
    return shown([*_parts(result.epochs), *(f"<p>{line}</p>" for line in _lines(result))])


class LivePlot:
    """Curves that grow with each epoch, in the notebook's cell that trains.

    fit(target, data, epochs=20, on_epoch=LivePlot())
    """

    def __init__(self) -> None:
        """Raise GradmoteError outside of a notebook."""
        if not _in_a_notebook():
            raise GradmoteError(
                "a live plot needs a notebook", "in a terminal, fit_with_progress() shows how the training goes"
            )
        self.epochs: list[Epoch] = []
        self._shown: Any = None

    def __call__(self, epoch: Epoch) -> None:
        """Add an epoch. One that does not follow the last one begins another training, with a plot of its own."""
        if self.epochs and epoch.epoch <= self.epochs[-1].epoch:
            self.epochs, self._shown = [], None
        self.epochs.append(epoch)
        if self._shown is None:
            from IPython.display import display

            self._shown = display(self, display_id=True)
        else:
            self._shown.update(self)

    def _repr_html_(self) -> str:
        """Return the curves and the table so far."""
        return shown(_parts(self.epochs))


def _in_a_notebook() -> bool:
    """Return whether this is a kernel's process, which has imported IPython itself."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


# ---- The parts ------------------------------------------------------------------------------------------------------


def _parts(epochs: Sequence[Epoch]) -> Iterator[str]:
    tests = [(e.test.loss, e.test.accuracy) if e.test else (math.nan, math.nan) for e in epochs]
    numbers = [epoch.epoch for epoch in epochs]
    yield _chart("loss", numbers, {"test": [loss for loss, _ in tests], "training": [e.loss for e in epochs]})
    yield _chart("accuracy", numbers, {"test": [accuracy for _, accuracy in tests]})
    yield scrolled(table(epoch_rows(epochs)))


def epoch_rows(epochs: Sequence[Epoch], judged: str = "test") -> Rows:
    """Return the table of epochs. judged: the data that each was judged by, "test" or "validation"."""
    rows: list[Row] = []
    skips = ["skipped#"] if any(epoch.skipped for epoch in epochs) else []
    for epoch in epochs:
        test = (
            (number_text(epoch.test.loss, ".4f"), number_text(epoch.test.accuracy, ".2%")) if epoch.test else ("", "")
        )
        rate = f"{epoch.samples / epoch.seconds:.0f}" if epoch.seconds else ""
        skipped = [str(epoch.skipped)] if skips else []
        rows.append((str(epoch.epoch), number_text(epoch.loss, ".4f"), *test, rate, *skipped))
    return ("epoch#", "loss#", f"{judged} loss#", "accuracy#", "samples/s#", *skips), rows


def number_text(value: float, form: str) -> str:
    """Return the number as text, or "" for NaN: without training, classes or a full batch."""
    return "" if math.isnan(value) else format(value, form)


def _lines(result: Fit) -> Iterator[str]:
    if result.best is not None:
        yield f"Best: epoch {result.best.epoch}."
    if result.ran_out:
        yield f"Ended after epoch {result.epochs[-1].epoch}: no better one came (patience)."
    if result.stopped:
        yield "Stopped before its end."
    if result.skipped:
        yield f"{result.skipped:,} steps skipped: the data, the loss or a gradient was not finite."
    if result.dropped:
        yield f"{result.dropped:,} samples of each epoch did not fill a batch, others each time."


# ---- A chart --------------------------------------------------------------------------------------------------------


def _chart(title: str, epochs: Sequence[int], curves: _Curves) -> str:
    """Return an SVG element with the curves that have a finite value; "" if none has."""
    drawn = {name: values for name, values in curves.items() if any(map(math.isfinite, values))}
    if not drawn:
        return ""
    finite = [value for values in drawn.values() for value in values if math.isfinite(value)]
    scale = _Scale((epochs[0], epochs[-1]), (min(finite), max(finite)))
    parts = [f"<text x='{_LEFT}' y='14' font-weight='bold'>{title}</text>", *_axes(scale)]
    for index, (name, values) in enumerate(drawn.items()):
        parts += _curve(scale, epochs, values, _COLORS[name])
        place = f"x='{_WIDTH - 4 - 40 * index}' y='14' text-anchor='end'"
        parts.append(f"<text {place} style='fill: {_COLORS[name]}'>{name}</text>")
    size = f"viewBox='0 0 {_WIDTH} {_HEIGHT}' width='{_WIDTH}' height='{_HEIGHT}'"
    return f"<svg {size} role='img' aria-label='{title} by epoch'>" + "".join(parts) + "</svg>"


class _Scale:
    """The scale from epochs and values to units of the drawing."""

    def __init__(self, epochs: tuple[int, int], values: tuple[float, float]) -> None:
        self.epochs, self.values = epochs, values

    def x(self, epoch: float) -> float:
        """Return the horizontal position; a single epoch is in the middle."""
        return _LEFT + 10 + (_WIDTH - _LEFT - 20) * _share(epoch, *self.epochs)

    def y(self, value: float) -> float:
        """Return the vertical position; 0 is the top of the drawing."""
        return _TOP + 8 + (_HEIGHT - _TOP - _FOOT - 16) * (1 - _share(value, *self.values))


def _share(value: float, low: float, high: float) -> float:
    """Return the place between two numbers as 0 to 1, 1/2 if they are equal; exact for numbers of any size."""
    return (value / 2 - low / 2) / (high / 2 - low / 2) if high > low else 0.5


def _curve(scale: _Scale, epochs: Sequence[int], values: Sequence[float], color: str) -> Iterator[str]:
    """Yield a line through neighbouring values, and a point for each, with its epoch and value as title."""
    points = [(f"{scale.x(e):.1f}", f"{scale.y(v):.1f}") if math.isfinite(v) else None for e, v in zip(epochs, values)]
    for before, after in pairwise(points):
        if before and after:
            place = f"x1='{before[0]}' y1='{before[1]}' x2='{after[0]}' y2='{after[1]}'"
            yield f"<line {place} style='stroke: {color}; stroke-width: 1.8'/>"
    for point, epoch, value in zip(points, epochs, values):
        if point:
            title = f"<title>epoch {epoch}: {value:.4g}</title>"
            yield f"<circle cx='{point[0]}' cy='{point[1]}' r='2.6' fill='{color}'>{title}</circle>"


def _axes(scale: _Scale) -> Iterator[str]:
    """Yield the frame's two lines, the lowest and highest value, and the first and last epoch."""
    foot = _HEIGHT - _FOOT
    yield f"<line x1='{_LEFT}' y1='{_TOP}' x2='{_LEFT}' y2='{foot}'/>"
    yield f"<line x1='{_LEFT}' y1='{foot}' x2='{_WIDTH - 4}' y2='{foot}'/>"
    for value in sorted(set(scale.values)):
        yield f"<text x='{_LEFT - 6}' y='{scale.y(value) + 4:.1f}' text-anchor='end'>{value:.4g}</text>"
    for epoch, anchor in zip(sorted(set(scale.epochs)), ("start", "end")):
        yield f"<text x='{scale.x(epoch):.1f}' y='{foot + 16}' text-anchor='{anchor}'>epoch {epoch}</text>"
