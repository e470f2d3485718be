"""The console that commands print to, and tables for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich import console as rich_console
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.segment import Segment
from rich.table import Table

from .printable import Bar, Row, Rows, heading, in_one_line, is_numeric, printable

#: The columns of a line in a file or a pipe.
WIDTH = 140
#: The characters of a full bar.
BAR = 24


class Console(rich_console.Console):
    """A Rich console that escapes all characters that would control the terminal."""

    def render(self, *arguments: Any, **options: Any) -> Iterable[Segment]:
        """Yield the segments to print; only Rich's own control segments pass unescaped."""
        for segment in super().render(*arguments, **options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


def console() -> Console:
    """Return a console as wide as the terminal; a file or a pipe gets WIDTH columns."""
    found = Console()
    return found if found.is_terminal else Console(width=WIDTH)


def table(title: str, content: Rows) -> Table:
    """Return a table for the console.

    Numbers are right-aligned and stay in one line. Texts are printed unchanged, without markup.
    """
    columns, rows = content
    drawn = Table(
        title=f"\n{escape(in_one_line(title))}", title_justify="left", title_style="bold",
        show_edge=False, pad_edge=False, box=SIMPLE_HEAD,
    )  # fmt: skip
    for column in columns:
        number = is_numeric(column)
        drawn.add_column(
            escape(heading(column)), justify="right" if number else "left", no_wrap=number, overflow="fold"
        )
    for row in rows:
        if row:
            drawn.add_row(*cells(row))
        else:
            drawn.add_section()
    return drawn


def cells(row: Row) -> list[str]:
    """Return the cells of a row as texts for Rich, including bars."""
    return ["█" * round(BAR * cell.share) if isinstance(cell, Bar) else escape(in_one_line(cell)) for cell in row]
