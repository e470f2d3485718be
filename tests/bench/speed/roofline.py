"""Which part of this computer's peak each kernel reaches: representative layers, instruction by instruction."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from bench.speed.cases import BATCHES, samples, training
from bench.speed.kernels import FORWARD, INPUT, UPDATE, WEIGHT, Kernel, kernel_of, macs_of, shape_of
from bench.speed.spread import Spread

from gradmote.analyze.loops import extent
from gradmote.generated.opcodes import OPCODES
from gradmote.image import read_image
from gradmote_runtime import Session

#: Network -> kinds of kernels for which it has a typical layer.
LAYERS = {"autoencoder": ["linear"], "resnet_8": ["conv 3x3"], "ds_cnn": ["conv 1x1", "depthwise 3x3"]}
DIRECTIONS = ((FORWARD,), (INPUT,), (UPDATE, WEIGHT))
#: Nanoseconds from which an instruction is told by CPU time: reading that clock takes long, but it stands still while
#: other processes run.
LONG = 100_000


def measure(rounds: int) -> Iterator[dict[str, Any]]:
    """A row for each kind, direction and batch: see row()."""
    for network, kinds in LAYERS.items():
        for batch in BATCHES:
            image = training(network, "sgd", batch).image
            program = next(p for p in read_image(image).programs if p["kind"] == "step")
            times = seconds_of_each(image, *samples(network, batch), rounds)
            for kind in kinds:
                for directions in DIRECTIONS:
                    at = largest(program["instructions"], [Kernel(kind, d) for d in directions])
                    yield row(program["instructions"][at], batch, Spread.of(times[:, at]))


def largest(instructions: list[dict[str, Any]], kernels: list[Kernel]) -> int:
    """Index of the one with the most products, of those that are one of the kernels."""
    found = [i for i, instruction in enumerate(instructions) if kernel_of(instruction) in kernels]
    return max(found, key=lambda i: macs_of(instructions[i]))


def row(instruction: dict[str, Any], batch: int, seconds: Spread) -> dict[str, Any]:
    """rate: multiply-accumulates a second, median and quartiles. bytes: of its operands."""
    macs = macs_of(instruction)
    return {
        "kernel": str(kernel_of(instruction)),
        "shape": shape_of(instruction),
        "batch": batch,
        "macs": macs,
        "bytes": bytes_of(instruction),
        "rate": [macs / seconds.median, macs / seconds.high, macs / seconds.low],
    }


def bytes_of(instruction: dict[str, Any]) -> int:
    """Of all its operands, in float32; those that it changes count twice."""
    spec = OPCODES[instruction["opcode"]]["operands"]
    return sum(4 * len(access) * extent(instruction, name) for name, (access, *_) in spec.items())


# ---- Timing


def seconds_of_each(image: bytes, x: np.ndarray, y: np.ndarray, rounds: int) -> np.ndarray:
    """[round, instruction] of program step. The first round, which warms up, is left out."""
    with Session(image, "fused") as session:
        session.learning_rate = 1e-9  # the network stays what it is
        session.set_input(0, x)
        session.set_label(0, y)
        return np.array([run_once(session) for _ in range(rounds + 1)][1:]) * 1e-9


def run_once(session: Session) -> list[int]:
    """Nanoseconds of each instruction."""
    run, handle, found = session._lib.gm_run, session._session, []
    nothing = overhead(session)
    session.begin("step")
    status = session._lib.GM_AGAIN
    while status == session._lib.GM_AGAIN:
        cpu, wall = time.thread_time_ns(), time.perf_counter_ns()
        status = run(handle, 1)
        wall, cpu = time.perf_counter_ns() - wall, time.thread_time_ns() - cpu
        found.append(max(1, wall - nothing if wall < LONG else min(wall, cpu)))
    if status != session._lib.GM_OK:
        raise RuntimeError(f"a step failed with code {status}")
    return found


def overhead(session: Session) -> int:
    """Nanoseconds that a call takes that does nothing: no program is running."""
    run, handle, least = session._lib.gm_run, session._session, LONG
    for _ in range(20):
        start = time.perf_counter_ns()
        run(handle, 1)
        least = min(least, time.perf_counter_ns() - start)
    return least
