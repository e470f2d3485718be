"""Output that a terminal, a page and JSON can show: safe text, tables as data, finite numbers.

Names come from files and from the serial line. They may contain characters that control a terminal:
escape sequences that rewrite earlier output, or marks that change the direction of writing. Such
characters are printed as escapes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

#: Control characters except the line feed; marks of direction, line and paragraph; halves of
#: surrogate pairs.
_CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """Return `text` with backslash escapes instead of control characters; line feeds stay."""
    return _CONTROLS.sub(_escaped, text)


def in_one_line(text: str) -> str:
    """Return printable(text) with line feeds escaped too, for names in sentences and tables."""
    return printable(text).replace("\n", "\\n")


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


# ---- Tables as data, for both the terminal and the page --------------------------------------------------------------


@dataclass(frozen=True)
class Bar:
    """A bar whose length represents part / whole."""

    part: int
    whole: int

    @property
    def share(self) -> float:
        """Return part / whole; 0 if the whole is 0."""
        return self.part / self.whole if self.whole else 0.0


#: The cells of a row; an empty row is a line across the table.
Row = Sequence[str | Bar]
#: The columns, and rows with as many cells. A column whose name ends in `#` contains numbers.
Rows = tuple[Sequence[str], Sequence[Row]]
LINE: Row = ()


def heading(column: str) -> str:
    """Return the heading of a column, without its mark for numbers."""
    return column.removesuffix("#") or column


def is_numeric(column: str) -> bool:
    """Return whether the column contains numbers."""
    return column.endswith("#")


# ---- Numbers for JSON, which has neither NaN nor infinities ----------------------------------------------------------


def finite(value: Any) -> Any:
    """Return the value with null for each NaN or infinity, which JSON lacks."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
