"""The command `gradmote train`, which trains a compiled model on a board or on the twin."""

from __future__ import annotations

import math
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import DataError, OutputError
from ..terminal.printable import finite
from . import options as o
from .messages import is_quiet
from .output import say, say_json
from .samples import SampleOptions, print_notes, with_samples
from .stopping import Stop, stopping
from .watching import watching

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..device.fitting import Fit
    from ..device.target import Target
    from ..device.types import Saves
    from ..formats.files import Output

#: The lowest number of erase cycles in data sheets of microcontrollers' flash.
ERASE_CYCLES = 10_000

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
        help="twin (this computer), qemu:mps2-an386 (an emulated board), or a board's port: /dev/ttyACM0, COM3, "
        "socket://host:port.",
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
        help="Linear schedule: the rate rises for this many steps, then falls to 0 at the last one. Needs --lr.",
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
def command(
    image: Image,
    data: Data,
    sample_options: SampleOptions,
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
    checkpoint; the exit status is 130, 143 or 129 then.
    """
    from ..formats.files import Output

    output = None if checkpoint is None else Output(checkpoint)
    samples = _samples(image, data, sample_options, micro_batches)
    quiet = as_json or is_quiet()
    with stopping() as stop, _opened(on, threads, image, quiet) as target:
        _prepare(target, image, resume, half, carry_over, as_json)
        _set_rate(target, lr, warmup, epochs * (len(samples.x) // (target.info().batch * micro_batches)))
        _save_to(target, output, save_every)
        stop.waits = True
        result = _train(target, samples, epochs, batch_order, micro_batches, save_every, quiet, stop)
        if output is not None:
            output.write(target.save(half))
        _report(target, result, checkpoint, as_json, stop, samples)
        stop.leave()


def _samples(image: Path, data: Path, sample_options: SampleOptions, micro_batches: int) -> Dataset:
    """Return the samples after checking that they fit the model, before building firmware or opening boards."""
    from ..data.check import require_fit
    from ..data.expected import expected_of_image
    from ..device.fitting import require_training

    expected = expected_of_image(image.read_bytes(), image.name)
    require_training(expected.programs, micro_batches)
    samples = sample_options.read(data, expected)
    print_notes(samples)
    require_fit(samples, expected, micro_batches)
    return samples


def _opened(on: str, threads: int, image: Path, quiet: bool) -> Target:
    from ..device.target_factory import open_target

    with watching(quiet) as watch:
        return open_target(on, threads=threads, apart=True, image=image, watch=watch)


def _prepare(target: Target, image: Path, resume: Path | None, half: bool, carry_over: bool, quiet: bool) -> None:
    from ..device.progress import load_with_progress, update_with_progress
    from ..formats.checkpoint import as_half
    from . import update

    if carry_over:
        done = update_with_progress(target, image.read_bytes(), image.name, quiet=quiet)
        if not quiet:
            update.show(done)
    else:
        load_with_progress(target, image.read_bytes(), image.name, quiet)
    if resume is not None:
        kept = resume.read_bytes()
        target.load(as_half(kept) if half else kept)


def _set_rate(target: Target, rate: float | None, warmup: int | None, steps: int) -> None:
    """Set a constant rate, or the linear schedule; without either, the rate is unchanged."""
    if warmup is not None and rate is None:
        raise DataError("--warmup without --lr", "say which rate the schedule reaches: --lr 0.01")
    if warmup is not None and rate is not None:
        target.set_linear_schedule(rate, warmup, steps)
    elif rate is not None:
        target.set_learning_rate(rate)


def _save_to(target: Target, output: Output | None, save_every: int | None) -> None:
    """Prepare for checkpoints: the twin has no flash, so it saves to the output file."""
    from ..device.twin_target import TwinTarget

    if output is not None:
        output.require_room(target.info().state_size)
    if save_every and isinstance(target, TwinTarget):
        if output is None:
            raise DataError("--save-every on the twin without --checkpoint", "say where: --checkpoint learned.gmck")
        target.on_save = partial(_save_on_the_way, output)


def _save_on_the_way(output: Output, checkpoint: bytes) -> None:
    """Write a checkpoint; a failure does not end the training, because the next write may succeed."""
    try:
        output.replace(checkpoint)
    except OutputError as error:
        o.tell(f"a save on the way failed, and the training goes on: {error}")


def _train(
    target: Target,
    samples: Any,
    epochs: int,
    seed: int,
    micro_batches: int,
    save_every: int | None,
    quiet: bool,
    stop: Stop,
) -> Fit:
    from ..device.progress import fit_with_progress

    return fit_with_progress(
        target,
        samples,
        epochs,
        seed,
        should_stop=lambda: bool(stop),
        quiet=quiet,
        micro_batches=micro_batches,
        save_every=save_every,
    )


# ---- The report -----------------------------------------------------------------------------------------------------


def _report(target: Target, result: Fit, checkpoint: Path | None, as_json: bool, stop: Stop, samples: Dataset) -> None:
    if as_json:
        say_json(finite({**_summary(target, result, checkpoint), "data": [*samples.notes, *samples.converted]}))
        return
    from ..terminal.terminal import Console

    console = Console()
    console.print(_table(result))
    if result.dropped:
        console.print(f"{result.dropped} samples an epoch did not fill a batch and were left out, others each time")
    for line in samples.converted:
        say(line)
    if result.stopped:
        console.print(_stopped(result, checkpoint, stop))
    elif not result.metrics and not any(epoch.test for epoch in result.epochs):
        console.print("nothing was trained (--epochs 0), or tested: the data has no x_test and y_test")
    if result.skipped:
        console.print(_skipped(result))
    if result.saves is not None:
        console.print(_saves(result.saves))
    memory = target.mem()
    if memory is not None:
        console.print(
            f"{target.name}: arena {memory.arena_required:,} of {memory.arena_available:,} bytes, stack "
            f"{memory.stack_used:,} of {memory.stack_size:,}, static {memory.static_ram:,}, code {memory.code:,}"
        )
    if checkpoint is not None:
        console.print(f"wrote {checkpoint}")


def _stopped(result: Fit, checkpoint: Path | None, stop: Stop) -> str:
    after = f" after update {result.metrics.optimizer_steps:,}" if result.metrics else ""
    where = (
        f"what was learned until then is in {checkpoint}" if checkpoint else "no --checkpoint keeps what was learned"
    )
    return f"stopped by {stop.name}{after}; {where}"


def _skipped(result: Fit) -> str:
    from ..device.fitting import NOT_FINITE_MEANS, SKIPPED_HINT

    return f"{result.skipped} steps skipped: {NOT_FINITE_MEANS} - {SKIPPED_HINT}"


def _saves(saves: Saves) -> str:
    """Return how often the target saved, why a save failed, and how long the flash lasts."""
    from ..device.protocol import error_of

    text = f"saved {saves.saves} times, every {saves.every:,} updates" if saves.every else "never saved on the way"
    if saves.error:
        text += f"; the last one failed: {error_of(saves.error, 'save')}"
    if saves.every and saves.slots:
        lasts = saves.every * saves.slots * ERASE_CYCLES
        text += f"\n{saves.slots} checkpoint slots take turns; {ERASE_CYCLES:,} erases of each last {lasts:,} updates"
    return text


def _table(result: Fit) -> Any:
    from rich.table import Table

    more = ["skipped"] if result.skipped else []
    table = Table("epoch", "loss", "test loss", "accuracy", "samples/s", *more, box=None)
    for epoch in result.epochs:
        test = (_shown(epoch.test.loss, ".4f"), _shown(epoch.test.accuracy, ".2%")) if epoch.test else ("", "")
        rate = epoch.samples / epoch.seconds if epoch.seconds else 0.0
        skipped = [str(epoch.skipped)] if result.skipped else []
        table.add_row(str(epoch.epoch), _shown(epoch.loss, ".4f"), *test, f"{rate:.0f}" if rate else "", *skipped)
    return table


def _shown(value: float, form: str) -> str:
    """Return the number as text, or "" for NaN: without training, classes or a full batch."""
    return "" if math.isnan(value) else format(value, form)


def _summary(target: Target, result: Fit, checkpoint: Path | None) -> dict[str, Any]:
    memory = target.mem()
    return {
        "target": target.name,
        "epochs": [asdict(epoch) for epoch in result.epochs],
        "dropped": result.dropped,
        "stopped": result.stopped,
        "skipped": result.skipped,
        "metrics": asdict(result.metrics) if result.metrics else None,
        "memory": asdict(memory) if memory else None,
        "saves": asdict(result.saves) if result.saves else None,
        "checkpoint": str(checkpoint) if checkpoint else None,
    }
