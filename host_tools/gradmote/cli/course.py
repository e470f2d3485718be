"""How a training goes: what it is judged on, its schedule, when it ends, what is kept of it, and how it goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import DataError, OutputError
from . import options as o
from .shared_options import with_shared

if TYPE_CHECKING:
    from ..data.augment import Augmentation
    from ..data.dataset import Dataset
    from ..device.evaluation import Evaluation
    from ..device.fitting import Best, Epoch, Fit, Step
    from ..device.schedules import Schedule, Steps
    from ..device.target import Target
    from ..report.tensorboard import EventLog
    from .course_files import CourseFiles

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
Augment = Annotated[
    str | None,
    typer.Option(
        "--augment",
        metavar="CHANGES",
        help="Change each sample by chance when it trains: noise:0.05,scale:0.1,shift:2,crop:2,flip, or some of "
        "them. By --batch-order, with the same bits on every target; samples to test on stay.",
    ),
]
Log = Annotated[
    Path | None, typer.Option("--log", metavar="FILE", help="Write a row for each epoch (.csv), as they end.")
]
TensorBoard = Annotated[
    Path | None,
    typer.Option(
        "--tensorboard",
        metavar="DIR",
        help="Write loss, rate and skipped steps of each update and the test of each epoch here, for TensorBoard.",
    ),
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
    augment: Augment = None
    log: Log = None
    tensorboard: TensorBoard = None
    goes_on: Continue = False
    backup: Backup = True

    def require(self, checkpoint: Path | None, resume: Path | None, asked: Asked) -> None:
        """Raise DataError for options that need others."""
        if (self.keep_best or self.patience is not None) and self.validate is None:
            raise DataError(
                "--keep-best and --patience choose by the samples that --validate sets apart",
                "say how many: --validate 0.1; a choice by the test samples would flatter the test",
            )
        if self.goes_on and (checkpoint is None or resume is not None):
            raise DataError("--continue goes on from --checkpoint", "name it, and leave out --resume")
        if self.goes_on and checkpoint is not None and not checkpoint.is_file():
            raise DataError(
                f"--continue goes on from {checkpoint}, and there is no such file",
                "begin the training without --continue, or name the checkpoint that it left",
            )
        if self.goes_on and asked.half:
            raise DataError("--continue needs all bits, and --half keeps 16 bits of each", "leave out one of them")
        if asked.warmup is not None and asked.lr is None and self.schedule is None:
            raise DataError("--warmup without --lr", "say which rate the schedule reaches: --lr 0.01")
        self.augmentation()
        if self.tensorboard is not None:
            from ..report.tensorboard import require_tensorboard

            require_tensorboard(self.tensorboard, self.goes_on)

    @property
    def judged(self) -> str:
        """The name of the samples that epochs are tested on."""
        return "test" if self.validate is None else "validation"

    def augmentation(self) -> Augmentation | None:
        """Return what --augment says. Raises DataError."""
        from ..data.augment import Augmentation

        return None if self.augment is None else Augmentation.parse(self.augment)

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
    half: bool


class Course:
    """A training from its beginning: its schedule, its best epoch so far, and what it writes on the way."""

    def __init__(
        self, target: Target, image: bytes, samples: Dataset, options: CourseOptions, asked: Asked, files: CourseFiles
    ) -> None:
        """Begin or go on. The target has the image, and the checkpoint to go on from. Raises DataError."""
        from ..device.run_file import Run, data_digest, digest
        from ..device.schedules import Steps

        each = len(samples.x) // (target.info().batch * asked.micro_batches)
        settings = _settings(options, asked) | {"image": digest([image]), "data": data_digest(samples)}
        self.options, self.asked, self.files, self.best, self.start = options, asked, files, None, (1, 0)
        if options.goes_on:
            self.run, self.start, self.best = files.read(settings, each)
            _require_rest(self.start, self.best, options, asked)
        else:
            _set_rate(target, options, asked, asked.epochs * each)
            metrics = target.metrics()
            first = metrics.optimizer_steps + metrics.skipped_steps
            self.run = Run(settings | {"rate": metrics.learning_rate}, first)
        self.schedule = self._schedule(Steps(asked.epochs, each))
        self.rate, self.each = target.metrics().learning_rate, each
        self.events: EventLog | None = None

    def _schedule(self, steps: Steps) -> Schedule | None:
        """Return the schedule that is set from here, or None."""
        from ..device.schedules import schedule

        if self.options.schedule is None:
            return None
        return schedule(self.options.schedule, self.run.settings["rate"], steps, self.asked.warmup or 0)

    def _events(self) -> EventLog | None:
        """Return the events for TensorBoard, or None."""
        if self.options.tensorboard is None:
            return None
        from ..report.tensorboard import EventLog

        return EventLog(self.options.tensorboard, self.options.judged, self.start, self.each)

    def begin(self) -> None:
        """Keep the checkpoint of before, and begin the events. Raises OutputError."""
        if self.options.backup and not self.options.goes_on:
            self.files.keep_before()
        self.events = self._events()

    def save(self, checkpoint: bytes) -> None:
        """Write a checkpoint on the way, and before it the events up to it."""
        self._tell(lambda events: events.flush())
        self.files.save(self.run, checkpoint)

    def end(self, checkpoint: bytes) -> None:
        """Write the last checkpoint, and what could not be written on the way. Raises OutputError."""
        self.files.end(self.run, checkpoint)

    def on_step(self, step: Step) -> None:
        """Write an update with its rate, which is the schedule's, or else the target's before the update."""
        if self.events is None:
            return
        rate = self.schedule((step.epoch - 1) * step.steps + step.step - 1) if self.schedule else self.rate
        self.rate = step.metrics.learning_rate
        self._tell(lambda events: events.on_step(step, rate))

    def on_epoch(self, epoch: Epoch) -> None:
        """Write an epoch that has ended."""
        self.run.epochs.append(epoch)
        self.files.log_epochs(self.run)
        self._tell(lambda events: events.on_epoch(epoch))

    def on_test(self, result: Fit, test: Evaluation | None) -> None:
        """Write the test at the end, after the epoch whose state was tested."""
        epoch = result.best.epoch if self.options.keep_best and result.best else len(self.run.epochs)
        if test is not None:
            self._tell(lambda events: events.on_test(epoch, test))
        self._tell(lambda events: events.close())

    def _tell(self, what: Callable[[EventLog], None]) -> None:
        """Write events; after one that cannot be written the training goes on without them."""
        if self.events is None:
            return
        try:
            what(self.events)
        except OutputError as error:
            self.events = None
            o.tell(f"no more events for TensorBoard, and the training goes on: {error}")

    def on_best(self, best: Best) -> None:
        """Write the best state so far."""
        self.run.best = best.epoch
        if best.checkpoint:
            self.files.save_best(best.checkpoint)


def _settings(options: CourseOptions, asked: Asked) -> dict[str, Any]:
    """Return the options that a run keeps; epochs count only if the rate depends on their number."""
    given: dict[str, Any] = {"seed": asked.seed, "micro_batches": asked.micro_batches, "warmup": asked.warmup}
    given |= {name: getattr(options, name) for name in ("validate", "schedule", "keep_best", "patience")}
    depends = options.schedule is not None or asked.warmup is not None
    given["augment"] = None if options.augment is None else str(options.augmentation())
    return given | {"lr": asked.lr, "epochs": asked.epochs if depends else None}


def _require_rest(start: tuple[int, int], best: Best | None, options: CourseOptions, asked: Asked) -> None:
    """Raise DataError if nothing is left of a training."""
    done = start[0] - 1
    if done >= asked.epochs:
        raise DataError(f"the run has done its {asked.epochs} epochs", "ask for more --epochs, or leave out --continue")
    if options.patience is not None and best is not None and not start[1] and done - best.epoch >= options.patience:
        raise DataError(
            f"the run ended after epoch {done}: none of the last {options.patience} was better",
            "begin one from its checkpoint, with --resume instead of --continue",
        )


def _set_rate(target: Target, options: CourseOptions, asked: Asked, steps: int) -> None:
    """Set a constant rate, or the linear schedule; without either, the rate is unchanged."""
    if asked.lr is None:
        return
    if asked.warmup is not None and options.schedule is None:
        target.set_linear_schedule(asked.lr, asked.warmup, steps)
    else:
        target.set_learning_rate(asked.lr)
