"""The share of this computer's peak that each layer of the networks reaches, and what it should be.

Products are compared with the peak of multiply-accumulates; only those whose tap is inside the input count. Updates are
compared with the bandwidth of main memory: if parameters stay in a cache, they reach more than that. Every instruction
is timed in its place within a training step with SGD. Vectors of each width are timed in turns in one process, and the
fastest of all rounds counts, as it does for the peak.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from bench.speed.cases import BATCHES, ON_HOST, samples, training
from bench.speed.peak import Peak
from bench.speed.roofline import bytes_of

from gradmote.formats.image import read_image
from gradmote.report.bench.kernel_totals import (
    CONVOLUTIONS,
    FORWARD,
    INPUT,
    UPDATE,
    WEIGHT,
    Kernel,
    kernels_of,
    macs_of,
    shape_of,
)
from gradmote.report.bench.twin import RATE
from gradmote_runtime import Session
from gradmote_runtime.library import limit_vectors
from gradmote_runtime.timing import seconds_of_each

#: Bits of vectors: those of AVX2, and those of AVX-512 in the kernels that have them.
WIDTHS = (256, 512)
#: Of the peak, by direction, for dense convolutions.
LIMITS = {FORWARD: 0.85, INPUT: 0.85, WEIGHT: 0.75, UPDATE: 0.75}
#: For those of 1x1 at batch 1, which pack weights for few pixels.
LIMIT_OF_1X1 = 0.65
#: Of the bandwidth, for updates.
LIMIT_OF_UPDATES = 0.80
#: An update of fewer parameters is not memory's work but that of calls.
LARGE_UPDATE = 4096
PROFILE = "fused"


@dataclass(frozen=True)
class Row:
    """One instruction. macs: without those of padding. limit: the share that it should reach, or None. seconds: by the
    width of vectors."""

    kernel: Kernel
    shape: str
    macs: int
    bytes: int
    limit: float | None
    seconds: dict[int, float]

    @property
    def is_update(self) -> bool:
        """Return whether it is compared with the bandwidth."""
        return self.limit == LIMIT_OF_UPDATES

    def share(self, width: int, peak: Peak) -> float:
        """Return the part of the peak, or of the bandwidth, that it reaches with vectors of so many bits."""
        work, most = (self.bytes, peak.bandwidth) if self.is_update else (self.macs, peak.macs)
        return work / self.seconds[width] / most


def usable(widths: list[int]) -> list[int]:
    """Return the widths that this processor has; only the widest if it offers no choice."""
    found = sorted({limit_vectors(PROFILE, width) for width in widths})
    limit_vectors(PROFILE, max(WIDTHS))
    return found


def measure(rounds: int, peak: Peak) -> Iterator[dict[str, Any]]:
    """Yield a row for each layer of a network that has a limit, at each batch. shares: the mean of equal layers, by
    width."""
    widths = usable(list(WIDTHS))
    for network in ON_HOST:
        for batch in BATCHES:
            equal: dict[tuple[str, str], list[Row]] = {}
            for row in rows_of(network, batch, widths, rounds):
                if row.limit is not None:
                    equal.setdefault((str(row.kernel), row.shape), []).append(row)
            for (kernel, shape), rows in equal.items():
                shares = {str(width): float(np.mean([row.share(width, peak) for row in rows])) for width in widths}
                found = {"network": network, "batch": batch, "kernel": kernel, "shape": shape, "layers": len(rows)}
                yield {**found, "update": rows[0].is_update, "limit": rows[0].limit, "shares": shares}


def rows_of(network: str, batch: int, widths: list[int], rounds: int) -> list[Row]:
    """Return a row for each product and each large update of the step."""
    data = training(network, "sgd", batch).image
    image = read_image(data)
    program = next(p for p in image.programs if p["kind"] == "step")
    kernels = kernels_of(image, program)
    times = times_of(data, *samples(network, batch), widths, rounds, len(kernels))
    return [
        row_of(instruction, kernels[at], batch, {width: times[width][at] for width in widths})
        for at, instruction in enumerate(program["instructions"])
        if macs_of(instruction) or is_large_update(instruction)
    ]


def is_large_update(instruction: dict[str, Any]) -> bool:
    """Return whether it updates so many parameters that memory decides its time."""
    opcode, p = instruction["opcode"], instruction["params"]
    if opcode == "GEMM_UPDATE":
        return bool(p["k"] == 1 and p["m"] * p["n"] >= LARGE_UPDATE)
    return bool(opcode == "UPDATE" and p["n"] >= LARGE_UPDATE)


def row_of(instruction: dict[str, Any], kernel: Kernel, batch: int, seconds: dict[int, float]) -> Row:
    """Return the row of one instruction."""
    macs = macs_inside(instruction)
    shape = shape_of(instruction) if macs else f"{instruction['params']['n']}"
    limit = LIMIT_OF_UPDATES if is_large_update(instruction) else limit_of(kernel, batch)
    return Row(kernel, shape, macs, bytes_of(instruction), limit, seconds)


def macs_inside(instruction: dict[str, Any]) -> int:
    """Return the multiply-accumulates of an instruction whose tap is inside the input."""
    macs, p = macs_of(instruction), instruction["params"]
    if instruction["opcode"] not in CONVOLUTIONS:
        return macs
    return (
        macs
        * taps_inside(p, "h")
        * taps_inside(p, "w")
        // math.prod(p[f"{n}_{a}"] for n in ("out", "kernel") for a in "hw")
    )


def taps_inside(p: dict[str, Any], axis: str) -> int:
    """Return how many taps of all outputs along an axis, "h" or "w", are inside the input. p: of a convolution."""
    size, outputs, kernel, stride, dilation, pad = (
        p[f"{name}_{axis}"] for name in ("in", "out", "kernel", "stride", "dilation", "pad")
    )
    return sum(0 <= o * stride + k * dilation - pad < size for o in range(outputs) for k in range(kernel))


def limit_of(kernel: Kernel, batch: int) -> float | None:
    """Return the share of the peak that a product should reach. None: there is no limit for its kind."""
    if not kernel.kind.startswith("conv"):
        return None
    return LIMIT_OF_1X1 if kernel.kind == "conv 1x1" and batch == 1 else LIMITS[kernel.direction]


def times_of(
    image: bytes, x: np.ndarray, y: np.ndarray, widths: list[int], rounds: int, count: int
) -> dict[int, np.ndarray]:
    """Return the least seconds of each instruction, by width. A first round of each warms up."""
    found = {width: np.full(count, np.inf) for width in widths}
    with Session(image, PROFILE) as session:
        session.learning_rate = RATE
        session.set_input(0, x)
        session.set_label(0, y)
        for number in range(rounds + 1):
            for width in widths:
                limit_vectors(PROFILE, width)
                seconds = seconds_of_each(session, "step", count)
                found[width] = np.minimum(found[width], seconds) if number else found[width]
    limit_vectors(PROFILE, max(WIDTHS))
    return found


def table_of(rows: list[Row], widths: list[int], peak: Peak) -> tuple[list[str], list[list[str]]]:
    """Return the columns and the lines; a share below its limit has a mark."""
    columns = ["kernel", "layer", "of#", *(f"{width} bits#" for width in widths), "limit#", "holds"]
    lines = []
    for row in rows:
        reached = [row.share(width, peak) for width in widths]
        limit = "" if row.limit is None else f"{row.limit:.0%}"
        holds = "" if row.limit is None else "yes" if reached[-1] >= row.limit else "no"
        of = "bandwidth" if row.is_update else "peak"
        lines.append([str(row.kernel), row.shape, of, *(f"{share:.1%}" for share in reached), limit, holds])
    return columns, lines
