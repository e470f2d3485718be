"""The command `gradmote data`, which shows samples, and whether a model takes them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as o
from .output import say, say_json
from .samples import SampleOptions, print_notes, with_samples

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..data.expected import Expected

File = Annotated[Path, typer.Argument(metavar="FILE", exists=True, help="An .npz, .npy or .csv file, or a folder.")]
Model = Annotated[
    Path | None,
    typer.Option(
        "--model", exists=True, dir_okay=False, help="Also say whether this model (.mote or .onnx) takes them."
    ),
]


@with_samples
def command(file: File, sample_options: SampleOptions, model: Model = None, as_json: o.AsJson = False) -> None:
    """Show samples: shapes, ranges, classes, and whether a model takes them.

    `gradmote data digits.npz` reads arrays x and y, and x_test and y_test. `gradmote data x.npy
    --labels y.npy` reads them from two files.

    `gradmote data table.csv --label species` uses one column as the label, and the others, in their
    order, as the sample. Labels may be names: they are numbered in alphabetical order, or in the order
    of --classes.

    `gradmote data faces --model model.mote --resize` reads PNG or JPEG files from faces/NAME/, and
    NAME is the class. `gradmote data words --length 16000` does the same with WAV files.

    With --model the exit status is 1 if the samples do not fit. `gradmote train` takes the same files
    with the same options.
    """
    from ..data.expected import expected_of

    expected = None if model is None else expected_of(model)
    samples = sample_options.read(file, expected)
    print_notes(samples)
    if as_json:
        show_json(file, samples, expected)
    else:
        show(file, samples, expected)


def show_json(file: Path, samples: Dataset, expected: Expected | None) -> None:
    """Print one JSON object, and exit with status 1 if the samples do not fit."""
    from ..report.data_report import as_dict

    found = as_dict(file, samples, expected)
    say_json(found)
    if expected is not None and not found["model"]["fits"]:
        raise typer.Exit(1)


def show(file: Path, samples: Dataset, expected: Expected | None) -> None:
    """Print the tables. Raises DataError if the samples do not fit."""
    from ..data.check import require_fit
    from ..report import data_report
    from ..terminal.terminal import console, table

    out = console()
    out.print(table(*data_report.array_table(file, samples)))
    classes = data_report.class_table(samples)
    if classes is not None:
        out.print(table(*classes))
    for line in samples.converted:
        say(line)
    if expected is not None:
        out.print(table(*data_report.model_table(samples, expected)))
        require_fit(samples, expected)
        say(data_report.verdict(samples, expected))
