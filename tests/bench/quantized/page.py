"""The tables of docs/QUANTIZATION.md. The text between them is written by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from wrap_prose import wrapped

PAGE = Path(__file__).resolve().parents[3] / "docs" / "QUANTIZATION.md"


def write(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Put a table between its marks: <!-- title --> and <!-- end -->."""
    start, end = f"<!-- {title} -->\n", "<!-- end -->"
    table = "\n".join(markdown(columns, rows))
    text, count = re.subn(f"{start}.*?{end}", lambda _: f"{start}{table}\n{end}", PAGE.read_text(), flags=re.DOTALL)
    if count != 1:
        raise SystemExit(f"{PAGE} has {count} places for the table <!-- {title} -->; it needs one")
    PAGE.write_text(wrapped(text))


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table whose first column is of words, the others of numbers."""
    lines = ["| " + " | ".join(columns) + " |", "|---|" + "---:|" * (len(columns) - 1)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]
