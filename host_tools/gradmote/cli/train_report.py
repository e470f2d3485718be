"""The end of `gradmote train`: the table of epochs, and lines on what happened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..report.history import epoch_rows, number_text
from ..terminal.printable import finite
from .output import say, say_json

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..device.evaluation import Evaluation
    from ..device.fitting import Fit
    from ..device.target import Target
    from ..device.types import Saves
    from .course import Course
    from .stopping import Stop

#: The lowest number of erase cycles in data sheets of microcontrollers' flash.
ERASE_CYCLES = 10_000


def report(
    target: Target, result: Fit, course: Course, tested: Evaluation | None, as_json: bool, stop: Stop, samples: Dataset
) -> None:
    """Print the table of epochs, and what ended, was left out, saved and written; or one JSON object."""
    checkpoint = course.files.path
    if as_json:
        found = _summary(target, result, course, tested)
        say_json(finite({**found, "data": [*samples.notes, *samples.converted]}))
        return
    from ..terminal.terminal import Console

    console = Console()
    console.print(_table(result, course))
    if result.dropped:
        console.print(f"{result.dropped} samples an epoch did not fill a batch and were left out, others each time")
    for line in samples.converted:
        say(line)
    for line in _best(result, course, tested):
        console.print(line)
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


def _best(result: Fit, course: Course, tested: Evaluation | None) -> Iterator[str]:
    """Yield lines on the best epoch, on why the training ended before its last, and on the test at the end."""
    if result.ran_out:
        yield f"ended after epoch {result.epochs[-1].epoch}: none of the last {course.options.patience} was better"
    if result.best is not None:
        held = "; its state is loaded" if course.options.keep_best and not result.stopped else ""
        yield f"best: epoch {result.best.epoch}, {_of(result.best.test)}{held}"
    if tested is not None:
        yield f"test: {_of(tested)}"


def _of(test: Evaluation) -> str:
    """Return loss and accuracy as text; what is NaN is left out."""
    shown = (("loss", number_text(test.loss, ".4f")), ("accuracy", number_text(test.accuracy, ".2%")))
    return ", ".join(f"{name} {text}" for name, text in shown if text)


def _table(result: Fit, course: Course) -> Any:
    from rich.table import Table

    names, rows = epoch_rows(result.epochs, course.options.judged)
    table = Table(*(name.removesuffix("#") for name in names), box=None)
    for row in rows:
        table.add_row(*map(str, row))
    return table


def _summary(target: Target, result: Fit, course: Course, tested: Evaluation | None) -> dict[str, Any]:
    memory, checkpoint, best = target.mem(), course.files.path, result.best
    return {
        "target": target.name,
        "epochs": [asdict(epoch) for epoch in result.epochs],
        "dropped": result.dropped,
        "stopped": result.stopped,
        "ran_out": result.ran_out,
        "best": {"epoch": best.epoch, **asdict(best.test)} if best else None,
        "test": asdict(tested) if tested else None,
        "skipped": result.skipped,
        "metrics": asdict(result.metrics) if result.metrics else None,
        "memory": asdict(memory) if memory else None,
        "saves": asdict(result.saves) if result.saves else None,
        "checkpoint": str(checkpoint) if checkpoint else None,
    }
