"""Samples from a text table: one sample per row, cells separated by commas, semicolons or tabs.

There may be a header. The label is the last column, or the named one. Columns with the name of a
further input of the model, such as mask or mask.0 and mask.1, feed that input; all others, in order,
are the sample.
"""

from __future__ import annotations

import codecs
import csv
import math
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

import numpy as np

from ..errors import DataError
from .loaded import Array, Loaded, TableOrigin
from .quoting import listed, named, quoted
from .reading import Reading
from .size_limits import size_of

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
#: Numbers from here on round to float32's infinity: its largest number plus half a unit.
_BEYOND = 2.0**128 - 2.0**103
#: The byte order marks of text in UTF-16, which some spreadsheets write.
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: The number of rows that decide whether the first one is a header.
_LOOKED_AT = 50
_EVERY_CELL = "every cell of a sample must be a finite number; fill or leave out what is missing"

Row = tuple[int, list[str]]


def load_table(path: Path, reading: Reading) -> Loaded:
    """Read the samples x and the labels y from a file, and the model's further inputs.

    x: (rows, columns) float32. y: (rows,) int32 if all labels are whole numbers, otherwise float32, or
    objects if they are names; from several columns (rows, columns).
    """
    table = Table.read(path, reading.header)
    labels = [] if reading.labels else table.label_columns(reading.label)
    groups = {**({"y": labels} if labels else {}), **table.further(reading, labels)}
    if reading.label is None and table.is_unlabelled(reading, groups):
        del groups["y"]
        labels = []
    taken = {column for columns in groups.values() for column in columns}
    groups["x"] = [column for column in range(len(table.names)) if column not in taken]
    if not groups["x"]:
        columns = len(table.names)
        problem = "has one column" if columns == 1 else f"has {columns} columns, and all of them are labels"
        raise DataError(f"{named(path)} {problem}", "give the columns of the sample, and then the label's")
    arrays = table.arrays(groups, text=labels[0] if len(labels) == 1 else None)
    return Loaded(arrays, table.origins(groups), notes=())


def load_labels(path: Path, header: bool | None) -> Loaded:
    """Read a file with only labels: one column, or several for targets of several numbers."""
    table = Table.read(path, header)
    columns = {"y": list(range(len(table.names)))}
    arrays = table.arrays(columns, text=0 if len(table.names) == 1 else None)
    return Loaded(arrays, table.origins(columns))


@dataclass
class Table:
    """A file whose rows are read once, one after another.

    Attributes:
        path: The file.
        names: The columns' names from the header, or else their numbers from 0.
        rows: The rows of the samples, each with the line of the file in which it ends.
        lines: The lines of the rows read so far.
    """

    path: Path
    names: list[str]
    rows: Iterator[Row]
    lines: array[int] = field(default_factory=lambda: array("q"))

    @classmethod
    def read(cls, path: Path, header: bool | None) -> Table:
        """Open a file and read its header. Raises DataError if there are no samples."""
        rows = rows_of(path)
        first = list(islice(rows, _LOOKED_AT))
        has_header = is_header(first) if header is None else header and bool(first)
        if len(first) - has_header < 1:
            raise DataError(f"{named(path)} has no samples", "write a row for each sample")
        names = [name.strip() for name in first[0][1]] if has_header else [str(i) for i in range(len(first[0][1]))]
        require_distinct(path, names)
        return cls(path, names, chain(first[has_header:], rows))

    def label_columns(self, label: str | None) -> list[int]:
        """Return the columns with that name, or with those comma-separated names; the last one by default."""
        if label is None:
            return [len(self.names) - 1]
        names = [label] if label in self.names else [name.strip() for name in label.split(",")]
        for name in names:
            if name not in self.names:
                raise DataError(
                    f"{named(self.path)} has no column called {quoted(name)}", f"its columns are {listed(self.names)}"
                )
        return [self.names.index(name) for name in names]

    def is_unlabelled(self, reading: Reading, groups: Mapping[str, Sequence[int]]) -> bool:
        """Return whether the columns are only a sample, for a model without labels, or with samples as its targets."""
        expected = reading.expected
        alone = expected is not None and (expected.rebuilds() or expected.tensor("label", 0) is None)
        first = expected.tensor("input", 0) if expected is not None and alone else None
        others = sum(len(columns) for name, columns in groups.items() if name != "y")
        return "y" in groups and first is not None and first.size == len(self.names) - others

    def further(self, reading: Reading, labels: Sequence[int]) -> dict[str, list[int]]:
        """Return the columns of each further input and label of the model in the header, and of `beside`."""
        names = [tensor.name for tensor in reading.expected.further()] if reading.expected else []
        found = {}
        for name in [*names, *([reading.beside] if reading.beside else [])]:
            pattern = re.compile(rf"{re.escape(name)}([._]\d+|\[\d+\])?")
            columns = [i for i, name in enumerate(self.names) if pattern.fullmatch(name) and i not in labels]
            if columns:
                found[name] = columns
        return found

    def arrays(self, groups: dict[str, list[int]], text: int | None) -> dict[str, Array]:
        """Read all rows, and return the columns of each group; `text` is a column that may contain names."""
        numeric = sorted(column for columns in groups.values() for column in columns if column != text)
        values, labels, known = array("d"), list[str](), dict[str, str]()
        for line, row in self.rows:
            self.require_length(line, row)
            self.lines.append(line)
            if text is not None:
                label = row[text].strip()
                labels.append(known.setdefault(label, label))
            values.extend(self.numbers(line, row, numeric))
        whole_table = np.frombuffer(values, np.float64).reshape(len(self.lines), len(numeric))
        made = {name: self.group(whole_table, numeric, name, columns) for name, columns in groups.items()
                if columns != [text]}  # fmt: skip
        return made if text is None else {**made, "y": self.labels(labels, self.names[text])}

    def group(self, values: Array, numeric: list[int], name: str, columns: list[int]) -> Array:
        """Return the columns of one group: x as float32, others as integers if they are whole."""
        found = values[:, np.searchsorted(numeric, columns)]
        if name == "x":
            return found.astype(np.float32)
        return whole(found[:, 0] if found.shape[1] == 1 else found)

    def require_length(self, line: int, row: list[str]) -> None:
        """Raise DataError if a row is longer or shorter than the first."""
        if len(row) != len(self.names):
            raise DataError(
                f"{named(self.path)}, line {line} has {len(row)} cells, the first one {len(self.names)}",
                "make all rows alike",
            )

    def numbers(self, line: int, row: list[str], columns: list[int]) -> list[float]:
        """Return the cells of a row as numbers.

        Raises DataError, with the cell, if one is not a number in float32's range.
        """
        cells = [row[column] for column in columns] if len(columns) < len(row) else row
        values = plain_numbers(cells) or [number_of(cell) for cell in cells]
        wrong = next((at for at, value in enumerate(values) if not -_BEYOND < value < _BEYOND), None)
        if wrong is None:
            return values
        where = f"{named(self.path)}, line {line}, column {named(self.names[columns[wrong]])}"
        hint = "write a decimal point" if _DECIMAL_COMMA.fullmatch(cells[wrong]) else _EVERY_CELL
        raise DataError(f"{where}: {quoted(cells[wrong].strip())} is not a finite float32 number", hint)

    def labels(self, labels: list[str], column: str) -> Array:
        """Return the labels as numbers if all of them are numbers, as objects if none is.

        Raises DataError, with the cell, if only some are, or if one is missing.
        """
        are_names = not any(map(is_number, labels))
        for row, label in enumerate(labels):
            if not label or not (are_names or is_float32(label)):
                raise self.wrong_label(row, label, column)
        return np.array(labels, object) if are_names else whole(np.array([float(label) for label in labels]))

    def wrong_label(self, row: int, label: str, column: str) -> DataError:
        """Return the error for a missing label, or for a name among numbers."""
        where = f"{named(self.path)}, line {self.lines[row]}, column {named(column)}"
        if not label:
            return DataError(f"{where} is empty: the sample has no label", "fill it, or leave the row out")
        return DataError(
            f"{where}: {quoted(label)} is not a finite float32 number",
            "give all labels as finite numbers, or all of them as names; number the classes from 0",
        )

    def origins(self, groups: dict[str, list[int]]) -> dict[str, TableOrigin]:
        """Return the origins of the arrays."""
        return {
            name: TableOrigin(self.path, self.lines, [self.names[column] for column in columns])
            for name, columns in groups.items()
        }


# ---- Lines ----------------------------------------------------------------------------------------------------------


def rows_of(path: Path) -> Iterator[Row]:
    """Yield the non-empty rows, each with its line. Raises DataError."""
    size_of(path)
    reader = None
    try:
        with path.open(encoding=encoding_of(path), newline="") as file:
            delimiter = delimiter_of(file.readline())
            file.seek(0)
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            yield from ((reader.line_num, row) for row in reader if any(cell.strip() for cell in row))
    except UnicodeError as error:
        where = f"{named(path)}, after line {reader.line_num}" if reader else named(path)
        raise DataError(f"cannot read {where} ({named(error)})", "save the table as text in UTF-8") from error
    except (OSError, csv.Error) as error:
        where = f"{named(path)}, line {reader.line_num}" if reader else named(path)
        raise DataError(f"cannot read {where} ({named(error)})", "write a row for each sample, as text") from error


def encoding_of(path: Path) -> str:
    """Return UTF-16 for a file that begins with its mark, otherwise UTF-8, with or without a mark."""
    with path.open("rb") as file:
        return "utf-16" if file.read(2) in _UTF16 else "utf-8-sig"


def delimiter_of(line: str) -> str:
    """Return the character that separates the cells of the first line.

    In a line with semicolons, commas are decimal commas if each of them is inside a number.
    """
    cells = line.strip().split(";")
    if len(cells) > 1 and all("," not in cell or _DECIMAL_COMMA.fullmatch(cell) for cell in cells):
        return ";"
    return max(",;\t", key=line.count)


def is_header(rows: Sequence[Row]) -> bool:
    """Return whether the first row contains the names of columns.

    It does if none of its cells is a number. Columns without names are often numbered from 0 or 1: if
    all numbers of the first row are such, it is a header if one of its words appears in no other row.
    """
    if not rows:
        return False
    cells = [cell.strip() for cell in rows[0][1]]
    numbers = [cell for cell in cells if is_number(cell)]
    if not numbers:
        return True
    counted = any(numbers == [str(i + first) for i in range(len(numbers))] for first in (0, 1))
    words = {index: cell for index, cell in enumerate(cells) if cell and not is_number(cell)}
    below = [row for _, row in rows[1:]]
    return counted and any(
        all(index < len(row) and row[index].strip() != word for row in below) for index, word in words.items() if below
    )


def require_distinct(path: Path, names: list[str]) -> None:
    """Raise DataError if two columns have the same name; any number of columns may have none."""
    first_of = dict[str, int]()
    for index, name in enumerate(names):
        if name and first_of.setdefault(name, index) != index:
            raise DataError(
                f"{named(path)}, line 1: columns {first_of[name] + 1} and {index + 1} are both called {quoted(name)}",
                "give each column a name of its own; if the first line is a sample: --no-header",
            )


# ---- Cells ----------------------------------------------------------------------------------------------------------


def is_number(text: str) -> bool:
    """Return whether a cell is meant as a number.

    NaN, infinity and decimal commas count as numbers, so that they are not headers or class names.
    """
    return any(pattern.fullmatch(text.strip()) for pattern in (_NUMBER, _NOT_FINITE, _DECIMAL_COMMA))


def is_float32(text: str) -> bool:
    """Return whether a cell contains a finite number in float32's range."""
    return -_BEYOND < number_of(text) < _BEYOND


def number_of(text: str) -> float:
    """Return the number in a cell; NaN if it is not one."""
    text = text.strip()
    return float(text) if _NUMBER.fullmatch(text) else math.nan


def plain_numbers(cells: list[str]) -> list[float] | None:
    """Return the cells as numbers if Python's float() reads all of them just as number_of() does."""
    joined = "".join(cells)
    if "_" in joined or not joined.isascii():
        return None
    try:
        return list(map(float, cells))
    except ValueError:
        return None


def whole(values: Array) -> Array:
    """Return the values as int32 if nothing is lost, otherwise as float32."""
    fits = bool((values == np.round(values)).all() and (abs(values) < 2**31).all())
    return values.astype(np.int32 if fits else np.float32)
