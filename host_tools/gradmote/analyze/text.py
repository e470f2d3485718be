"""A report in the terminal: whether it fits first, then what takes the memory, then each layer."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .gather import Report, macs
from .tables import (
    Bar,
    Rows,
    board_rows,
    board_title,
    change_rows,
    image_rows,
    layer_change_rows,
    layer_rows,
    memory_rows,
    peak_rows,
    peak_title,
    rounded,
    scheme_rows,
    verdict,
)

#: Characters of a whole bar.
BAR = 24


def show(report: Report, console: Console) -> None:
    """Prints everything; of a comparison, what changed."""
    console.print(headline(report), highlight=False)
    if report.other is not None:
        console.print(table("Changes", change_rows(report.other, report)))
        layers = layer_change_rows(report.other, report)
        console.print(table("Layers that changed", layers) if layers[1] else "\nno layer changed")
        return
    if report.board is not None:
        console.print(table(board_title(report.board), board_rows(report, report.board)))
    if report.schemes:
        console.print(table("Schemes: what could be trained", scheme_rows(report)))
    console.print(table("Arena", memory_rows(report)))
    console.print(table(peak_title(report), peak_rows(report)))
    console.print(table("Layers", layer_rows(report)))
    console.print(table("Image", image_rows(report)))
    for note in report.notes:
        console.print(f"note: {note}", highlight=False)


def table(title: str, content: Rows) -> Table:
    columns, rows = content
    drawn = Table(
        title=f"\n{title}", title_justify="left", title_style="bold", show_edge=False, pad_edge=False, box=SIMPLE_HEAD
    )
    for column in columns:
        number = column.endswith("#")
        drawn.add_column(column.rstrip("#"), justify="right" if number else "left", no_wrap=number, overflow="fold")
    for row in rows:
        if row:
            drawn.add_row(*("█" * round(BAR * c.share) if isinstance(c, Bar) else c for c in row))
        else:
            drawn.add_section()
    return drawn


def headline(report: Report) -> str:
    main = report.main
    machine = f", about {rounded(main.machine)} machine instructions on a Cortex-M4F" if main.machine else ""
    scheme = f", scheme {escape(report.scheme)}" if report.scheme else ""
    return (
        f"[bold]{escape(report.name)}[/]  batch {report.batch}{scheme}:  [bold]{report.arena:,} B of RAM[/] (arena), "
        f"[bold]{report.image:,} B of flash[/] (image): {verdict(report)[1]}\n"
        f"one {main.kind}: {len(main.steps)} instructions, {macs(report):,} MAC{machine}"
    )
