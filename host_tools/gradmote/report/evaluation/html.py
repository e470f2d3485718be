"""An evaluation as HTML, for a notebook."""

from __future__ import annotations

from html import escape

from ..html_tables import table
from .findings import Findings
from .tables import tables


def as_html(report: Findings) -> str:
    """Return each table below its title."""
    parts = [f"<h4>{escape(title)}</h4>{table(rows)}" for title, rows in tables(report)]
    return f"<div>{''.join(parts)}</div>"
