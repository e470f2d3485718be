"""Tables as data, for both the terminal and the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


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
