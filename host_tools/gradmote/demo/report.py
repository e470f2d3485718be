"""The table and the picture at the end of a demo."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from ..compile import Result
from ..device.fit import Fit
from ..device.types import Memory
from ..plan.picture import draw_memory_map

if TYPE_CHECKING:
    from .digits import Trained


def table(
    trained: Trained, twin: Trained, exported: float, compiled: Result, memory: Memory | None, instructions: int | None
) -> Table:
    """What it took and what it brought."""
    rows = [
        ("held-out accuracy before", f"{trained.before:.1%}"),
        (f"held-out accuracy after, {trained.target}", f"{trained.after:.1%}"),
        ("held-out accuracy after, twin", f"{twin.after:.1%}"),
        ("held-out accuracy, exported ONNX in onnxruntime", f"{exported:.1%}"),
        ("state sha256, equal on both", f"{trained.state[:32]}..."),
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
    made = Table("", "", title="Digits, learned on the device", title_justify="left", show_header=False)
    for row in rows:
        made.add_row(*row)
    return made


def picture(path: Path, fit: Fit, compiled: Result) -> None:
    """A PNG with the loss of each epoch and the memory map of the training program."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (curve, memory) = pyplot.subplots(1, 2, figsize=(13, 5), constrained_layout=True)
    epochs = [e.epoch for e in fit.epochs]
    curve.plot(epochs, [e.loss for e in fit.epochs], marker="o", label="training loss")
    curve.set(xlabel="epoch", ylabel="loss", title="Learning on the device")
    accuracy = curve.twinx()
    accuracy.plot(epochs, [e.test.accuracy if e.test else float("nan") for e in fit.epochs], "C1s-", label="held-out accuracy")
    accuracy.set_ylabel("accuracy")
    curve.legend(loc="upper left")
    accuracy.legend(loc="lower left")
    program = next(p for p in compiled.compiled.programs if p.kind == "step")
    draw_memory_map(memory, compiled.layout, program)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
