"""A report in the terminal: whether the model fits, what takes the memory, then each layer."""

from __future__ import annotations

from rich.markup import escape

from ...terminal.terminal import Console, table
from .gather import Report, macs
from .sections import compared, whole
from .tables import rounded, verdict


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
