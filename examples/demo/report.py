"""The results of a demonstration: the tables and the picture at its end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from gradmote.formats.files import write_atomically
from gradmote.report.analyze import analyze_result
from gradmote.report.analyze.picture import draw_memory_map
from gradmote.report.pictures import encoded

from .stage import Outcome, Trained, console, say

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BAR = 16  # characters for 100 %


def show(outcome: Outcome, out: Path) -> None:
    """Print the table, and draw demo.png."""
    console.print(table(outcome))
    picture(out / "demo.png", outcome)
    say(f"loss curve and memory map: {out / 'demo.png'}")


def table(outcome: Outcome) -> Table:
    """Return a table of the accuracies, the memory and the costs of the training."""
    trained, compiled = outcome.trained, outcome.lesson.compiled
    rows = [
        ("held-out accuracy before", f"{trained.before.accuracy:.1%}"),
        (f"held-out accuracy after, {trained.target}", f"{trained.after.accuracy:.1%}"),
        *([("held-out accuracy after, twin", f"{outcome.twin.after.accuracy:.1%}")] if outcome.twin else []),
        ("held-out accuracy after, exported, onnxruntime", f"{outcome.exported.accuracy:.1%}"),
        ("state sha256" + (", equal on both" if outcome.twin else ""), f"{trained.state[:24]}..."),
        ("arena (RAM)", f"{compiled.layout.arena_size:,} B"),
        ("image (flash)", f"{len(compiled.image):,} B"),
        *board_rows(outcome),
    ]
    made = Table("", "", title=outcome.lesson.title, title_justify="left", show_header=False, box=None)
    for row in rows:
        made.add_row(*row)
    return made


def board_rows(outcome: Outcome) -> list[tuple[str, str]]:
    """Return the rows with figures that only a board has."""
    rows = []
    if outcome.memory is not None:
        memory = outcome.memory
        rows += [
            ("firmware code (flash)", f"{memory.code:,} B"),
            ("stack used (RAM)", f"{memory.stack_used:,} B of {memory.stack_size:,} B"),
            ("static data (RAM)", f"{memory.static_ram:,} B"),
        ]
    if outcome.instructions is not None:
        batch = outcome.lesson.compiled.compiled.batch
        rows.append((f"instructions a step of {batch} samples", f"{outcome.instructions:,}"))
    return rows


def show_classes(trained: Trained, names: Sequence[str]) -> None:
    """Print how many samples of each class were recognized, before and after."""
    made = Table("", "tested", "before", "", "after", "", box=None, title="Recognized", title_justify="left")
    made.columns[0].no_wrap = True
    for label, name in enumerate(names):
        before, after = trained.before.of_class(label), trained.after.of_class(label)
        tested = int((trained.after.right == label).sum())
        shares = (f"{before:4.0%}", bar(before, "yellow"), f"{after:4.0%}", bar(after, "green"))
        made.add_row(name, f"{tested}", *shares)
    console.print(made)


def bar(share: float, colour: str) -> str:
    """Return a bar of _BAR characters, filled up to `share`."""
    filled = round(share * _BAR)
    return f"[{colour}]{'█' * filled}[/][dim]{'░' * (_BAR - filled)}[/]"


# ---- The picture


def picture(path: Path, outcome: Outcome) -> None:
    """Write a PNG with the loss and the memory map of the training program.

    The map is drawn completely, and a second time without the state.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (curve, arena, scratch) = pyplot.subplots(1, 3, figsize=(17, 5), constrained_layout=True)
    draw_curve(curve, outcome)
    compiled = outcome.lesson.compiled
    report = analyze_result(compiled, outcome.lesson.title)
    draw_memory_map(arena, report, report.main)
    draw_memory_map(scratch, report, report.main, bottom=compiled.layout.inputs_offset)
    write_atomically(path, encoded(figure, path, dpi=110))
    pyplot.close(figure)


def draw_curve(axes: Axes, outcome: Outcome) -> None:
    """Draw the loss of each step and of each epoch, and the accuracy after each epoch."""
    trained = outcome.curve
    epochs = trained.fit.epochs
    steps = len(trained.losses) // len(epochs)
    ends = [steps * (i + 1) for i in range(len(epochs))]
    axes.plot(trained.losses, color="C0", alpha=0.25, linewidth=0.7)
    axes.plot(ends, [e.loss for e in epochs], "C0o-", label="loss, mean of an epoch")
    axes.set(xlabel="step", ylabel="loss", yscale="log", title=f"Learning on {outcome.trained.target}")
    right = axes.twinx()
    accuracy = [trained.before.accuracy, *(e.test.accuracy if e.test else float("nan") for e in epochs)]
    right.plot([0, *ends], accuracy, "C1s-", label="held-out accuracy")
    right.set(ylabel="accuracy", ylim=(min(accuracy) - 0.02, 1))
    figure_lines = [*axes.get_lines()[1:], *right.get_lines()]
    axes.legend(handles=figure_lines, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncol=2, frameon=False)
