"""Compare what another checkout makes with what this one makes: `python -m bench.same_as_before ../../before`.

A change of names, folders or types must change no byte. Both checkouts compile the same ONNX models with the same
options, on their command lines, which stay as they are, and the images are compared. With --boards both build their
firmware and train two of these images on each emulated board, and the checkpoints are compared. Each checkout runs in
its own .venv with its own runtime: `./run build` there first. `bench.machine_code` compares the runtime's code.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from bench.cost_models import perceptron
from bench.speed import cases
from bench.speed.networks import NETWORKS

from gradmote.device.boards import boards

ROOT = Path(__file__).resolve().parents[2]
#: Options of `gradmote compile` that differ in the passes, rules and records that they need.
OPTIONS = {
    "sgd": ["--optimizer=sgd"],
    "momentum": ["--optimizer=sgd", "--set=momentum=0.9", "--batch=4"],
    "adamw": ["--optimizer=adamw", "--batch=8", "--set=clip_norm=1"],
    "accumulate": ["--optimizer=adam", "--accumulate", "--max-update=0.1"],
    "last two": ["--scheme=last:2", "--batch=2", "--overwrite-inputs"],
    "head": ["--scheme=head", "--strip-names", "--properties=0"],
    "sparse": ["--scheme=sparse:0.25", "--optimizer=adamw"],
    "store": ["--store=20", "--strip-names"],
    "batch norm": ["--batch-norm=batch", "--batch=8"],
}
LOSSES = {"autoencoder": "mse"}  # all others: cross_entropy
#: What is trained on boards. The smallest have room for the smallest alone.
ON_BOARDS = [("mlp", "sgd"), ("mlp", "adamw"), ("smallest", "sgd")]
SMALLEST = (64, 4, 10)
SAMPLES = 40


@dataclass(frozen=True)
class Checkout:
    """A checkout of the project with its virtual environment."""

    root: Path

    def gradmote(self, made: Path, *arguments: str | Path) -> str:
        """Run a command of this checkout that makes a file; return the file's SHA-256, or what was said against it."""
        made.unlink(missing_ok=True)
        command = [self.root / ".venv" / "bin" / "python", "-m", "gradmote", *arguments]
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)
        if done.returncode != 0 or not made.exists():
            return f"refused: {' '.join(done.stderr.split())[-60:]}"
        return hashlib.sha256(made.read_bytes()).hexdigest()[:16]


@dataclass(frozen=True)
class Row:
    """One comparison: what was compared, and what the earlier checkout and this one made of it."""

    what: str
    before: str
    now: str

    def print(self) -> None:
        same = "same" if self.before == self.now else f"DIFFERS: {self.before}"
        print(f"{self.what:<42}{self.now:<18}{same}", flush=True)


def main() -> None:
    """Print a line for each comparison, and exit with 1 if one differs or if nothing was made."""
    arguments = parsed()
    pair = (Checkout(arguments.before.resolve()), Checkout(ROOT))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        compared = [compare_images, compare_boards] if arguments.boards else [compare_images]
        for row in (row for compare in compared for row in compare(pair, Path(folder), arguments.only)):
            row.print()
            rows.append(row)
    differing = sum(row.before != row.now for row in rows)
    made = sum(not row.now.startswith("refused") for row in rows)
    print(f"{made} made by both, {len(rows) - made} refused by both or one, {differing} differ")
    raise SystemExit(1 if differing or not made else 0)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="the other checkout, with its .venv")
    parser.add_argument("--boards", action="store_true", help="train on all emulated boards too")
    parser.add_argument("--only", nargs="*", default=list(NETWORKS), help="networks")
    return parser.parse_args()


def compare_images(pair: tuple[Checkout, Checkout], folder: Path, networks: list[str]) -> Iterator[Row]:
    """Yield a row for each network and set of options."""
    for network in networks:
        for options in OPTIONS:
            before, now = (compile_model(checkout, folder, network, options) for checkout in pair)
            yield Row(f"image {network}, {options}", before, now)


def compile_model(checkout: Checkout, folder: Path, network: str, options: str) -> str:
    model, image = folder / f"{network}.onnx", folder / f"{network}-{options.replace(' ', '-')}.mote"
    if not model.exists():
        onnx.save(perceptron(SMALLEST, "Relu") if network == "smallest" else cases.model(network), model)
    loss = f"--loss={LOSSES.get(network, 'cross_entropy')}"
    return checkout.gradmote(image, "compile", model, loss, *OPTIONS[options], "-o", image)


def compare_boards(pair: tuple[Checkout, Checkout], folder: Path, _networks: list[str]) -> Iterator[Row]:
    """Yield a row for each emulated board and image."""
    data, checkpoint = folder / "data.npz", folder / "learned.gmck"
    rng = np.random.default_rng(1)
    np.savez(data, x=rng.normal(0, 1, (SAMPLES, 64)).astype(np.float32), y=rng.integers(0, 10, SAMPLES))
    for board in (known.name for known in boards() if known.emulator):
        for network, options in ON_BOARDS:
            image = folder / f"{network}-{options}.mote"
            compile_model(pair[1], folder, network, options)
            train = ["train", image, "--data", data, "--on", f"qemu:{board}", "--checkpoint", checkpoint]
            before, now = (checkout.gradmote(checkpoint, *train) for checkout in pair)
            yield Row(f"state {board}, {network}, {options}", before, now)


if __name__ == "__main__":
    main()
