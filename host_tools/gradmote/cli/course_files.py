"""The files of a training: its checkpoints, the run beside them, and its log.

    learned.gmck          the state after the last update
    learned.best.gmck     after the best epoch
    learned.before.gmck   what learned.gmck was before the training
    learned.run.json      the host's side (device/run_file.py)

A file that cannot be written on the way does not end the training, because the next write may succeed.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import OutputError
from ..formats.files import Output, write_atomically, write_together
from . import options as o
from .messages import is_quiet

if TYPE_CHECKING:
    from ..device.fitting import Best, Epoch
    from ..device.run_file import Run


class CourseFiles:
    """The files of one training; all of them are tried before it begins."""

    def __init__(self, checkpoint: Path | None, log: Path | None, keeps_best: bool) -> None:
        """Try whether the files can be written. Raises OutputError."""
        self.checkpoint = None if checkpoint is None else Output(checkpoint)
        self.run = None if checkpoint is None else Output(beside(checkpoint, "run.json"))
        self.best = Output(best_of(checkpoint)) if checkpoint is not None and keeps_best else None
        self.log = None if log is None else Output(log)
        self.unwritten: bytes | None = None  #: the best state, if it could not be written

    @property
    def path(self) -> Path | None:
        """Return the checkpoint's path."""
        return None if self.checkpoint is None else self.checkpoint.path

    def require_room(self, size: int) -> None:
        """Raise OutputError if checkpoints of this size cannot be written."""
        for output in (self.checkpoint, self.best):
            if output is not None:
                output.require_room(size)

    def read(self, settings: dict[str, Any], each: int) -> tuple[Run, tuple[int, int], Best | None]:
        """Return the run that left the files, its (epoch, updates), and its best epoch.

        each: the updates of an epoch. Raises DataError for a run with other settings, or without one.
        """
        from ..device.run_file import read_run

        assert self.checkpoint is not None and self.run is not None
        run = read_run(self.run.path)
        run.require(settings, self.run.path)
        start = run.position(self.checkpoint.path.read_bytes(), each)
        return run, start, run.best_epoch(best_of(self.checkpoint.path))

    def keep_before(self) -> None:
        """Copy the checkpoints that will be written over. Raises OutputError."""
        if self.checkpoint is not None:
            for path in (self.checkpoint.path, best_of(self.checkpoint.path)):
                _keep_before(path)

    def save(self, run: Run, checkpoint: bytes) -> None:
        """Write a checkpoint on the way, after the run that knows it."""
        assert self.checkpoint is not None and self.run is not None
        run.note(checkpoint)
        with _on_the_way():
            self.run.replace(run.as_bytes())
            self.checkpoint.replace(checkpoint)
            run.settle(checkpoint)

    def save_best(self, checkpoint: bytes) -> None:
        """Write the best state so far."""
        if self.best is not None:
            self.unwritten = checkpoint
            with _on_the_way():
                self.best.replace(checkpoint)
                self.unwritten = None

    def log_epochs(self, run: Run) -> None:
        """Write the epochs so far."""
        if self.run is not None and run.checkpoints:
            with _on_the_way():
                self.run.replace(run.as_bytes())
        if self.log is not None:
            with _on_the_way():
                self.log.replace(as_csv(run.epochs).encode())

    def end(self, run: Run, checkpoint: bytes) -> None:
        """Write the last checkpoint, and what could not be written on the way. Raises OutputError."""
        if self.checkpoint is None or self.run is None:
            return
        run.note(checkpoint)
        if self.best is not None and self.unwritten is not None:
            write_together([(self.best, self.unwritten, None)])
        write_together([(self.run, run.as_bytes(), None), (self.checkpoint, checkpoint, None)])


@contextmanager
def _on_the_way() -> Iterator[None]:
    """Report a file that cannot be written, and go on."""
    try:
        yield
    except OutputError as error:
        o.tell(f"a save on the way failed, and the training goes on: {error}")


def beside(checkpoint: Path, what: str) -> Path:
    """Return the path of learned.WHAT.gmck, or learned.run.json, beside learned.gmck."""
    return checkpoint.with_name(f"{checkpoint.stem}.{what}")


def best_of(checkpoint: Path) -> Path:
    """Return the path of the best epoch's checkpoint."""
    return beside(checkpoint, f"best{checkpoint.suffix}")


def _keep_before(checkpoint: Path) -> None:
    if not checkpoint.is_file():
        return
    before = beside(checkpoint, f"before{checkpoint.suffix}")
    write_atomically(before, checkpoint.read_bytes())
    if not is_quiet():
        o.tell(f"keeps the {checkpoint.name} of before as {before.name}")


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
