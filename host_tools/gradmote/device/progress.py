"""Progress bars on stderr for work that takes a board more than a moment."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ..data.dataset import Array, Dataset
from ..terminal.terminal import Console
from .evaluation import Evaluation, evaluate, predict
from .fitting import Epoch, Fit, Step, fit
from .target import Target
from .types import Update


def load_with_progress(target: Target, image: bytes, name: str = "image", quiet: bool = False) -> None:
    """Load an image, and show a bar that counts bytes."""
    with progress_bar(quiet) as bar:
        task = bar.add_task(f"send {name} to {target.name}", total=None)
        target.load_image(image, lambda done, total: bar.update(task, completed=done, total=total))


def update_with_progress(
    target: Target, image: bytes, name: str = "image", carry_over: bool = True, quiet: bool = False
) -> Update:
    """Update the image, and show a bar that counts bytes."""
    with progress_bar(quiet) as bar:
        task = bar.add_task(f"send {name} to {target.name}, which goes on meanwhile", total=None)
        return target.update_image(image, carry_over, lambda done, total: bar.update(task, completed=done, total=total))


def fit_with_progress(
    target: Target,
    data: Dataset,
    epochs: int,
    seed: int = 0,
    on_step: Callable[[Step], None] = lambda step: None,
    should_stop: Callable[[], bool] = lambda: False,
    quiet: bool = False,
    micro_batches: int = 1,
    save_every: int | None = None,
    on_epoch: Callable[[Epoch], None] = lambda epoch: None,
    judged: str = "test",
    **more: Any,
) -> Fit:
    """Call fit(), and show a bar that counts steps.

    The bar shows the loss of the last step and the accuracy of the last epoch. `judged`: what epochs are
    tested on. `more`: the arguments of fit() that it takes by keyword alone.
    """
    shown = {"accuracy": ""}
    skipped: list[int] = []

    with progress_bar(quiet) as bar:
        each = len(data.x) // (target.info().batch * micro_batches)
        epoch, step = more.get("start", (1, 0))
        task = bar.add_task("train", total=epochs * each, completed=(epoch - 1) * each + step)

        def after_step(step: Step) -> None:
            if math.isnan(step.metrics.loss):
                skipped.append(step.step)
            skips = f"  {len(skipped)} steps skipped" if skipped else ""
            text = f"epoch {step.epoch}  loss {step.metrics.loss:.4f}{shown['accuracy']}{skips}"
            bar.update(task, advance=1, description=text)
            on_step(step)

        def after_epoch(epoch: Epoch) -> None:
            if epoch.test is not None and not math.isnan(epoch.test.accuracy):
                shown["accuracy"] = f"  accuracy {epoch.test.accuracy:.1%}"
            if bar.disable and not quiet:
                bar.console.print(epoch_line(epoch, epochs, judged), highlight=False, soft_wrap=True)
            on_epoch(epoch)

        return fit(target, data, epochs, seed, after_step, after_epoch, should_stop, micro_batches, save_every, **more)


def epoch_line(epoch: Epoch, epochs: int, judged: str = "test") -> str:
    """Return the result of an epoch as a line of text, for a reader without a bar. judged: what it was tested on."""
    test = epoch.test
    parts = [f"epoch {epoch.epoch} of {epochs}", "loss", f"{epoch.loss:.4f}"]
    if test is not None:
        parts += [f" {judged} loss {test.loss:.4f}"] if not math.isnan(test.loss) else []
        parts += [f" accuracy {test.accuracy:.2%}"] if not math.isnan(test.accuracy) else []
    parts += [f" {epoch.skipped} steps skipped"] if epoch.skipped else []
    return " ".join(parts)


def evaluate_with_progress(target: Target, data: Dataset) -> Evaluation:
    """Call evaluate() on data's test set, and show a bar that counts samples."""
    with samples_bar("test") as progress:
        return evaluate(target, data, progress=progress)


def predict_with_progress(target: Target, data: Dataset, x: Array) -> Array:
    """Call predict(), and show a bar that counts samples."""
    with samples_bar("test") as progress:
        return predict(target, data, x, progress)


@contextmanager
def samples_bar(name: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar, and yield the function that moves it.

    The function takes (samples done, all samples).
    """
    with progress_bar() as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def progress_bar(quiet: bool = False) -> Iterator[Progress]:
    """Show a rich Progress that disappears when it is done.

    Shows nothing if `quiet`, or if stderr is not a terminal.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as progress:
        yield progress
