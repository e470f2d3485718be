"""An evaluation as HTML, for a notebook."""

from __future__ import annotations

from html import escape

from ..html_tables import table
from ..notebook import scrolled, shown
from .findings import Findings
from .tables import tables


def as_html(report: Findings) -> str:
    """Return each table below its title."""
    return shown(f"<h4>{escape(title)}</h4>{scrolled(table(rows))}" for title, rows in tables(report))
