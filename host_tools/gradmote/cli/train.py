"""The command `gradmote train`, which trains a compiled model on a board or on the twin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import DataError
from . import options as o
from .course import Asked, Course, CourseOptions, with_course
from .messages import is_quiet
from .output import require_apart
from .samples import SampleOptions, print_notes, with_samples
from .stopping import Stop, stopping
from .watching import watching

if TYPE_CHECKING:
    from ..data.augment import Augmentation
    from ..data.dataset import Dataset
    from ..data.expected import Expected
    from ..device.evaluation import Evaluation
    from ..device.fitting import Fit
    from ..device.target import Target

Image = Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="What `gradmote compile` wrote (.mote).")]
Data = Annotated[
    Path,
    typer.Option(
        "--data",
        exists=True,
        help="An .npz file with arrays x and y, and x_test and y_test if you want a test; an .npy with x alone, and "
        "--labels; a .csv, whose last column is the label; or a folder with a folder of PNG, JPEG or WAV files for "
        "each class. x: numbers, or uint8 with scalars scale and zero. y: class indices, names or targets. Further "
        "inputs and labels, such as mask, go by their names in the model. `gradmote data` shows all of it.",
    ),
]
On = Annotated[
    str,
    typer.Option(
        "--on",
        metavar="TARGET",
        help="twin (this computer; twin:strict for the bits of a Cortex-M0 to M4F or M33), qemu:mps2-an386 (an "
        "emulated board), or a board's port: /dev/ttyACM0, COM3, socket://host:port.",
    ),
]
Threads = Annotated[
    int,
    typer.Option(
        "--threads", min=1, max=16, help="Threads of this computer that share large batches on the twin. Same bits."
    ),
]
Epochs = Annotated[int, typer.Option("--epochs", min=0, help="Passes over the data. 0 only tests.")]
Order = Annotated[int, typer.Option("--batch-order", min=0, help="Seed of the shuffling: same seed, same bits.")]
Rate = Annotated[float | None, typer.Option("--lr", help="Learning rate, instead of the one compiled in.")]
MicroBatches = Annotated[
    int,
    typer.Option("--micro-batches", min=1, help="Batches averaged in one update, of an image that keeps gradients."),
]
Warmup = Annotated[
    int | None,
    typer.Option(
        "--warmup",
        min=0,
        metavar="STEPS",
        help="The rate rises for this many steps; then, without --schedule, it falls to 0 at the last one, and "
        "needs --lr.",
    ),
]
Checkpoint = Annotated[Path | None, typer.Option("--checkpoint", help="Write what was learned here (.gmck).")]
SaveEvery = Annotated[
    int | None,
    typer.Option(
        "--save-every",
        min=0,
        metavar="N",
        help="Keep a checkpoint after each N updates: a board in its flash, the twin in --checkpoint. 0: never.",
    ),
]
Resume = Annotated[
    Path | None, typer.Option("--resume", exists=True, dir_okay=False, help="Go on from this checkpoint (.gmck).")
]
Half = Annotated[
    bool,
    typer.Option(
        "--half",
        help="For slow links: --checkpoint and --resume travel in about half the bytes, float32 numbers in 16 bits.",
    ),
]
CarryOver = Annotated[
    bool,
    typer.Option("--carry-over", help="Update the board from the model that it has, and keep of its state what fits."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the progress bar and the table.")]


@with_samples
@with_course
def command(
    image: Image,
    data: Data,
    sample_options: SampleOptions,
    course: CourseOptions,
    on: On = "twin",
    threads: Threads = 1,
    epochs: Epochs = 1,
    micro_batches: MicroBatches = 1,
    batch_order: Order = 0,
    lr: Rate = None,
    warmup: Warmup = None,
    checkpoint: Checkpoint = None,
    save_every: SaveEvery = None,
    resume: Resume = None,
    half: Half = False,
    carry_over: CarryOver = False,
    as_json: Json = False,
) -> None:
    """Train a compiled model: `gradmote train model.mote --data digits.npz --on qemu:mps2-an386`.

    Ctrl-C, SIGTERM or a closed terminal ends it after the current step and still writes the
    checkpoint; the exit status is 130, 143 or 129 then, and --continue goes on.
    """
    from .course_files import CourseFiles
    from .train_report import report

    asked = Asked(epochs, batch_order, micro_batches, lr, warmup, half)
    course.require(checkpoint, resume, asked)
    require_apart(checkpoint, image, data, *sample_options.files())
    require_apart(course.log, image, data, *sample_options.files())
    files = CourseFiles(checkpoint, course.log, course.keep_best)
    samples = _samples(image, data, sample_options, micro_batches, course.augmentation())
    parted = course.parted(samples, batch_order)
    quiet = as_json or is_quiet()
    with stopping() as stop, _opened(on, threads, image, quiet) as target:
        _prepare(target, image, checkpoint if course.goes_on else resume, half, carry_over, quiet)
        begun = Course(target, image.read_bytes(), parted, course, asked, files)
        _save_to(target, begun, save_every)
        begun.begin()
        stop.waits = True
        result = _train(target, parted, begun, save_every, quiet, stop)
        if checkpoint is not None:
            begun.end(target.save(half) if result.last is None else result.last)
        tested = _tested(target, samples, course, stop)
        begun.on_test(result, tested)
        report(target, result, begun, tested, as_json, stop, samples)
        stop.leave()


def _samples(
    image: Path, data: Path, sample_options: SampleOptions, micro_batches: int, augmentation: Augmentation | None
) -> Dataset:
    """Return the samples after checking that they fit the model, before building firmware or opening boards."""
    from ..data.check import require_fit
    from ..data.expected import expected_of_image
    from ..device.fitting import require_training

    expected = expected_of_image(image.read_bytes(), image.name)
    require_training(expected.programs, micro_batches)
    samples = sample_options.read(data, expected)
    print_notes(samples)
    require_fit(samples, expected, micro_batches)
    if augmentation is not None:
        _require_fit_of(augmentation, samples, expected)
    return samples


def _require_fit_of(augmentation: Augmentation, samples: Dataset, expected: Expected) -> None:
    """Say what changes of the samples; raise DataError if the model's input does not allow it."""
    from ..data.augment import Augmenter

    tensor = expected.tensor("input", 0)
    assert tensor is not None  # samples fit it
    shape = (expected.batch or 1, *(length or 1 for length in tensor.shape))
    said = Augmenter(augmentation, samples, shape, tensor.dtype).said()
    if not is_quiet():
        o.tell(said)


def _opened(on: str, threads: int, image: Path, quiet: bool) -> Target:
    from ..device.target_factory import open_target

    with watching(quiet) as watch:
        return open_target(on, threads=threads, apart=True, image=image, watch=watch)


def _prepare(target: Target, image: Path, resume: Path | None, half: bool, carry_over: bool, quiet: bool) -> None:
    from ..device.progress import load_with_progress, update_with_progress
    from ..formats.checkpoint import as_half, file_bytes
    from . import update

    if carry_over:
        done = update_with_progress(target, image.read_bytes(), image.name, quiet=quiet)
        if not quiet:
            update.show(done)
    else:
        load_with_progress(target, image.read_bytes(), image.name, quiet)
    if resume is not None:
        kept = file_bytes(resume)
        target.load(as_half(kept) if half else kept)


def _save_to(target: Target, course: Course, save_every: int | None) -> None:
    """Prepare for checkpoints: the twin has no flash, so it saves to the output file."""
    from ..device.twin_target import TwinTarget

    course.files.require_room(target.info().state_size)
    if save_every and isinstance(target, TwinTarget):
        if course.files.checkpoint is None:
            raise DataError("--save-every on the twin without --checkpoint", "say where: --checkpoint learned.gmck")
        target.on_save = course.save


def _train(target: Target, samples: Dataset, course: Course, save_every: int | None, quiet: bool, stop: Stop) -> Fit:
    from ..device.progress import fit_with_progress

    asked, options = course.asked, course.options
    return fit_with_progress(
        target,
        samples,
        asked.epochs,
        asked.seed,
        should_stop=lambda: bool(stop),
        quiet=quiet,
        micro_batches=asked.micro_batches,
        save_every=save_every,
        on_step=course.on_step,
        on_epoch=course.on_epoch,
        schedule=course.schedule,
        keep_best=options.keep_best,
        patience=options.patience,
        on_best=course.on_best,
        judged=options.judged,
        start=course.start,
        best=course.best,
        augment=options.augmentation(),
    )


def _tested(target: Target, samples: Dataset, course: CourseOptions, stop: Stop) -> Evaluation | None:
    """Return the result on the samples to test on, which --validate leaves for the end; None without them."""
    from ..device.progress import evaluate_with_progress

    if course.validate is None or samples.x_test is None or stop:
        return None
    return evaluate_with_progress(target, samples)
