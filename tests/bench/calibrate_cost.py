"""Measures what each opcode costs on a Cortex-M4F, and writes host_tools/gradmote/report/analyze/costs.json.

    cd tests && python -m bench.calibrate_cost

Machine instructions of each instruction of several images are counted on the emulator; costs of a turn of
each loop are fitted so that relative errors are least. Networks of CHECKED are left out of the fit: their errors are
what the table claims.
"""

from __future__ import annotations

import datetime
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from bench.cost_models import CHECKED, fitted
from scipy.optimize import nnls

from gradmote.formats.image import read_image
from gradmote.report.analyze import cost
from gradmote.report.analyze.loops import Iterations, iterations_of
from gradmote.report.bench.counting import Counted, counter

TABLE = Path(cost.__file__).with_name("costs.json")


BOARD = "mps2-an386"


# ---- Fitting


Rows = dict[str, list[tuple[Iterations, int]]]
#: Opcode -> loop -> machine instructions a turn.
Costs = dict[str, dict[str, float]]


def rows_of(image: bytes, counts: dict[str, Counted]) -> Iterator[tuple[str, Iterations, int]]:
    """(opcode, turns of its loops, machine instructions) of each instruction."""
    read = read_image(image)
    for program in read.programs:
        for instruction, counted in zip(program["instructions"], counts[program["kind"]].each, strict=True):
            yield instruction["opcode"], iterations_of(instruction, read.constants), counted


def costs_of(rows: list[tuple[Iterations, int]]) -> dict[str, float]:
    """Machine instructions of a turn of each loop, none below 0, whose relative errors are least, in squares."""
    loops = list(dict.fromkeys(loop for turns, _ in rows for loop in turns))
    scaled = np.array([[turns.get(loop, 0) / counted for loop in loops] for turns, counted in rows])
    found, _ = nnls(scaled, np.ones(len(rows)))
    return {loop: float(f"{cost:.4g}") for loop, cost in zip(loops, found.tolist(), strict=True)}


def error_of(costs: Costs, image: bytes, counts: dict[str, Counted]) -> float:
    """Estimate / count - 1, of the program that trains."""
    rows = list(rows_of(image, counts))[-len(list(counts.values())[-1].each) :]
    estimate = sum(costs[opcode][loop] * n for opcode, turns, _ in rows for loop, n in turns.items())
    return estimate / sum(counted for *_, counted in rows) - 1


def main() -> None:
    rows: Rows = {}
    with tempfile.TemporaryDirectory() as name:
        board = counter(BOARD, Path(name))
        for image in fitted():
            for key, terms, counted in rows_of(image, board.count(image)):
                rows.setdefault(key, []).append((terms, counted))
        costs = {key: costs_of(found) for key, found in sorted(rows.items())}
        errors = {}
        for name, make in CHECKED.items():
            image = make()
            errors[name] = round(error_of(costs, image, board.count(image)), 4)
    write(costs, errors)


def write(costs: Costs, errors: dict[str, float]) -> None:
    how = "cd tests && python -m bench.calibrate_cost: arm-none-eabi-gcc -O2, Cortex-M4F, QEMU -icount"
    head = {"made": datetime.date.today().isoformat(), "how": how}
    text = json.dumps({**head, "errors": errors}, indent=1)[:-2]
    table = ",\n".join(f'  "{key}": {json.dumps(cost)}' for key, cost in costs.items())
    TABLE.write_text(f'{text},\n "costs": {{\n{table}\n }}\n}}\n')
    print("\n".join(f"{name}: {error:+.1%}" for name, error in errors.items()))


if __name__ == "__main__":
    main()
