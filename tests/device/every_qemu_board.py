"""Every emulated board learns a float model and an int8 one by `gradmote train --on qemu:BOARD`, as a user types it.

    cd tests && python -m device.every_qemu_board [--board NAME] [--model float|int8]

Both are perceptrons for iris, from random weights; the int8 one is a QDQ model that onnxruntime's quantizer made. A row
says whether the loss fell and whether the checkpoint has the SHA-256 of the twin's. "first" has the seconds of that
command, with the build of the firmware if there was none yet: GRADMOTE_BUILD=$(mktemp -d) builds all of them. "again"
has the seconds of `gradmote console qemu:BOARD --model`, which types `info` and must print the model's batch. The exit
status is 1 if a board failed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
PATHS = [str(ROOT / part) for part in ("tests", "examples", "site_scons", "host_tools", "bindings/python")]
sys.path[:0] = PATHS

from bench.boards.lessons import iris, perceptron  # noqa: E402

from gradmote import compile_model, losses, optimizers, quantize_model  # noqa: E402
from gradmote.compiler.options import Options  # noqa: E402
from gradmote.device.boards import board, boards  # noqa: E402

MODELS = ("float", "int8")
EMULATED = [known.name for known in boards() if known.emulator]
BATCH, EPOCHS, RATE = 4, 3, 0.05
#: The last epoch's loss is below this part of the first one's.
LEARNS = 0.8


@dataclass(frozen=True)
class Row:
    """The result of one board and one model. losses: of each epoch. first, again: seconds."""

    board: str
    model: str
    losses: tuple[float, ...]
    same: bool
    typed: bool
    first: float
    again: float

    @property
    def learns(self) -> bool:
        return self.losses[-1] < LEARNS * self.losses[0]

    @property
    def is_well(self) -> bool:
        return self.learns and self.same and self.typed

    def line(self) -> str:
        losses = f"{self.losses[0]:.3f} → {self.losses[-1]:.3f}"
        words = [("no", "yes")[said] for said in (self.learns, self.same, self.typed)]
        names = f"{self.board:18}{self.model:7}{losses:16}"
        return f"{names}{words[0]:8}{words[1]:8}{words[2]:9}{self.first:6.1f}{self.again:7.1f}"


HEADING = f"{'board':18}{'model':7}{'loss':16}{'learns':8}{'same':8}{'console':9}{'first':>6}{'again':>7}"


@cache
def image(model: str) -> bytes:
    """Return the image of a model."""
    network = perceptron(4, 12, 3)
    if model == "int8":
        network = quantize_model(network, iris().x)
    return compile_model(network, losses.cross_entropy(), optimizers.sgd(RATE), Options(batch=BATCH)).image


def measure(name: str, model: str, folder: Path) -> Row:
    """Train a board and its twin, and type at the board. Raises CalledProcessError if a command fails."""
    (folder / "model.mote").write_bytes(image(model))
    data = iris()
    np.savez(folder / "iris.npz", x=data.x, y=data.y)
    start = time.monotonic()
    report, state = train(folder, f"qemu:{name}")
    trained = time.monotonic()
    said = gradmote(folder, "console", f"qemu:{name}", "--model", "model.mote", typed="info\n")
    again = time.monotonic() - trained
    _, expected = train(folder, f"twin:{board(name).profile}")
    found = tuple(epoch["loss"] for epoch in report["epochs"])
    return Row(name, model, found, state == expected, f"{BATCH} samples" in said, trained - start, again)


def train(folder: Path, target: str) -> tuple[dict, str]:
    """Return the report of `gradmote train`, and the SHA-256 of its checkpoint."""
    arguments = ["model.mote", "--data", "iris.npz", "--epochs", str(EPOCHS), "--checkpoint", "learned.gmck", "--json"]
    report = json.loads(gradmote(folder, "train", *arguments, "--on", target))
    return report, hashlib.sha256((folder / "learned.gmck").read_bytes()).hexdigest()


def gradmote(folder: Path, *arguments: str, typed: str = "") -> str:
    """Run a command, and return what it prints."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(PATHS)}
    command = [sys.executable, "-m", "gradmote", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, input=typed, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def rows(names: list[str], models: list[str]) -> Iterator[Row]:
    for name in names:
        for model in models:
            with tempfile.TemporaryDirectory() as folder:
                yield measure(name, model, Path(folder))


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m device.every_qemu_board", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--board", choices=EMULATED)
    parser.add_argument("--model", choices=MODELS)
    wanted = parser.parse_args()
    print(HEADING, flush=True)
    failed = 0
    for row in rows([wanted.board] if wanted.board else EMULATED, [wanted.model] if wanted.model else list(MODELS)):
        print(row.line(), flush=True)
        failed += not row.is_well
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
