"""Times of an image's programs on this computer: whole runs from Python, and single instructions.

Times are CPU times: the clock stops while other processes run.
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

from ...formats.image import Image, read_image, run_order
from .kernel_totals import Kernel, Total, totals
from .spread import Spread

Array = np.ndarray
#: For each program, the method of Session that runs it as a whole.
CALLS = {"step": "step", "train": "train_step", "eval": "eval_step", "infer": "infer"}
#: A rate so small that thousands of steps hardly change the network, which keeps numbers from becoming
#: subnormal.
RATE = 1e-9
#: The minimum duration of a round's calls in seconds.
ROUND = 0.01


@dataclass(frozen=True)
class Timed:
    """The times of one program.

    `seconds` are for a run. The costs of `kernels` are medians, in seconds.
    """

    kind: str
    batch: int
    seconds: Spread
    kernels: dict[Kernel, Total]

    @property
    def around(self) -> float:
        """Return the seconds of a median run outside of kernels.

        They are for the call from Python and the copies of its arrays. The result is 0 if the kernels were
        slower when they ran one by one.
        """
        return max(0.0, self.seconds.median - sum(total.cost for total in self.kernels.values()))


def time_program(
    data: bytes, kind: str, rounds: int, profile: str, on_round: Callable[[], None] = lambda: None
) -> Timed:
    """Run a program of an image with random inputs, and return its times.

    The program runs at least `rounds` times as a whole, and as often instruction by instruction. `kind`
    is one of CALLS. Raises RuntimeFault if the runtime refuses.
    """
    image = read_image(data)
    program = next(program for program in image.programs if program["kind"] == kind)
    with Session(data, profile) as session:
        arrays = prepare(session, image, kind)
        run = getattr(session, CALLS[kind])
        calls = calls_for(lambda: run(*arrays))
        whole = np.empty(rounds)
        order = run_order(program["instructions"])
        each = np.empty((rounds, len(order)))
        for at in range(rounds):
            whole[at] = seconds_of(lambda: run(*arrays), calls) / calls
            feed(session, arrays)
            each[at] = seconds_of_each(session, kind, each.shape[1])
            on_round()
    costs = np.bincount(order, np.median(each, axis=0), len(program["instructions"]))
    kernels = totals(image, program, costs.tolist())
    return Timed(kind, image.header["batch"], Spread.of(whole.tolist()), kernels)


def prepare(session: Session, image: Image, kind: str) -> list[Array]:
    """Return random inputs, then labels, for the program.

    Also sets the learning rate so low that updates hardly change anything.
    """
    if any(program["kind"] in ("step", "optimizer") for program in image.programs):
        session.learning_rate = RATE
    random = np.random.default_rng(0)
    fed = session.inputs() + (session.labels() if kind != "infer" else [])
    return [drawn(tensor, random) for tensor in fed]


def drawn(tensor: dict[str, Any], random: np.random.Generator) -> Array:
    """Return an array for one tensor.

    Its numbers are in 0 .. 1, which suits masks, and targets of any loss. Classes and indices are 0,
    which is valid for every model.
    """
    if tensor["dtype"] == "int32":
        return np.zeros(tensor["shape"], np.int32)
    return random.random(tensor["shape"], np.float32)


def processor() -> str:
    """Return the name of this computer's processor and the number of its cores."""
    cpu_info = Path("/proc/cpuinfo")
    lines = cpu_info.read_text().splitlines() if cpu_info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} cores" if names else platform.processor() or platform.machine()


def calls_for(run: Callable[[], object]) -> int:
    """Return how many calls fill one ROUND; the trial calls also warm up."""
    calls = 1
    while (taken := seconds_of(run, calls)) < ROUND / 4:
        calls *= 4
    return max(1, math.ceil(calls * ROUND / taken))


def seconds_of(run: Callable[[], object], calls: int) -> float:
    """Return the CPU seconds that these calls take."""
    start = time.thread_time()
    for _ in range(calls):
        run()
    return time.thread_time() - start


def feed(session: Session, arrays: list[Array]) -> None:
    """Set the inputs, then the labels, of the session."""
    inputs = len(session.inputs())
    for at, array in enumerate(arrays[:inputs]):
        session.set_input(at, array)
    for at, array in enumerate(arrays[inputs:]):
        session.set_label(at, array)
