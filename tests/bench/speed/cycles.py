"""Modelled cycles of a training step or an inference, by kernel, on an emulated board.

    cd tests && python -m bench.speed.cycles --board mps2-an386 --network ds_cnn
    cd tests && python -m bench.speed.cycles --board mps2-an386 --network cnn --core cortex-m33 --core cortex-m7

The emulator runs the board's own code, and the model tells how many cycles it takes: on the board's core, or on those
of --core, which need not be the board's as long as they have its instructions. Memory has no wait states.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.speed.cases import OPTIMIZERS, TITLES, training

from gradmote.formats.image import Image, read_image
from gradmote.report.bench.counting import BOARDS, Counted, Counter, counter, timed_core
from gradmote.report.bench.cycles.cores import core_files, read_core
from gradmote.report.bench.cycles.timings import Core
from gradmote.report.bench.kernel_totals import Total, totals
from gradmote.report.tables import LINE, Row, Rows
from gradmote.report.terminal import console, table


def main() -> None:
    arguments = parse()
    image = training(arguments.network, arguments.optimizer, arguments.batch).image
    with tempfile.TemporaryDirectory() as folder:
        board = counter(arguments.board, Path(folder), [image])
        cores = [read_core(name) for name in arguments.core] or [timed_core(board.board)]
        counts = {core.title: counted(board, image, core, arguments.program) for core in cores}
    rows = kernel_rows(read_image(image), arguments.program, counts)
    what = f"{TITLES[arguments.network]}, {arguments.optimizer}, batch {arguments.batch}: {arguments.program}"
    console().print(table(f"{what} on {arguments.board}, modelled, zero wait states", rows))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.speed.cycles", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--board", default="mps2-an386", choices=BOARDS)
    parser.add_argument("--network", default="mlp", choices=TITLES)
    parser.add_argument("--optimizer", default="sgd", choices=OPTIMIZERS)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--program", default="step", choices=("step", "infer"))
    parser.add_argument("--core", action="append", default=[], choices=core_files(), help="repeatable")
    return parser.parse_args()


def counted(board: Counter, image: bytes, core: Core, program: str) -> Counted:
    return board.count(image, board.model(core))[program]


def kernel_rows(image: Image, kind: str, counts: dict[str, Counted]) -> Rows:
    """One row for each kernel, the one with the most machine instructions first. counts: by the core's title."""
    program = next(program for program in image.programs if program["kind"] == kind)
    first = next(iter(counts.values()))
    instructions = totals(image, program, first.each)
    cycles = {title: totals(image, program, found.cycles) for title, found in counts.items()}
    columns = ["kernel", "MAC#", "instructions#", "a MAC#"]
    columns += [cell for title in counts for cell in (f"{title.removeprefix('Cortex-')} cycles#", "a MAC#")]
    rows: list[Row] = []
    for kernel, total in instructions.items():
        rows.append((str(kernel), *costs(total.macs, total.cost, *(found[kernel].cost for found in cycles.values()))))
    whole = Total(0, first.whole, sum(total.macs for total in instructions.values()))
    return columns, [*rows, LINE, ("all", *costs(whole.macs, whole.cost, *(c.whole_cycles for c in counts.values())))]


def costs(macs: int, *found: float) -> Iterator[str]:
    """The cells of MACs, and of each cost with what it is for one of them."""
    yield f"{macs:,}" if macs else ""
    for cost in found:
        yield f"{cost:,.0f}"
        yield f"{cost / macs:.2f}" if macs else ""


if __name__ == "__main__":
    main()
