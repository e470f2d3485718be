"""An evaluation as a picture: the confusion matrix, and a single score's curve. Needs matplotlib (extra `plot`)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...errors import DataError
from ...formats.files import write_atomically
from ..pictures import encoded, figure
from .findings import Findings
from .tables import name_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The most classes whose cells have room for their numbers.
_NUMBERED = 20


def plot(report: Findings, path: Path) -> None:
    """Write the picture in the format of the path's suffix.

    Raises DataError for a report without classes.
    """
    write_atomically(path, encoded(drawn(report), path, dpi=120))


def drawn(report: Findings) -> Figure:
    """Return the figure."""
    drawings = [draw for draw, part in ((draw_confusion, report.confusion), (draw_roc, report.roc)) if part is not None]
    if not drawings:
        raise DataError("the labels are numbers, and a picture is of classes", "leave out the picture")
    classes = 0 if report.confusion is None else len(report.confusion.counts)
    side = max(4.0, min(12.0, 0.45 * classes + 2))
    found = figure(side * len(drawings), side)
    for axes, draw in zip(found.subplots(1, len(drawings), squeeze=False)[0], drawings, strict=True):
        draw(axes, report)
    return found


def draw_confusion(axes: Axes, report: Findings) -> None:
    """Fill `axes` with the matrix, each row shaded by the shares of its class."""
    assert report.confusion is not None
    counts = report.confusion.counts
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    names = [name_of(report, c) for c in range(len(counts))]
    turned = 90 if max(map(len, names)) > 3 else 0
    axes.set_xticks(range(len(names)), names, rotation=turned)
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel="predicted", ylabel="class", title=f"accuracy {report.confusion.accuracy:.2%}")
    for row, column in np.argwhere(counts) if len(counts) <= _NUMBERED else ():
        color = "white" if shares[row, column] > 0.5 else "black"
        axes.text(column, row, f"{counts[row, column]}", ha="center", va="center", color=color, fontsize=8)


def draw_roc(axes: Axes, report: Findings) -> None:
    """Fill `axes` with the curve, and mark its best threshold."""
    assert report.roc is not None
    curve = report.roc
    axes.plot(curve.false_positives, curve.true_positives, drawstyle="steps-post")
    axes.plot([0, 1], [0, 1], color="0.8", linewidth=0.8, zorder=0)
    x, y = curve.false_positives[curve.best], curve.true_positives[curve.best]
    axes.plot([x], [y], "o")
    axes.annotate(f"score {curve.thresholds[curve.best]:.4g}", (x, y), (8, -12), textcoords="offset points")
    axes.set(xlabel="false alarms", ylabel="found", title=f"area {curve.area:.4f}", aspect="equal")
