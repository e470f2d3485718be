"""The share of this computer's peak that each kernel reaches: representative layers, instruction by instruction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from bench.speed.cases import BATCHES, samples, training

from gradmote.formats.image import read_image
from gradmote.generated.opcodes import OPCODES
from gradmote.report.analyze.loops import extent
from gradmote.report.bench.kernel_totals import FORWARD, INPUT, UPDATE, WEIGHT, Kernel, kernels_of, macs_of, shape_of
from gradmote.report.bench.spread import Spread
from gradmote.report.bench.twin import RATE
from gradmote_runtime import Session
from gradmote_runtime.timing import seconds_of_each

#: Network -> kinds of kernels for which it has a typical layer.
LAYERS = {"autoencoder": ["linear"], "resnet_8": ["conv 3x3"], "ds_cnn": ["conv 1x1", "depthwise 3x3"]}
DIRECTIONS = ((FORWARD,), (INPUT,), (UPDATE, WEIGHT))


def measure(rounds: int) -> Iterator[dict[str, Any]]:
    """A row for each kind, direction and batch: see row()."""
    for network, kinds in LAYERS.items():
        for batch in BATCHES:
            data = training(network, "sgd", batch).image
            image = read_image(data)
            program = next(p for p in image.programs if p["kind"] == "step")
            kernels = kernels_of(image, program)
            times = times_of(data, *samples(network, batch), rounds, len(kernels))
            for kind in kinds:
                for directions in DIRECTIONS:
                    at = largest(program["instructions"], kernels, [Kernel(kind, d) for d in directions])
                    yield row(program["instructions"][at], kernels[at], batch, Spread.of(times[:, at]))


def largest(instructions: list[dict[str, Any]], kernels: list[Kernel], wanted: list[Kernel]) -> int:
    """Index of the one with the most products, of those that are one of the kernels. kernels: of each instruction."""
    found = [at for at, kernel in enumerate(kernels) if kernel in wanted]
    return max(found, key=lambda at: macs_of(instructions[at]))


def row(instruction: dict[str, Any], kernel: Kernel, batch: int, seconds: Spread) -> dict[str, Any]:
    """rate: multiply-accumulates a second, median and quartiles. bytes: of its operands."""
    macs = macs_of(instruction)
    return {
        "kernel": str(kernel),
        "shape": shape_of(instruction),
        "batch": batch,
        "macs": macs,
        "bytes": bytes_of(instruction),
        "rate": [macs / seconds.median, macs / seconds.high, macs / seconds.low],
    }


def bytes_of(instruction: dict[str, Any]) -> int:
    """Return the bytes of all the instruction's operands, in float32; those that it reads and writes count twice."""
    spec = OPCODES[instruction["opcode"]]["operands"]
    return sum(4 * len(access) * extent(instruction, name) for name, (access, *_) in spec.items())


def times_of(image: bytes, x: np.ndarray, y: np.ndarray, rounds: int, count: int) -> np.ndarray:
    """Seconds [round, instruction] of program step. The first round, which warms up, is left out."""
    with Session(image, "fused") as session:
        session.learning_rate = RATE
        session.set_input(0, x)
        session.set_label(0, y)
        return np.array([seconds_of_each(session, "step", count) for _ in range(rounds + 1)][1:])
