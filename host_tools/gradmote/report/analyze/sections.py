"""The tables of a report in their order, for both the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...terminal.tables import Rows
from ..tradeoff_report import HINT, TITLE, tradeoff_rows
from . import tables
from .gather import Report


@dataclass(frozen=True)
class Section:
    """One titled table of a report.

    `content` is None if there is nothing to show; the title then says so. `hint` explains the table to a
    first-time reader.
    """

    title: str
    content: Rows | None
    hint: str = ""


def compared(report: Report) -> Iterator[Section]:
    """Yield the sections that compare the model with another report and with other schemes."""
    if report.other is not None:
        yield Section(f"Changes from {report.other.name}", tables.change_rows(report.other, report))
        layers = tables.layer_change_rows(report.other, report)
        yield Section("Layers that changed", layers) if layers[1] else Section("no layer changed", None)
    if report.schemes:
        yield Section("Schemes: what could be trained", tables.scheme_rows(report))


def whole(report: Report) -> Iterator[Section]:
    """Yield the sections on the model by itself."""
    if report.board is not None:
        yield Section(tables.board_title(report.board), tables.board_rows(report, report.board))
    yield Section("Arena", tables.memory_rows(report))
    if report.front:
        yield Section(TITLE, tradeoff_rows(report.front), HINT)
    yield Section(tables.peak_title(report), tables.peak_rows(report))
    hint = "Bytes, except shapes, counts of parameters, MAC and machine."
    yield Section("Layers", tables.layer_rows(report), hint)
    yield Section("Image", tables.image_rows(report))
