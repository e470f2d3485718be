"""The arrays of a file with their origins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .quoting import named

Array = np.ndarray[Any, Any]


class Origin:
    """The file of an array. In this class, array and index name a number."""

    def __init__(self, path: Path = Path()) -> None:
        """Take the path of the file or folder; without one the array was made in a program."""
        self.path = path

    def place(self, name: str, index: Sequence[int]) -> str:
        """Return the name of one number's place in the array `name`."""
        return f"{name}[{', '.join(map(str, index))}]" if index else name


class TableOrigin(Origin):
    """The lines and columns of a table."""

    def __init__(self, path: Path, lines: Sequence[int], columns: Sequence[str]) -> None:
        """Take the line of each row in the file, and the names of the array's columns."""
        super().__init__(path)
        self.lines = lines
        self.columns = columns

    def place(self, name: str, index: Sequence[int]) -> str:
        """Return the file, the line and the column of one number."""
        column = self.columns[index[1] if len(index) > 1 else 0]
        return f"{named(self.path)}, line {self.lines[index[0]]}, column {named(column)}"


class FilesOrigin(Origin):
    """The files of samples, each with one or more samples."""

    def __init__(self, path: Path, files: Sequence[Path]) -> None:
        """Take the folder, and the file of each sample."""
        super().__init__(path)
        self.files = files

    def place(self, name: str, index: Sequence[int]) -> str:
        """Return the file of a sample."""
        return named(self.files[index[0]]) if index else name


@dataclass(frozen=True)
class Loaded:
    """The arrays of a file by name, before conversion.

    Attributes:
        arrays: x, y, x_test, y_test, scale, zero, and the model's further inputs and labels. Labels
            that are names are arrays of objects.
        origins: The origin of each array.
        classes: The names of the classes in order; None if labels are numbers.
        notes: Sentences about changes to the samples that a user has to know.
        converted: Sentences about arrays whose dtype was changed.
    """

    arrays: dict[str, Array]
    origins: Mapping[str, Origin]
    classes: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    converted: tuple[str, ...] = field(default=())

    def place(self, name: str, index: Sequence[int] = ()) -> str:
        """Return the name of one number's place in the array `name`."""
        return place_in(self.origins, name, index)


def place_in(origins: Mapping[str, Origin], name: str, index: Sequence[int]) -> str:
    """Return the name of one number's place in the array `name`."""
    return origins.get(name, Origin()).place(name, index)
