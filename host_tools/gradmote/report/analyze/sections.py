"""The tables of a report in their order, for both the terminal and the page, and the report in the terminal.

The terminal shows whether the model fits, what takes the memory, then each layer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.markup import escape

from ...terminal.printable import Rows
from ...terminal.terminal import Console, table
from ..image_reports import HINT, TITLE, tradeoff_rows
from . import tables
from .gather import Report, macs
from .tables import rounded, verdict


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


def show(report: Report, console: Console) -> None:
    """Print the report; if it is compared with another one, print only the comparison."""
    console.print(headline(report), highlight=False)
    alone = report.other is None
    for section in (*compared(report), *(whole(report) if alone else ())):
        console.print(table(section.title, section.content) if section.content else f"\n{section.title}")
    for note in report.notes if alone else ():
        console.print(f"note: {note}", highlight=False, markup=False)


def headline(report: Report) -> str:
    """Return the first lines of the report: sizes, whether it fits, and the work of one run."""
    main = report.main
    machine = f", about {rounded(main.machine)} machine instructions on a Cortex-M4F" if main.machine else ""
    scheme = f", scheme {escape(report.scheme)}" if report.scheme else ""
    return (
        f"[bold]{escape(report.name)}[/]  batch {report.batch}{scheme}:  [bold]{report.arena:,} B of RAM[/] (arena), "
        f"[bold]{report.image:,} B of flash[/] (image): {verdict(report)[1]}\n"
        f"one {main.kind}: {len(main.steps)} instructions, {macs(report):,} MAC{machine}"
    )
