"""How a training goes: what it is judged on, its schedule, when it ends, what is kept of it, and how it goes on."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import DataError
from . import options as o
from .messages import is_quiet
from .shared_options import with_shared

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..device.fitting import Best, Epoch
    from ..device.schedules import Schedule, Steps
    from ..device.target import Target

Validate = Annotated[
    float | None,
    typer.Option(
        "--validate",
        metavar="SHARE",
        help="Set this share of each class apart (0.1), and test on it after each epoch; the samples to test on are "
        "then for the end alone.",
    ),
]
KeepBest = Annotated[
    bool,
    typer.Option(
        "--keep-best",
        help="End with the state after the epoch that did best on --validate, and write it beside --checkpoint "
        "(.best.gmck).",
    ),
]
Patience = Annotated[
    int | None,
    typer.Option("--patience", min=1, metavar="EPOCHS", help="End after so many epochs without a better one."),
]
ScheduleName = Annotated[
    str | None,
    typer.Option(
        "--schedule",
        metavar="NAME",
        help="The rate over all updates: cosine, step:10:0.1 (times 0.1 after each 10 epochs), or one-cycle; each but "
        "one-cycle after --warmup. Set from here before each update.",
    ),
]
Log = Annotated[
    Path | None, typer.Option("--log", metavar="FILE", help="Write a row for each epoch (.csv), as they end.")
]
Continue = Annotated[
    bool,
    typer.Option(
        "--continue",
        help="Go on with the run that left --checkpoint: same options, to the end of --epochs, to the bits of a run "
        "without a break.",
    ),
]
Backup = Annotated[
    bool, typer.Option("--backup/--no-backup", help="Keep a --checkpoint that was there before, as NAME.before.gmck.")
]


@dataclass(frozen=True)
class CourseOptions:
    """The options of the command line for the course of a training. Each field is an option."""

    validate: Validate = None
    keep_best: KeepBest = False
    patience: Patience = None
    schedule: ScheduleName = None
    log: Log = None
    goes_on: Continue = False
    backup: Backup = True

    def require(self, checkpoint: Path | None, resume: Path | None, lr: float | None, warmup: int | None) -> None:
        """Raise DataError for options that need others, and OutputError for a log that cannot be written."""
        from ..formats.files import Output

        if (self.keep_best or self.patience is not None) and self.validate is None:
            raise DataError(
                "--keep-best and --patience choose by the samples that --validate sets apart",
                "say how many: --validate 0.1; a choice by the test samples would flatter the test",
            )
        if self.goes_on and (checkpoint is None or resume is not None):
            raise DataError("--continue goes on from --checkpoint", "name it, and leave out --resume")
        if self.log is not None:
            Output(self.log)
        if warmup is not None and lr is None and self.schedule is None:
            raise DataError("--warmup without --lr", "say which rate the schedule reaches: --lr 0.01")

    def parted(self, samples: Dataset, seed: int) -> Dataset:
        """Return the samples to train on, with those that --validate sets apart as their test set."""
        from ..data.split import split

        if self.validate is None:
            return samples
        rest, apart = split(samples, self.validate, seed)
        return replace(rest, x_test=apart.x, y_test=apart.y, more_test=apart.more)


#: The decorator of the command that trains.
with_course = with_shared("course", CourseOptions)


@dataclass(frozen=True)
class Asked:
    """The other options that a training depends on."""

    epochs: int
    seed: int
    micro_batches: int
    lr: float | None
    warmup: int | None
    checkpoint: Path | None


class Course:
    """A training from its beginning: its schedule, its best epoch so far, and what it writes on the way."""

    def __init__(self, target: Target, image: bytes, samples: Dataset, options: CourseOptions, asked: Asked) -> None:
        """Begin or go on. The target has the image, and the checkpoint to go on from. Raises DataError."""
        from ..device.run_file import Run, data_digest, digest, read_run
        from ..device.schedules import Steps

        each = len(samples.x) // (target.info().batch * asked.micro_batches)
        settings = _settings(options, asked) | {"image": digest([image]), "data": data_digest(samples)}
        self.options, self.asked, self.best, self.start = options, asked, None, (1, 0)
        if options.goes_on and asked.checkpoint is not None:
            path = beside(asked.checkpoint, "run.json")
            self.run = read_run(path)
            self.run.require(settings, path)
            self.start = self.run.position(asked.checkpoint.read_bytes(), each)
            self.best = self.run.best_epoch(best_of(asked.checkpoint))
            _require_rest(self.start, asked.epochs)
        else:
            _set_rate(target, options, asked, asked.epochs * each)
            metrics = target.metrics()
            first = metrics.optimizer_steps + metrics.skipped_steps
            self.run = Run(settings | {"rate": metrics.learning_rate}, first)
        self.schedule = self._schedule(Steps(asked.epochs, each))

    def _schedule(self, steps: Steps) -> Schedule | None:
        """Return the schedule that is set from here, or None."""
        from ..device.schedules import schedule

        if self.options.schedule is None:
            return None
        return schedule(self.options.schedule, self.run.settings["rate"], steps, self.asked.warmup or 0)

    def begin(self) -> None:
        """Keep the checkpoint of before, and write the run and its log so far."""
        if self.options.backup and not self.options.goes_on and self.asked.checkpoint is not None:
            for path in (self.asked.checkpoint, best_of(self.asked.checkpoint)):
                keep_before(path)
        self._write()

    def on_epoch(self, epoch: Epoch) -> None:
        """Write an epoch that has ended."""
        self.run.epochs.append(epoch)
        self._write()

    def on_best(self, best: Best) -> None:
        """Write the best state so far."""
        from ..formats.files import write_atomically

        self.run.best = best.epoch
        if self.asked.checkpoint is not None and best.checkpoint:
            write_atomically(best_of(self.asked.checkpoint), best.checkpoint)

    def _write(self) -> None:
        from ..formats.files import write_atomically

        if self.asked.checkpoint is not None:
            self.run.write(beside(self.asked.checkpoint, "run.json"))
        if self.options.log is not None:
            write_atomically(self.options.log, as_csv(self.run.epochs).encode())


def _settings(options: CourseOptions, asked: Asked) -> dict[str, Any]:
    """Return the options that a run keeps; epochs count only if the rate depends on their number."""
    given: dict[str, Any] = {"seed": asked.seed, "micro_batches": asked.micro_batches, "warmup": asked.warmup}
    given |= {name: getattr(options, name) for name in ("validate", "schedule", "keep_best", "patience")}
    depends = options.schedule is not None or asked.warmup is not None
    return given | {"lr": asked.lr, "epochs": asked.epochs if depends else None}


def _require_rest(start: tuple[int, int], epochs: int) -> None:
    """Raise DataError if nothing is left of a training."""
    if start[0] > epochs:
        raise DataError(f"the run has done its {epochs} epochs", "ask for more --epochs, or leave out --continue")


def _set_rate(target: Target, options: CourseOptions, asked: Asked, steps: int) -> None:
    """Set a constant rate, or the linear schedule; without either, the rate is unchanged."""
    if asked.lr is None:
        return
    if asked.warmup is not None and options.schedule is None:
        target.set_linear_schedule(asked.lr, asked.warmup, steps)
    else:
        target.set_learning_rate(asked.lr)


# ---- Files beside the checkpoint ------------------------------------------------------------------------------------


def beside(checkpoint: Path, what: str) -> Path:
    """Return the path of learned.WHAT.gmck, or learned.run.json, beside learned.gmck."""
    return checkpoint.with_name(f"{checkpoint.stem}.{what}")


def keep_before(checkpoint: Path) -> None:
    """Copy a checkpoint that will be written over."""
    from ..formats.files import write_atomically

    if not checkpoint.is_file():
        return
    before = beside(checkpoint, f"before{checkpoint.suffix}")
    write_atomically(before, checkpoint.read_bytes())
    if not is_quiet():
        o.tell(f"keeps the {checkpoint.name} of before as {before.name}")


def best_of(checkpoint: Path) -> Path:
    """Return the path of the best epoch's checkpoint."""
    return beside(checkpoint, f"best{checkpoint.suffix}")


def as_csv(epochs: list[Epoch]) -> str:
    """Return a row for each epoch; a number that is not there is left empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("epoch", "loss", "test_loss", "test_accuracy", "samples", "seconds", "skipped"))
    for epoch in epochs:
        test = (epoch.test.loss, epoch.test.accuracy) if epoch.test else (math.nan, math.nan)
        row = (epoch.epoch, epoch.loss, *test, epoch.samples, epoch.seconds, epoch.skipped)
        writer.writerow("" if isinstance(cell, float) and math.isnan(cell) else cell for cell in row)
    return text.getvalue()
