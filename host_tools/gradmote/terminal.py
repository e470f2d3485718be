"""What commands print: tables, and a console to print them on."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .tables import Bar, Row, Rows, heading, is_numeric

#: Columns of what goes to a file or a pipe.
WIDTH = 140
#: Characters of a whole bar.
BAR = 24


def console() -> Console:
    """As wide as the terminal; what goes elsewhere is WIDTH columns wide."""
    found = Console()
    return found if found.is_terminal else Console(width=WIDTH)


def table(title: str, content: Rows) -> Table:
    """Numbers to the right and in one line; texts are printed as they are, without markup."""
    columns, rows = content
    drawn = Table(
        title=f"\n{escape(title)}", title_justify="left", title_style="bold", show_edge=False, pad_edge=False,
        box=SIMPLE_HEAD,
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
    return ["█" * round(BAR * cell.share) if isinstance(cell, Bar) else escape(cell) for cell in row]
