"""Draw docs/learning.svg: an emulated board and its twin learn the same digits, above the memory map.

cd tests && ../.venv/bin/python -m bench.front_page

Board and twin are both tested after each epoch, and each curve is drawn from its own answers. The script ends with an
error if a loss, an answer or the states differ.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples"))

from gradmote import losses, optimizers
from gradmote.compiler.compile import compile_model
from gradmote.compiler.options import Options
from gradmote.device import TwinTarget, open_target
from gradmote.report.analyze import analyze_result
from gradmote.report.analyze.picture import draw_memory_map

from demo import digits
from demo.stage import Lesson, Trained, train

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "learning.svg"
BOARD, EPOCHS = "qemu:mps2-an386", 8
#: Bytes of the state that the memory map shows. All of it would leave no room for the rest.
SHOWN_OF_STATE = 600
#: Two parts below each other, so that their words are legible in a picture of 390 pixels.
SIZE = (5, 7)
#: No date and no random ids in the file.
STYLE = {
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlepad": 10,
    "svg.hashsalt": "gradmote",
}


def lesson() -> Lesson:
    """Return the lesson of `./run demo`: an MLP 64-32-10 that has seen 100 digits, and the digits it has not seen."""
    model, data = digits.pretrain()
    loss = losses.cross_entropy(through_softmax=True)
    compiled = compile_model(
        model, loss, optimizers.adamw(digits.RATE), Options(batch=digits.BATCH), outputs=[digits.OUTPUT]
    )
    return Lesson("digits", "MLP 64-32-10", model, compiled, data, EPOCHS, digits.OUTPUT)


def train_both(taught: Lesson) -> tuple[Trained, Trained]:
    """Return what the emulated board learned, and what its twin did: the same losses, answers and state."""
    with open_target(BOARD) as target:
        board = train(target, taught, test_each_epoch=True)
    with TwinTarget(board.profile) as target:
        twin = train(target, taught, test_each_epoch=True)
    if (board.state, board.losses, accuracy(board)) != (twin.state, twin.losses, accuracy(twin)):
        sys.exit(f"the state of {board.target} is {board.state}, that of its twin {twin.state}")
    return board, twin


def accuracy(trained: Trained) -> list[float]:
    """Return the share of held-out samples that were right before training and after each epoch, in percent."""
    tests = [epoch.test for epoch in trained.fit.epochs]
    return [100 * share for share in (trained.before.accuracy, *(test.accuracy for test in tests if test))]


def draw_curves(axes: Axes, board: Trained, twin: Trained) -> None:
    """Draw the accuracy after each epoch: the board's curve wide, that of the twin thin on top of it."""
    axes.plot(accuracy(board), color="C0", linewidth=9, alpha=0.35, label="emulated Cortex-M4F")
    axes.plot(accuracy(twin), color="black", linewidth=1.6, marker="o", markersize=4, label="twin on this computer")
    axes.set(xlabel="epoch", ylabel="held-out digits right (%)", title="The same curve, to the bit")
    axes.legend(loc="lower right", frameon=False, fontsize=10)
    axes.text(0.98, 0.34, f"state of both, SHA-256\n{board.state[:12]}…", transform=axes.transAxes, ha="right")


def draw_memory(axes: Axes, taught: Lesson) -> None:
    """Draw the memory map of a training step: the end of the state, and all that is above it."""
    layout = taught.compiled.layout
    report = analyze_result(taught.compiled, taught.title)
    draw_memory_map(axes, report, report.main, bottom=layout.inputs_offset - SHOWN_OF_STATE)
    axes.set(title=f"A step in {layout.arena_size:,} bytes", ylabel="byte of the arena")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    for text in axes.texts:
        text.set(fontsize=10, text=text.get_text().replace("_grad.part", ":\ngradient"))
    middle = (len(report.main.steps) / 2, layout.inputs_offset - SHOWN_OF_STATE / 2)
    axes.text(*middle, f"state: {layout.inputs_offset:,} B, from byte 0", ha="center", va="center", fontsize=10)


def main() -> None:
    """Train, draw and write the picture."""
    mpl.use("Agg")
    from matplotlib import pyplot

    taught = lesson()
    board, twin = train_both(taught)
    with mpl.rc_context(STYLE):
        figure, (curves, memory) = pyplot.subplots(2, 1, figsize=SIZE, constrained_layout=True)
        draw_curves(curves, board, twin)
        draw_memory(memory, taught)
        figure.savefig(PICTURE, metadata={"Date": None})
    print(f"wrote {PICTURE}: {accuracy(board)[0]:.1f} % -> {accuracy(board)[-1]:.1f} %, state {board.state}")


if __name__ == "__main__":
    main()
