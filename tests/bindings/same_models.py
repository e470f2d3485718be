"""Train every model in every form of the web, and compare the states: `python -m bindings.same_models --only lenet`.

Each model of bindings.models trains for 50 steps in the twin of the profile strict, in node, in a page of Chromium and
in a worker of that page, by the module with vectors and the one without; three of them train on an emulated Cortex-M3
too. The table has the SHA-256 of the twin's state, and whether each form reaches it.

In step k, tensor i (the inputs, then the labels) holds the numbers of dist.same_state.drawn from the seed 100 k + i; a
whole number is that of its model's `below`, times the number drawn, rounded down. If an image accumulates gradients,
each second step makes an update.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import itertools
import json
import logging
import shutil
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
from dist.same_state import drawn
from rich.console import Console
from rich.table import Table

from bindings.models import Model, models
from gradmote.device import TwinTarget, open_target
from gradmote.device.target import Target
from gradmote.device.types import Tensor
from support import npm_package
from support.firmware import scons_firmware

STEPS = 50
FORMS = ("simd", "plain")
BOARD = "mps2-an385"
#: Column -> what it is called in the table.
TITLES = {
    "node simd": "node",
    "node plain": "node, plain",
    "page simd": "page",
    "page plain": "page, plain",
    "worker simd": "worker",
    "worker plain": "worker, plain",
    "board": "Cortex-M3",
}
#: Column -> model -> SHA-256.
States = Mapping[str, Mapping[str, str]]


def main() -> int:
    """Print the table; return the number of states that differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="NAME", help="models whose name contains this")
    parser.add_argument("--steps", type=int, default=STEPS, help=f"training steps (default: {STEPS})")
    chosen = parser.parse_args()
    steps = {model: chosen.steps for model in models() if chosen.only in model.name}
    images = compiled(steps)
    expected = of_twin(images, steps)
    states = dict(reached(images, steps))
    Console(width=130).print(table(expected, states))
    return len(differing(expected, states))


def compiled(chosen: Iterable[Model]) -> dict[Model, bytes]:
    """Return the images. Messages of exporters and the compiler are not printed."""
    logging.disable(logging.WARNING)
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {model: model.compiled() for model in chosen}
    logging.disable(logging.NOTSET)
    return found


def table(expected: Mapping[str, str], states: States) -> Table:
    """Return a row for each model, and a column for each form."""
    made = Table("model", "twin's SHA-256", *(TITLES[column] for column in states))
    words = {True: "yes", False: "NO"}
    for name, digest in expected.items():
        cells = [words[found[name] == digest] if name in found else "-" for found in states.values()]
        made.add_row(name, digest[:16], *cells)
    return made


def differing(expected: Mapping[str, str], states: States) -> list[str]:
    """Return a line for each state that is not the twin's."""
    return [
        f"{name}, {column}: {digest}"
        for column, found in states.items()
        for name, digest in found.items()
        if digest != expected[name]
    ]


def of_twin(images: Mapping[Model, bytes], steps: Mapping[Model, int]) -> dict[str, str]:
    """Return the digests of the states that the strict twin reaches."""
    found = {}
    for model, image in images.items():
        with TwinTarget("strict") as target:
            found[model.name] = trained(target, image, steps[model], model.below)
    return found


def on_board(images: Mapping[Model, bytes], steps: Mapping[Model, int]) -> dict[str, str]:
    """Return the digests of the states that an emulated Cortex-M3 reaches, over its serial line."""
    scons_firmware(board=BOARD)
    small = {model: image for model, image in images.items() if model.on_board}
    with open_target(f"qemu:{BOARD}") as target:
        return {model.name: trained(target, image, steps[model], model.below) for model, image in small.items()}


def reached(images: Mapping[Model, bytes], steps: Mapping[Model, int]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each column with the states that its form reaches; forms whose tools are missing are left out."""
    if not npm_package.lacking():
        folder = write_models(images, steps)
        yield from in_node(folder)
        if shutil.which("chromium"):
            yield from in_chromium()
    if all(map(shutil.which, ("arm-none-eabi-gcc", "qemu-system-arm"))):
        yield "board", on_board(images, steps)


def write_models(images: Mapping[Model, bytes], steps: Mapping[Model, int]) -> Path:
    """Write the images, and the list of them, into a folder that node and pages read; return it."""
    folder = npm_package.project() / "data" / "models"
    for model, image in images.items():
        npm_package.give(f"models/{model.name}.mote", image)
    listed = [{"name": model.name, "below": model.below, "steps": steps[model]} for model in images]
    npm_package.give("models/models.json", json.dumps(listed).encode())
    return folder


def in_node(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the columns of node, which trains the models of a folder."""
    for form in FORMS:
        yield f"node {form}", json.loads(npm_package.node("same_models.mjs", folder, form))


def in_chromium() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the columns of Chromium. One page for each form trains all models in itself, then in workers."""
    addresses = {form: f"scripts/pages/models.html?{form}" for form in FORMS}
    found = npm_package.browse(*addresses.values())
    for form, address in addresses.items():
        problems = found[address]["problems"]
        assert not problems, problems
        for place in ("page", "worker"):
            yield f"{place} {form}", found[address][place]


def trained(target: Target, image: bytes, steps: int, below: int) -> str:
    """Train a target, and return the SHA-256 of its state."""
    target.load_image(image)
    program = "step" if "step" in target.info().programs else "train"
    feeds = list(tensors(target, program))
    for step in range(steps):
        for i, (role, index, tensor) in enumerate(feeds):
            target.write(role, index, data_of(tensor, 100 * step + i, below))
        target.run(program)
        if program == "train" and step % 2:
            target.run("optimizer")
            target.lazy_reset_grad()
    return hashlib.sha256(target.state()).hexdigest()


def tensors(target: Target, program: str) -> Iterator[tuple[str, int, Tensor]]:
    """Yield role, index and description of each tensor that the program reads: inputs, then labels."""
    for role in ("input", "label"):
        for index in itertools.count():
            tensor = target.describe(program, role, index)
            if tensor is None:
                break
            yield role, index, tensor


def data_of(tensor: Tensor, seed: int, below: int) -> np.ndarray:
    """Return the data of one tensor."""
    numbers = np.array(drawn(tensor.size // 4, seed))
    return numbers if tensor.dtype == "float32" else (numbers.astype(np.float64) * below).astype(np.int32)


if __name__ == "__main__":
    raise SystemExit(main())
