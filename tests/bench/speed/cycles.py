"""Machine instructions and modelled cycles of a training step or an inference on an emulated board, by kernel or layer.

    cd tests && python -m bench.speed.cycles --board mps2-an386 --network ds_cnn
    cd tests && python -m bench.speed.cycles --board mps2-an386 --network cnn --core cortex-m33 --core cortex-m7
    cd tests && python -m bench.speed.cycles --board riscv-virt --network resnet_8 --layers

The emulator runs the board's own code, and the model computes how many cycles it takes: on the board's core, or on
those of --core, which need not be the board's as long as they have its instructions. Memory has no wait states. If the
board's core has no model, only instructions are shown.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bench.speed.cases import OPTIMIZERS, TITLES, training

from gradmote.formats.image import Image, read_image
from gradmote.report.bench.counting import BOARDS, Counted, Counter, counter
from gradmote.report.bench.cycles.cores import core_called, core_files, read_core
from gradmote.report.bench.cycles.timings import Core
from gradmote.report.bench.kernel_totals import kernels_of, macs_of, shape_of, totals
from gradmote.terminal.printable import LINE, Row, Rows
from gradmote.terminal.terminal import console, table


def main() -> None:
    arguments = parse()
    image = training(arguments.network, arguments.optimizer, arguments.batch).image
    with tempfile.TemporaryDirectory() as folder:
        board = counter(arguments.board, Path(folder), [image])
        cores = [read_core(name) for name in arguments.core] or own_core(board)
        counts = {core.title: counted(board, image, core, arguments.program) for core in cores}
        counts = counts or {"": counted(board, image, None, arguments.program)}
    rows = (layer_rows if arguments.layers else kernel_rows)(read_image(image), arguments.program, counts)
    what = f"{TITLES[arguments.network]}, {arguments.optimizer}, batch {arguments.batch}: {arguments.program}"
    modelled = ", modelled, zero wait states" if cores else ""
    console().print(table(f"{what} on {arguments.board}{modelled}", rows))


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
    parser.add_argument("--layers", action="store_true", help="a row for each layer with products, in their order")
    return parser.parse_args()


def own_core(board: Counter) -> list[Core]:
    """Return the core of the board, if it has timings."""
    core = core_called(board.board.table["core"])
    return [] if core is None else [core]


def counted(board: Counter, image: bytes, core: Core | None, program: str) -> Counted:
    return board.count(image, None if core is None else board.model(core))[program]


def kernel_rows(image: Image, kind: str, counts: dict[str, Counted]) -> Rows:
    """One row for each kernel, the one with the most machine instructions first. counts: by the core's title."""
    program = program_of(image, kind)
    first, modelled = next(iter(counts.values())), with_cycles(counts)
    instructions = totals(image, program, first.each)
    cycles = [totals(image, program, found.cycles) for found in modelled.values()]
    rows: list[Row] = []
    for kernel, total in instructions.items():
        rows.append((str(kernel), *costs(total.macs, total.cost, *(found[kernel].cost for found in cycles))))
    macs = sum(total.macs for total in instructions.values())
    whole = ("all", *costs(macs, first.whole, *(found.whole_cycles for found in modelled.values())))
    return ["kernel", *columns_of(modelled)], [*rows, LINE, whole]


def layer_rows(image: Image, kind: str, counts: dict[str, Counted]) -> Rows:
    """One row for each instruction of the image with multiply-accumulates, in their order. counts: as above."""
    program = program_of(image, kind)
    first, modelled = next(iter(counts.values())), with_cycles(counts)
    kernels = kernels_of(image, program)
    rows: list[Row] = []
    for at, instruction in enumerate(program["instructions"]):
        if macs := macs_of(instruction):
            found = costs(macs, first.each[at], *(one.cycles[at] for one in modelled.values()))
            rows.append((str(kernels[at]), shape_of(instruction), *found))
    return ["kernel", "shape", *columns_of(modelled)], rows


def program_of(image: Image, kind: str) -> dict[str, Any]:
    return next(program for program in image.programs if program["kind"] == kind)


def with_cycles(counts: dict[str, Counted]) -> dict[str, Counted]:
    """Return those of cores that have a model."""
    return {title: found for title, found in counts.items() if found.cycles}


def columns_of(titles: Iterable[str]) -> list[str]:
    """The columns of costs(), with cycles of each of these cores."""
    columns = ["MAC#", "instructions#", "a MAC#"]
    return columns + [cell for title in titles for cell in (f"{title.removeprefix('Cortex-')} cycles#", "a MAC#")]


def costs(macs: int, *found: float) -> Iterator[str]:
    """The cells of MACs, and of each cost with what it is for one of them."""
    yield f"{macs:,}" if macs else ""
    for cost in found:
        yield f"{cost:,.0f}"
        yield f"{cost / macs:.2f}" if macs else ""


if __name__ == "__main__":
    main()
