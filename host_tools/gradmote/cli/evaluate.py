"""The command `gradmote evaluate`, which shows how well a model does on samples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import DataError
from . import options as o
from .messages import is_quiet
from .output import require_apart, say, say_json
from .samples import SampleOptions, print_notes, with_samples
from .train import Data, On, Threads

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..device.target import Target
    from ..report.evaluation import EvaluationReport

#: The word for the parameters in the image.
INITIAL = "initial"

Image = Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="What `gradmote compile` wrote (.mote).")]
Checkpoint = Annotated[
    Path | None,
    typer.Option("--checkpoint", exists=True, dir_okay=False, help="What was learned (.gmck); else as in the image."),
]
Against = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="FILE",
        help="Compare with another checkpoint of this model (.gmck), with another model (.mote), or with `initial`, "
        "the parameters in the image. Always on the twin, so that a board keeps what it has learned.",
    ),
]
Worst = Annotated[int, typer.Option("--worst", min=0, metavar="N", help="How many samples to name.")]
Png = Annotated[
    Path | None,
    typer.Option("--png", help="Draw the confusion matrix, and a single score's ROC (needs: pip install matplotlib)."),
]


@with_samples
def command(
    image: Image,
    data: Data,
    sample_options: SampleOptions,
    checkpoint: Checkpoint = None,
    against: Against = None,
    on: On = "twin",
    threads: Threads = 1,
    worst: Worst = 10,
    png: Png = None,
    as_json: o.AsJson = False,
) -> None:
    """Show how well a model does: `gradmote evaluate model.mote --data digits.npz`.

    Takes the test samples (x_test and y_test, or --test) if there are any, else all. For classes it
    shows accuracy, precision, recall and F1 of each, the confusion matrix, and calibration; for a
    single score also the ROC curve and its best threshold; for numbers their errors. The samples that
    the model gets most wrong are named by their index. For an autoencoder, a label of 1 marks an
    anomaly: the ROC curve is that of its error.

    A board that holds this model is evaluated as it is, with what it has learned. Before and after:
    `gradmote evaluate model.mote --data digits.npz --checkpoint learned.gmck --against initial`.
    """
    from ..formats.files import Output

    require_apart(png, image, data, checkpoint, *sample_options.files())
    picture = None if png is None else Output(png)
    other = _other(image, against)
    samples, which = _samples(image, data, sample_options)
    if not (as_json or is_quiet()):
        o.tell(which)
    reports = [_evaluated(image, checkpoint, samples, on, threads, worst)]
    reports += [_evaluated(path, kept, samples, "twin", threads, worst) for path, kept in other]
    if picture is not None:
        _draw(reports[0], picture)
    if as_json:
        found: dict[str, Any] = {"file": str(data), "samples": which, **reports[0].as_dict()}
        say_json({**found, "against": reports[1].as_dict()} if other else found)
    else:
        _show(reports, (against or "", str(checkpoint or image.name)))


def _other(image: Path, against: str | None) -> list[tuple[Path, Path | None]]:
    """Return the image and checkpoint to compare with, if any. Raises DataError."""
    if against is None:
        return []
    if against == INITIAL:
        return [(image, None)]
    path = Path(against)
    if path.suffix not in (".mote", ".gmck") or not path.is_file():
        raise DataError(f"--against {against}: it is not a .mote or .gmck file", f"name one, or say {INITIAL}")
    return [(path, None)] if path.suffix == ".mote" else [(image, path)]


def _samples(image: Path, data: Path, sample_options: SampleOptions) -> tuple[Dataset, str]:
    """Return the samples, those to evaluate as its test set, and a sentence on which they are."""
    from dataclasses import replace

    from ..data.check import require_fit, require_samples
    from ..data.expected import expected_of_image
    from ..metrics.detection import are_marks

    expected = expected_of_image(image.read_bytes(), image.name)
    samples = sample_options.read(data, expected)
    print_notes(samples)
    marks = samples.y if samples.x_test is None else samples.y_test
    if expected.tensor("label", 0) is None or (expected.rebuilds() and are_marks(marks)):
        require_samples(samples, expected)
    else:
        require_fit(samples, expected, micro_batches=0)
    samples = replace(samples, classes=samples.classes or expected.classes or None)
    if samples.x_test is not None:
        return samples, f"evaluates the {len(samples.x_test):,} samples to test on"
    if samples.y is None:
        raise DataError("the samples have no labels", "give y, or --labels")
    every = replace(samples, x_test=samples.x, y_test=samples.y, more_test=samples.more)
    return every, f"evaluates all {len(samples.x):,} samples: none are set apart to test on"


def _evaluated(
    image: Path, checkpoint: Path | None, samples: Dataset, on: str, threads: int, worst: int
) -> EvaluationReport:
    """Return the report on an image with a checkpoint."""
    from ..device.progress import samples_bar
    from ..device.target_factory import open_target
    from ..report.evaluation import evaluation
    from .watching import watching

    with watching(is_quiet()) as watch:
        target = open_target(on, threads=threads, apart=True, image=image, watch=watch)
    with target:
        _load(target, image, checkpoint)
        with samples_bar(f"evaluate {(checkpoint or image).name}") as progress:
            return evaluation(target, samples, worst=worst, progress=progress)


def _load(target: Target, image: Path, checkpoint: Path | None) -> None:
    """Load the image, unless a board holds it, and the checkpoint."""
    from ..device.progress import load_with_progress
    from ..formats.checkpoint import file_bytes
    from ..formats.image import read_image

    given = image.read_bytes()
    held = target.info().model_id
    if held != read_image(given).model_id or checkpoint is not None:
        load_with_progress(target, given, image.name, is_quiet())
    elif not is_quiet():
        o.tell(f"{target.name} holds this model, and is evaluated with what it has learned")
    if checkpoint is not None:
        target.load(file_bytes(checkpoint))


def _draw(report: EvaluationReport, picture: Any) -> None:
    from ..report.evaluation.picture import drawn
    from ..report.pictures import encoded

    picture.write(encoded(drawn(report), picture.path, dpi=120))


def _show(reports: list[EvaluationReport], names: tuple[str, str]) -> None:
    from ..report.evaluation.tables import compared, tables
    from ..terminal.terminal import console, table

    out = console()
    found = tables(reports[0]) if len(reports) == 1 else compared(names, (reports[1], reports[0]))
    for title, rows in found:
        out.print(table(title, rows))
    if len(reports) > 1:
        say("Without --against: confusion, calibration and the worst samples.")
