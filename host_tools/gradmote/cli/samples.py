"""The options of every command that reads samples, and the samples that they name."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as o
from .messages import is_quiet
from .shared_options import with_shared

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..data.expected import Expected
    from ..data.reading import Reading

Labels = Annotated[
    Path | None,
    typer.Option("--labels", exists=True, dir_okay=False, help="A file of the labels alone: .npy, .npz, or .csv."),
]
Label = Annotated[
    str | None,
    typer.Option(
        "--label", "--label-column", metavar="COLUMN", help="The column of a .csv with the labels; else the last one."
    ),
]
Test = Annotated[
    Path | None, typer.Option("--test", exists=True, help="Samples to test on, a file or folder of the same form.")
]
TestLabels = Annotated[
    Path | None, typer.Option("--test-labels", exists=True, dir_okay=False, help="Their labels alone, as --labels.")
]
Classes = Annotated[
    str | None,
    typer.Option(
        "--classes",
        metavar="A,B,C",
        help="Labels that are names, in the order of the model's outputs; by default the model's own, else sorted.",
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header", help="Whether the first line of a .csv names its columns; detected by default."
    ),
]
Scale = Annotated[
    str | None,
    typer.Option(
        "--scale", metavar="FACTOR", help="Take (x - zero) * FACTOR, such as 1/16. Pictures: 1/255; 1 leaves 0 .. 255."
    ),
]
Zero = Annotated[str | None, typer.Option("--zero", metavar="NUMBER", help="What is subtracted before --scale.")]
Resize = Annotated[bool, typer.Option("--resize", help="Stretch pictures of another size to the model's.")]
Rate = Annotated[
    int | None, typer.Option("--sample-rate", min=1, metavar="HZ", help="The rate that all recordings must have.")
]
Length = Annotated[
    int | None,
    typer.Option(
        "--length", min=1, metavar="N", help="The numbers in a sample of a recording; else as many as the model takes."
    ),
]


@dataclass(frozen=True)
class SampleOptions:
    """The options of the command line for reading samples. Each field is an option."""

    labels: Labels = None
    label: Label = None
    test: Test = None
    test_labels: TestLabels = None
    classes: Classes = None
    header: Header = None
    scale: Scale = None
    zero: Zero = None
    resize: Resize = False
    sample_rate: Rate = None
    length: Length = None

    def reading(self, expected: Expected | None, beside: str | None = None) -> Reading:
        """Return the settings for a model, or without one; `beside` is a column outside of the sample."""
        from ..data.reading import Reading

        classes = split_names(self.classes)
        scale, zero = (number(name, text) for name, text in (("--scale", self.scale), ("--zero", self.zero)))
        return Reading(
            self.labels, self.label, self.test, self.test_labels, classes, self.header, scale, zero, self.resize,
            self.sample_rate, self.length, expected, beside,
        )  # fmt: skip

    def files(self) -> tuple[Path | None, ...]:
        """Return the files that are read beside --data."""
        return self.labels, self.test, self.test_labels

    def read(self, path: Path, expected: Expected | None, beside: str | None = None) -> Dataset:
        """Return the samples of a file or folder.

        beside: a column of a table outside of the sample, for Dataset.more. Raises DataError.
        """
        from ..data.dataset import Dataset

        return Dataset.read(path, reading=self.reading(expected, beside))


#: The decorator of commands that read samples.
with_samples = with_shared("sample_options", SampleOptions)


def split_names(text: str | None) -> tuple[str, ...] | None:
    """Return the comma-separated names of an option."""
    return None if text is None else tuple(name.strip() for name in text.split(","))


def number(option: str, text: str | None) -> float | None:
    """Return the value of an option: a number, or a quotient such as 1/255."""
    if text is None:
        return None
    try:
        parts = [float(part) for part in text.split("/")]
        value = parts[0] if len(parts) == 1 else parts[0] / parts[1]
    except (ValueError, ZeroDivisionError):
        value = math.nan
    if text.count("/") > 1 or not math.isfinite(value):
        raise typer.BadParameter(f"{option} {text}: write a number, or a quotient such as 1/255")
    return value


def print_notes(data: Dataset) -> None:
    """Print on stderr what was changed in the samples, and which of them are not finite."""
    import logging

    from ..data.check import not_finite

    if not is_quiet():
        for note in data.notes:
            o.tell(note)
    for text in not_finite(data):
        logging.getLogger("gradmote.data").warning("%s", text)
