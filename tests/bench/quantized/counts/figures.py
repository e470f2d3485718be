"""Figures as tables, with the targets beside them, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass

from bench.quantized.counts.cores import Core

#: Returns whether a row of this name is wanted.
Wanted = Callable[[str], bool]


@dataclass(frozen=True)
class Figure:
    """target: the wanted maximum, or minimum if `at_least`; None: nothing is promised."""

    core: str
    row: str
    column: str
    value: float
    target: float | None = None
    at_least: bool = False

    def holds(self) -> bool:
        """Return whether the figure keeps its target, to the digits that are shown."""
        if self.target is None:
            return True
        return self.value >= self.target if self.at_least else round(self.value, 2) <= self.target

    def text(self) -> str:
        """Return the figure with its target in brackets, and an exclamation mark if it misses that."""
        if self.target is None:
            return f"{self.value:.2f}"
        return f"{self.value:.2f} [{self.target:g}]{'' if self.holds() else '!'}"


@dataclass(frozen=True)
class Table:
    """figures: count those of one core, of rows that are wanted."""

    title: str
    figures: Callable[[Core, Wanted], Iterable[Figure]]


def lines(title: str, found: list[Figure]) -> Iterator[str]:
    """Yield the lines of the table of one core."""
    rows = list(dict.fromkeys(figure.row for figure in found))
    columns = list(dict.fromkeys(figure.column for figure in found))
    cells = {(figure.row, figure.column): figure.text() for figure in found}
    first = max(len(name) for name in (title, *rows))
    yield f"{title:<{first}}" + "".join(f"{column:>15}" for column in columns)
    for row in rows:
        yield f"{row:<{first}}" + "".join(f"{cells.get((row, column), '-'):>15}" for column in columns)


def as_json(found: dict[str, list[Figure]]) -> str:
    """Return a list of objects; found: the figures by the names of their tables."""
    rows = [{"table": table} | asdict(f) | {"holds": f.holds()} for table, figures in found.items() for f in figures]
    return json.dumps(rows, indent=1)
