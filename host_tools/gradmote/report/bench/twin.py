"""Times an image's programs on this computer: whole runs as Python calls them, and each instruction alone.

Times are of the CPU, which stand still while other processes run.
"""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gradmote_runtime import Session
from gradmote_runtime.timing import seconds_of_each

from ...formats.image import Image, read_image
from .kernels import Kernel, Total, totals
from .spread import Spread

Array = np.ndarray
#: Program -> the call of a Session that runs it whole.
CALLS = {"step": "step", "train": "train_step", "eval": "eval_step", "infer": "infer"}
#: So small that the network stays what it is through thousands of steps: none gets to subnormal numbers.
RATE = 1e-9
#: Seconds that the calls of a round take, at least.
ROUND = 0.01


@dataclass(frozen=True)
class Timed:
    """Of one program. seconds: of a run. kernels: their costs are medians of seconds."""

    kind: str
    batch: int
    seconds: Spread
    kernels: dict[Kernel, Total]

    @property
    def around(self) -> float:
        """Seconds of a median run that no kernel takes: the call from Python, and its arrays' copies. 0 where kernels
        were slower when they ran one by one."""
        return max(0.0, self.seconds.median - sum(total.cost for total in self.kernels.values()))


def time_program(
    data: bytes, kind: str, rounds: int, profile: str, on_round: Callable[[], None] = lambda: None
) -> Timed:
    """Runs a program of an image, with its inputs drawn at random, `rounds` times or more often in each of two ways:
    whole, and instruction by instruction. kind: one of CALLS. RuntimeFault where the runtime refuses."""
    image = read_image(data)
    program = next(program for program in image.programs if program["kind"] == kind)
    with Session(data, profile) as session:
        arrays = prepare(session, image, kind)
        run = getattr(session, CALLS[kind])
        calls = calls_for(lambda: run(*arrays))
        whole = np.empty(rounds)
        each = np.empty((rounds, len(program["instructions"])))
        for at in range(rounds):
            whole[at] = seconds_of(lambda: run(*arrays), calls) / calls
            feed(session, arrays)
            each[at] = seconds_of_each(session, kind, each.shape[1])
            on_round()
    kernels = totals(image, program, np.median(each, axis=0).tolist())
    return Timed(kind, image.header["batch"], Spread.of(whole.tolist()), kernels)


def prepare(session: Session, image: Image, kind: str) -> list[Array]:
    """What the program takes: inputs, then labels. Its updates are made to change next to nothing."""
    if any(program["kind"] in ("step", "optimizer") for program in image.programs):
        session.learning_rate = RATE
    random = np.random.default_rng(0)
    fed = session.inputs() + (session.labels() if kind != "infer" else [])
    return [drawn(tensor, random) for tensor in fed]


def drawn(tensor: dict[str, Any], random: np.random.Generator) -> Array:
    """In 0 .. 1, as masks and targets of any loss may be; classes and indices are 0, which all models have."""
    if tensor["dtype"] == "int32":
        return np.zeros(tensor["shape"], np.int32)
    return random.random(tensor["shape"], np.float32)


def processor() -> str:
    """This computer's, in the words of the kernel."""
    cpu_info = Path("/proc/cpuinfo")
    lines = cpu_info.read_text().splitlines() if cpu_info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} cores" if names else platform.processor() or platform.machine()


def calls_for(run: Callable[[], object]) -> int:
    """How many calls take a ROUND. They also warm up."""
    calls = 1
    while (taken := seconds_of(run, calls)) < ROUND / 4:
        calls *= 4
    return max(1, math.ceil(calls * ROUND / taken))


def seconds_of(run: Callable[[], object], calls: int) -> float:
    start = time.thread_time()
    for _ in range(calls):
        run()
    return time.thread_time() - start


def feed(session: Session, arrays: list[Array]) -> None:
    """Inputs, then labels, as many as there are arrays."""
    inputs = len(session.inputs())
    for at, array in enumerate(arrays[:inputs]):
        session.set_input(at, array)
    for at, array in enumerate(arrays[inputs:]):
        session.set_label(at, array)
