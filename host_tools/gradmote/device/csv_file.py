"""Samples from a CSV file: one sample a row, numbers separated by commas, semicolons or tabs.

There may be a header. The last column is the label, or the one that is named; all others are the
sample.
"""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gradmote.errors import DataError

Array = np.ndarray[Any, Any]

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
#: Numbers from here on round to float32's infinity: its largest number and half a unit more.
_BEYOND = 2.0**128 - 2.0**103


@dataclass(frozen=True)
class Table:
    """The cells of a file, as text.

    Attributes:
        path: The file.
        names: The columns' names from the header, else their numbers from 0.
        rows: The cells of each sample.
        lines: The line of the file in which each row ends.
    """

    path: Path
    names: list[str]
    rows: list[list[str]]
    lines: list[int]

    def column(self, name: str | None) -> int:
        """Return the index of the column with that name; the last one by default."""
        if name is None:
            return len(self.names) - 1
        found = [index for index, other in enumerate(self.names) if other == name]
        if len(found) != 1:
            many = "no column" if not found else f"{len(found)} columns"
            raise DataError(f"{self.path} has {many} called '{name}'", f"its columns are {', '.join(self.names)}")
        return found[0]

    def numbers(self, columns: list[int]) -> Array:
        """Return these columns as float64, (rows, columns).

        Raises DataError, which names the cell, where one is no number that float32 has.
        """
        return np.array([[self.number(row, column) for column in columns] for row in range(len(self.rows))], np.float64)

    def number(self, row: int, column: int) -> float:
        """Return one cell as a number; raise DataError where float32 has no such number."""
        text = self.rows[row][column].strip()
        value = float(text) if _NUMBER.fullmatch(text) else math.nan
        if not -_BEYOND < value < _BEYOND:
            where = f"{self.path}, line {self.lines[row]}, column {self.names[column]}"
            raise DataError(
                f"{where}: '{text}' is no number that float32 has",
                "every cell must be a finite number; number the classes from 0, and fill or leave out what is missing",
            )
        return value


def read_samples(path: Path, label: str | None) -> dict[str, Array]:
    """Read the samples x and the labels y of a file.

    x: (rows, columns) float32. y: (rows,) int32 where all labels are whole numbers, else float32.
    """
    table = read_table(path)
    label_index = table.column(label)
    columns = [index for index in range(len(table.names)) if index != label_index]
    if not columns:
        raise DataError(f"{path} has one column", "give the columns of the sample, and then the label's")
    return {"x": table.numbers(columns).astype(np.float32), "y": whole(table.numbers([label_index])[:, 0])}


def read_columns(path: Path) -> Array:
    """Read all columns, (rows, columns), or (rows,) where there is one."""
    table = read_table(path)
    found = table.numbers(list(range(len(table.names))))
    return found[:, 0] if found.shape[1] == 1 else found


def whole(values: Array) -> Array:
    """Return the values as int32 where nothing is lost, else as float32."""
    fits = bool((values == np.round(values)).all() and (abs(values) < 2**31).all())
    return values.astype(np.int32 if fits else np.float32)


def read_table(path: Path) -> Table:
    """Read the cells of a file whose rows are equally long, without its empty lines."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            delimiter = delimiter_of(file.readline())
            file.seek(0)
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"cannot read {path} ({error})", "write a row for each sample, as text in UTF-8") from error
    return checked(path, rows)


def delimiter_of(line: str) -> str:
    """Return the character that separates the cells of the first line."""
    return max(",;\t", key=line.count)


def checked(path: Path, rows: list[tuple[int, list[str]]]) -> Table:
    """Return the rows, each with its line, as a Table.

    Raises DataError where there are no samples, or where the rows differ in length.
    """
    header = rows[0][1] if rows and not all(is_number(cell) for cell in rows[0][1]) else None
    samples = rows[1:] if header is not None else rows
    if not samples:
        raise DataError(f"{path} has no samples", "write a row for each sample")
    columns = len(rows[0][1])
    for line, row in samples:
        if len(row) != columns:
            raise DataError(f"{path}, line {line} has {len(row)} cells, the first one {columns}", "make all rows alike")
    names = [name.strip() for name in header] if header is not None else [str(index) for index in range(columns)]
    return Table(path, names, [row for _, row in samples], [line for line, _ in samples])


def is_number(text: str) -> bool:
    """Return whether a cell holds a number.

    NaN and infinity count, so that a row of them is not taken for a header.
    """
    return bool(_NUMBER.fullmatch(text.strip()) or _NOT_FINITE.fullmatch(text.strip()))
