"""What a demo's training brought: the table and the picture at its end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from ..compile import Result
from ..device.fit import Fit
from ..device.types import Memory
from ..plan.picture import draw_memory_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class Trained:
    """What one target made of the image. accuracies are on the held-out digits."""

    before: float
    fit: Fit
    losses: list[float]  # of each step
    checkpoint: bytes
    state: str  # SHA-256
    target: str

    @property
    def after(self) -> float:
        test = self.fit.epochs[-1].test
        return test.accuracy if test is not None else float("nan")


def table(
    trained: Trained,
    twin: Trained | None,
    exported: float,
    compiled: Result,
    memory: Memory | None,
    instructions: int | None,
) -> Table:
    """What it took and what it brought."""
    rows = [
        ("held-out accuracy before", f"{trained.before:.1%}"),
        (f"held-out accuracy after, {trained.target}", f"{trained.after:.1%}"),
        *([("held-out accuracy after, twin", f"{twin.after:.1%}")] if twin else []),
        ("held-out accuracy after, exported, onnxruntime", f"{exported:.1%}"),
        ("state sha256" + (", equal on both" if twin else ""), f"{trained.state[:24]}..."),
        ("arena (RAM)", f"{compiled.layout.arena_size:,} B"),
        ("image (flash)", f"{len(compiled.image):,} B"),
    ]
    if memory is not None:
        rows += [
            ("firmware code (flash)", f"{memory.code:,} B"),
            ("stack used (RAM)", f"{memory.stack_used:,} B of {memory.stack_size:,} B"),
            ("static data (RAM)", f"{memory.static_ram:,} B"),
        ]
    if instructions is not None:
        rows.append((f"instructions a step of {compiled.compiled.batch} samples", f"{instructions:,}"))
    made = Table("", "", title="Digits, learned on the device", title_justify="left", show_header=False, box=None)
    for row in rows:
        made.add_row(*row)
    return made


def picture(path: Path, trained: Trained, compiled: Result) -> None:
    """A PNG with the loss and the memory map of the training program, whole and without the state."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (curve, arena, scratch) = pyplot.subplots(1, 3, figsize=(17, 5), constrained_layout=True)
    draw_curve(curve, trained)
    program = next(p for p in compiled.compiled.programs if p.kind == "step")
    draw_memory_map(arena, compiled.layout, program)
    draw_memory_map(scratch, compiled.layout, program, bottom=compiled.layout.inputs_offset)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def draw_curve(axes: Axes, trained: Trained) -> None:
    """The loss of each step, thin; its mean over an epoch; and the accuracy after each epoch."""
    epochs = trained.fit.epochs
    steps = len(trained.losses) // len(epochs)
    ends = [steps * (i + 1) for i in range(len(epochs))]
    axes.plot(trained.losses, color="C0", alpha=0.25, linewidth=0.7)
    axes.plot(ends, [e.loss for e in epochs], "C0o-", label="loss, mean of an epoch")
    axes.set(xlabel="step", ylabel="loss", yscale="log", title=f"Learning on {trained.target}")
    right = axes.twinx()
    accuracy = [trained.before, *(e.test.accuracy if e.test else float("nan") for e in epochs)]
    right.plot([0, *ends], accuracy, "C1s-", label="held-out accuracy")
    right.set(ylabel="accuracy", ylim=(min(accuracy) - 0.02, 1))
    figure_lines = [*axes.get_lines()[1:], *right.get_lines()]
    axes.legend(handles=figure_lines, loc="lower left")
