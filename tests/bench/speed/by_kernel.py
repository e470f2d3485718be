"""How long each kernel of a training step takes on this computer, and how much sooner it would be done at the peak.

    cd tests && python -m bench.speed.by_kernel NETWORK [--batch N] [--optimizer adamw_ort] [--rounds N]

Every instruction is timed in its place within a step, as shares.py does, with batch norms, if there are any, that take
the statistics of the batch (cases.py). What is lost is the time beyond that of the products alone at the measured peak.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.speed import peak, shares
from bench.speed.cases import BATCHES, ON_HOST, OPTIMIZERS, HostCase, samples, training

from gradmote.formats.image import read_image
from gradmote.report.bench.kernel_totals import kernels_of, macs_of
from gradmote.terminal.terminal import console, table


@dataclass(frozen=True)
class Timed:
    """One instruction. macs: without those of padding."""

    kernel: str
    macs: int
    seconds: float


def main() -> None:
    """Print a table for each batch."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", choices=ON_HOST)
    parser.add_argument("--batch", type=int, action="append", help="1 and 32 where it is not given")
    parser.add_argument("--optimizer", choices=OPTIMIZERS, default="adamw_ort")
    parser.add_argument("--rounds", type=int, default=25, help="of each timing, of which the fastest counts")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        most = peak.measure(Path(folder)).macs
    for batch in chosen.batch or BATCHES:
        timed = instructions_of(chosen.network, batch, chosen.optimizer, chosen.rounds)
        title = f"{chosen.network}, batch {batch}: {1e6 * sum(one.seconds for one in timed):,.0f} µs"
        console().print(table(title, table_of(timed, most)))


def instructions_of(network: str, batch: int, optimizer: str, rounds: int) -> list[Timed]:
    """Return every instruction of a step with its least time, in vectors as wide as there are."""
    data = training(network, optimizer, batch, HostCase(network, batch, "train").statistics).image
    image = read_image(data)
    program = next(p for p in image.programs if p["kind"] == "step")
    kernels, width = kernels_of(image, program), max(shares.WIDTHS)
    seconds = shares.times_of(data, *samples(network, batch), [width], rounds, len(kernels))[width]
    return [
        Timed(str(kernel), shares.macs_inside(instruction) if macs_of(instruction) else 0, float(time))
        for kernel, instruction, time in zip(kernels, program["instructions"], seconds, strict=True)
    ]


def table_of(timed: Iterable[Timed], peak_macs: float) -> tuple[list[str], list[list[str]]]:
    """Return the columns, and a line for each kernel, the longest first. peak_macs: products a second."""
    groups: dict[str, list[Timed]] = {}
    for one in timed:
        groups.setdefault(one.kernel, []).append(one)
    whole = sum(one.seconds for found in groups.values() for one in found)
    lines = []
    for kernel, found in sorted(groups.items(), key=lambda item: -sum(one.seconds for one in item[1])):
        seconds, least = sum(one.seconds for one in found), sum(one.macs for one in found) / peak_macs
        reached = f"{least / seconds:.0%}" if least else ""
        lost = f"{1e6 * (seconds - least):,.1f}"
        lines.append([kernel, str(len(found)), f"{1e6 * seconds:,.1f}", f"{seconds / whole:.1%}", reached, lost])
    return ["kernel", "instructions#", "µs#", "of the step#", "of the peak#", "lost µs#"], lines


if __name__ == "__main__":
    main()
