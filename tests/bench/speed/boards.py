"""Machine instructions of a step and of an inference on emulated boards, exact and the same in each run and everywhere,
and the cycles that a model computes from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.speed.cases import BOARD_CASES, BoardCase, training

from gradmote.compiler import Result
from gradmote.formats.image import read_image
from gradmote.report.bench.counting import Counted, counter
from gradmote.report.bench.cycles.cores import core_called
from gradmote.report.bench.kernel_totals import totals

#: The boards, and the networks that are left out: on one without a floating-point unit, those that would take minutes.
BOARDS: dict[str, tuple[str, ...]] = {
    "mps2-an386": (),
    "mps2-an505": (),
    "mps2-an500": (),
    "mps3-an547": (),
    "mps2-an385": ("resnet_8", "mobilenet_v1"),
    "riscv-virt": (),
    "riscv-virt-v": (),
}
#: Those whose machine instructions are shown; the others run nearly the same as the first one, in other times.
WITH_OWN_CODE = ("mps2-an386", "mps3-an547", "mps2-an385", "riscv-virt", "riscv-virt-v")


def cases_for(board: str) -> list[BoardCase]:
    return [case for case in BOARD_CASES if case.network not in BOARDS[board]]


def measure(name: str, cases: Sequence[BoardCase], folder: Path) -> Iterator[tuple[BoardCase, dict[str, Any]]]:
    """Each case with its figures, as they come. The firmware has what these cases need, as one that is flashed."""
    results = {case: training(case.network, case.optimizer, case.batch) for case in cases}
    board = counter(name, folder, [result.image for result in results.values()])
    model = board.model() if core_called(board.board.table["core"]) is not None else None
    for case, result in results.items():
        yield case, figures(result, board.count(result.image, model))


def figures(result: Result, counted: dict[str, Counted]) -> dict[str, Any]:
    """Return instructions of gm_step() and gm_infer(), and those of each kernel of the step: {"step": n, "infer": n,
    "macs": n, "arena": bytes, "kernels": [[kernel, instructions, macs], ...]}. If cycles are modelled, "cycles" has
    {"step": n, "infer": n, "kernels": [n, ...]}, the kernels in the same order."""
    image = read_image(result.image)
    step = next(program for program in image.programs if program["kind"] == "step")
    found = totals(image, step, counted["step"].each)
    cycles = totals(image, step, counted["step"].cycles) if counted["step"].cycles else {}
    modelled = {
        "step": counted["step"].whole_cycles,
        "infer": counted["infer"].whole_cycles,
        "kernels": [round(cycles[kernel].cost) for kernel in found if cycles],
    }
    return {
        "step": counted["step"].whole,
        "infer": counted["infer"].whole,
        "macs": sum(total.macs for total in found.values()),
        "arena": result.layout.arena_size,
        "kernels": [[str(kernel), round(total.cost), total.macs] for kernel, total in found.items()],
        **({"cycles": modelled} if cycles else {}),
    }
