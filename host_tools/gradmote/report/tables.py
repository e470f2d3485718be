"""Tables as data, drawn alike for the terminal and for a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Bar:
    """A length that stands for part / whole."""

    part: int
    whole: int

    @property
    def share(self) -> float:
        return self.part / self.whole if self.whole else 0.0


#: Cells; an empty row is a line across.
Row = Sequence[str | Bar]
#: Columns, and rows of as many cells. A column whose name ends in `#` holds numbers.
Rows = tuple[Sequence[str], Sequence[Row]]
LINE: Row = ()


def heading(column: str) -> str:
    """What stands over a column."""
    return column.removesuffix("#") or column


def is_numeric(column: str) -> bool:
    return column.endswith("#")
