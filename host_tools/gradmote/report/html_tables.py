"""Tables as HTML, for pages and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..terminal.printable import Bar, Rows, heading, is_numeric


def table(content: Rows) -> str:
    """Return a table as HTML; the row after an empty one is drawn as a sum."""
    columns, rows = content
    numeric = [is_numeric(column) for column in columns]
    lines = [row_of("th", [heading(c) for c in columns], numeric, "")]
    for before, row in zip([(), *rows], rows):
        if row:
            lines.append(row_of("td", row, numeric, "" if before or row is rows[0] else " class='sum'"))
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def row_of(tag: str, cells: Sequence[str | Bar], numeric: Sequence[bool], style: str) -> str:
    """Return one row of a table; `tag` is `td` or `th`."""
    return f"<tr{style}>{''.join(cell_of(tag, *pair) for pair in zip(cells, numeric, strict=True))}</tr>"


def cell_of(tag: str, cell: str | Bar, number: bool) -> str:
    """Return one cell of a table: a text, a number to the right, or a bar."""
    if isinstance(cell, Bar):
        return f"<{tag} class='bar'><i style='width:{cell.share:.1%}'></i></{tag}>"
    return f"<{tag}{' class=n' if number else ''}>{escape(cell)}</{tag}>"
