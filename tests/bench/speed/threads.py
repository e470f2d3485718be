"""Time of a step of a large batch with one thread and with several, in turns."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from typing import Any

from bench.speed.cases import ON_HOST, samples, training

from gradmote_runtime import Session

BATCH = 32
NETWORKS = ON_HOST
#: One round takes so many seconds.
SECONDS = 0.05


def counts() -> list[int]:
    """1, 2, 4 and 8, up to the processors that there are; 2 in any case."""
    return [1, 2, *(count for count in (4, 8) if count <= (os.cpu_count() or 1))]


def measure(network: str, rounds: int) -> dict[str, Any]:
    """Seconds of a step on the clock, of each number of threads and in each round: {"samples": {"1": [...], ...}}."""
    image = training(network, "adamw", BATCH, "batch").image
    with ExitStack() as stack:
        sessions = {n: stack.enter_context(Session(image, "fused", n)) for n in counts()}
        for session in sessions.values():
            prepare(session, network)
        steps = max(1, round(SECONDS / seconds_of_a_step(sessions[1], 1)))
        found: dict[int, list[float]] = {n: [] for n in sessions}
        for _ in range(rounds):
            for n, session in sessions.items():
                found[n].append(float(f"{seconds_of_a_step(session, steps):.4g}"))
    return {"network": network, "batch": BATCH, "samples": {str(n): taken for n, taken in found.items()}}


def prepare(session: Session, network: str) -> None:
    """Load one batch into the inputs and run a warm-up step, at a rate so small that the weights stay."""
    x, y = samples(network, BATCH)
    session.learning_rate = 1e-9
    session.set_input(0, x)
    session.set_label(0, y)
    session.step()


def seconds_of_a_step(session: Session, steps: int) -> float:
    start = time.perf_counter()
    for _ in range(steps):
        session.step()
    return (time.perf_counter() - start) / steps
