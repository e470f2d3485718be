"""A training as event files, which TensorBoard draws. Needs tensorboardX (extra `tensorboard`)."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gradmote.errors import GradmoteError, OutputError

from ..device.evaluation import Evaluation
from ..device.fitting import Epoch, Step
from ..formats.files import make_folder


def require_tensorboard(folder: Path, goes_on: bool = False) -> None:
    """Make the folder, before work for it begins.

    Raises GradmoteError without tensorboardX, and OutputError for a folder that has another training's events, or
    cannot be made.
    """
    try:
        import tensorboardX.event_file_writer  # noqa: F401
    except ImportError as error:
        raise GradmoteError("tensorboardX is not installed", "pip install tensorboardX") from error
    make_folder(folder)
    if not goes_on and _event_files(folder):
        raise OutputError(f"{folder} has the events of another training", "give each training a folder of its own")


def _event_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*tfevents*"))


class EventLog:
    """Writes loss, rate and skipped steps at each update, and the test of each epoch.

    log = EventLog(Path("runs/first"))
    fit(target, data, epochs=20, on_step=log.on_step, on_epoch=log.on_epoch)
    log.close()

    The horizontal axis is the number of updates. What is written is on disk after each epoch, and after flush().
    """

    def __init__(self, folder: Path, judged: str = "test", start: tuple[int, int] = (1, 0), each: int = 0) -> None:
        """Begin a file in the folder.

        judged: the name of what each epoch is tested on. start: (epoch, updates), the point of an earlier run
        to go on from; TensorBoard forgets what that run wrote after this point. each: the updates of an epoch,
        if it goes on. Raises GradmoteError as require_tensorboard() does, and OutputError.
        """
        goes_on = start != (1, 0)
        require_tensorboard(folder, goes_on)
        self.folder, self.judged, self.each = folder, judged, each
        try:
            self._begin((start[0] - 1) * each + start[1] + 1 if goes_on else None)
            self.flush()
        except OSError as error:
            raise self._unwritten(error) from error

    def _begin(self, first: int | None) -> None:
        """Begin a file; with `first`, what earlier files say of this update and later ones no longer counts."""
        from tensorboardX.event_file_writer import EventsWriter
        from tensorboardX.proto.event_pb2 import SessionLog

        number = f".{len(_event_files(self.folder)):04}"  # of files that begin in the same second
        self._writer: Any = EventsWriter(str(self.folder.resolve() / "events"), number)
        if first is not None:
            self._write(first, session_log=SessionLog(status=SessionLog.START))

    def on_step(self, step: Step, rate: float | None = None) -> None:
        """Write an update; without `rate`, the one that the target has after it. Raises OutputError."""
        self.each, metrics = step.steps, step.metrics
        rate = metrics.learning_rate if rate is None else rate
        values = {"loss": metrics.loss, "rate": rate, "skipped": metrics.skipped_steps}
        self._scalars((step.epoch - 1) * step.steps + step.step, values)

    def on_epoch(self, epoch: Epoch) -> None:
        """Write the test of an epoch that was not stopped. Raises OutputError."""
        if epoch.test is not None:
            self.on_test(epoch.epoch, epoch.test, self.judged)
        self.flush()

    def on_test(self, epoch: int, test: Evaluation, name: str = "test") -> None:
        """Write a test after an epoch. Raises OutputError."""
        values = {f"{name}/loss": test.loss, f"{name}/accuracy": test.accuracy}
        self._scalars(epoch * self.each, values)

    def flush(self) -> None:
        """Put what was written on disk. Raises OutputError."""
        try:
            self._writer.flush()
        except OSError as error:
            raise self._unwritten(error) from error

    def close(self) -> None:
        """End the file. Raises OutputError."""
        self.flush()
        self._writer.close()

    def _scalars(self, step: int, values: Mapping[str, float]) -> None:
        """Write the values that are not NaN."""
        from tensorboardX.proto.summary_pb2 import Summary

        known = {tag: value for tag, value in values.items() if not math.isnan(value)}
        if known:
            content = [Summary.Value(tag=tag, simple_value=value) for tag, value in known.items()]
            self._write(step, summary=Summary(value=content))

    def _write(self, step: int, **content: Any) -> None:
        from tensorboardX.proto.event_pb2 import Event

        try:
            self._writer.write_event(Event(wall_time=time.time(), step=step, **content))
        except OSError as error:
            raise self._unwritten(error) from error

    def _unwritten(self, error: OSError) -> OutputError:
        return OutputError(f"cannot write events to {self.folder} ({error})", "give a folder that can be written")
