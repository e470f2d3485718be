"""The options --ram, --flash and --ms-per-step: the search that they start, and its display."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ModelError
from .compiler import Compiler
from .output import say

if TYPE_CHECKING:
    from ..budget import Contributions, Found, Limits, Task, Tried
    from ..data import Dataset
    from ..terminal.printable import Rows

#: The most rows in the table.
LONGEST = 10

Ram = Annotated[str | None, typer.Option("--ram", metavar="SIZE", help="Cut training to this arena, such as 96K.")]
Flash = Annotated[str | None, typer.Option("--flash", metavar="SIZE", help="Cut the image to this size.")]
Time = Annotated[
    float | None,
    typer.Option("--ms-per-step", metavar="MS", help="Cut an update to this time on a Cortex-M4F of --clock."),
]
Clock = Annotated[
    float | None,
    typer.Option(help="Clock of the core in MHz, at one instruction per cycle; by default the board's, or 64."),
]
Board = Annotated[
    str | None,
    typer.Option(
        help="Cut to this board. --ram and --flash then include its firmware, and default to all that the board has."
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        exists=True,
        help="Samples (.npz, .csv or a folder, as for `gradmote train`): the image keeps the names of their classes, "
        "and with a budget they measure how much training each layer gains.",
    ),
]


@dataclass(frozen=True)
class Budget:
    """The budget's options, as given."""

    ram: str | None
    flash: str | None
    ms: float | None
    clock: float | None
    board: str | None

    def is_given(self) -> bool:
        """Return whether there is a limit."""
        return any(limit is not None for limit in (self.ram, self.flash, self.ms, self.board))

    def limits(self) -> Limits:
        """Return the limits in bytes, milliseconds and hertz, including the board's."""
        from ..budget import Limits, bytes_of
        from ..device.boards import board

        ram, flash = (None if size is None else bytes_of(size) for size in (self.ram, self.flash))
        limits = Limits(ram, flash, self.ms)
        if self.board is not None:
            limits = replace(limits.beside(board(self.board)), clock=board(self.board).clock)
        return limits if self.clock is None else replace(limits, clock=self.clock * 1e6)


def cut(task: Task, limits: Limits, samples: Dataset | None = None) -> Found:
    """Search for the best training within the limits, and show a bar that counts what was tried.

    samples: for measuring contributions, if any. Raises BudgetError if nothing fits.
    """
    from ..budget import search
    from ..device.progress import progress_bar

    with progress_bar() as bar:
        contributions = measured(task, samples, bar) if samples is not None else None
        step = bar.add_task("search", total=None)
        return search(
            task,
            limits,
            contributions,
            on_try=lambda choice: bar.update(
                step, advance=1, description=f"try {choice.scheme}, {choice.optimizer.rule}"
            ),
        )


def task_of(model: Path, compiler: Compiler, classes: tuple[str, ...] | None) -> Task:
    """Return the task, whose scheme bounds the search. classes: the class names for the image."""
    from ..budget import Task

    compiler.check()
    wanted = compiler.artifact_options()
    if wanted.loss is None or wanted.optimizer is None or wanted.scheme is None:
        raise ModelError("a budget without a loss", "say what to train: --loss cross_entropy")
    options = replace(compiler.options(model), classes=classes)
    return Task(compiler.source(model), wanted.loss, wanted.optimizer, options, wanted.scheme, wanted)


def limits_of(compiler: Compiler, budget: Budget) -> Limits:
    """Return the limits of a search, with the time that --recompute allows for an update."""
    return replace(budget.limits(), more=more_time(compiler, budget))


def more_time(compiler: Compiler, budget: Budget) -> float:
    """Return how much longer an update may take by --recompute, as a fraction. Raises ModelError for a SIZE."""
    wish = compiler.wish()
    if wish is None:
        return 0.0
    if wish.more is None:
        raise ModelError("--recompute SIZE with a budget", "--ram is the arena: give the time, as --recompute +30%")
    if budget.ram is None and budget.board is None:
        raise ModelError("--recompute +PERCENT with a budget that has no RAM", "give --ram or --board too")
    return wish.more


def measured(task: Task, samples: Dataset, bar: Any) -> Contributions:
    """Return the contribution of each part of the model, measured on samples."""
    from ..budget import measure

    step = bar.add_task("measure", total=None)
    return measure(
        task,
        samples,
        on_part=lambda done, total, name: bar.update(step, completed=done, total=total, description=f"train {name}"),
    )


# ---- Output


def show(found: Found) -> None:
    """Print the tried choices, and what the best of them gives up."""
    from ..terminal.terminal import console, table

    console().print(table(f"Training within the budget; score: {found.source}", rows(found)))
    for words in found.given_up() or ["nothing was given up"]:
        say(f"  {words}")


def train_line(image: Path, found: Found, data: Path | None) -> str:
    """Return the command that trains the image according to the search.

    All micro-batches go into one update.
    """
    words = ["gradmote", "train", str(image), "--data", str(data or "data.npz")]
    count = found.best.choice.micro_batches
    words += ["--micro-batches", str(count)] if count > 1 else []
    return shlex.join([*words, "--checkpoint", str(image.with_suffix(".gmck"))])


def rows(found: Found) -> Rows:
    """Return the choices that no other beats, by score; the chosen one is marked."""
    columns = ("", "trains", "numbers#", "rule", "micro-batches", "RAM#", "flash#", "ms#", "score#", "")
    return columns, [tuple(row(tried, found.best)) for tried in shown(found)]


def shown(found: Found) -> list[Tried]:
    """Return the chosen one, with its neighbors by score."""
    rows = found.frontier()
    at = next(i for i, tried in enumerate(rows) if tried.choice == found.best.choice)
    start = max(0, min(at - LONGEST // 2, len(rows) - LONGEST))
    return rows[start : start + LONGEST]


def row(tried: Tried, best: Tried) -> Iterator[str]:
    """Yield the cells of one choice."""
    choice = tried.choice
    yield "->" if choice == best.choice else ""
    yield str(choice.scheme)
    yield f"{tried.trained:,}"
    yield choice.optimizer.rule
    longer = f", +{choice.more:.0%} time" if choice.more else ""
    yield f"{choice.micro_batches} of {choice.micro_batch}{', inputs overwritten' * choice.overwrite_inputs}{longer}"
    yield f"{tried.ram:,}"
    yield f"{tried.flash:,}"
    yield "?" if tried.ms is None else f"{tried.ms:,.1f}"
    yield f"{tried.score:.2f}"
    yield "; ".join(tried.excess)
