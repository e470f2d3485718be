"""Measures what each opcode costs on a Cortex-M4F, and writes host_tools/gradmote/report/analyze/costs.json.

    cd tests && python -m bench.calibrate_cost
    cd tests && python -m bench.calibrate_cost --quantized      those of int8 and int16 alone
    cd tests && python -m bench.calibrate_cost --moments        what moments of bfloat16 add alone

Machine instructions of each instruction of several images are counted on the emulator; costs of a turn of
each loop are fitted so that relative errors are least. Networks of CHECKED are left out of the fit: their errors are
what the table claims.
"""

from __future__ import annotations

import argparse
import datetime
import json
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from bench import cost_models, cost_models_int8
from scipy.optimize import nnls

from gradmote.formats.image import read_image
from gradmote.generated.opcodes import OPCODES
from gradmote.report.analyze import cost
from gradmote.report.analyze.loops import MOMENTS, Iterations, iterations_of
from gradmote.report.bench.counting import Counted, Counter, counter

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
            turns = iterations_of(instruction, read.constants)
            yield instruction["opcode"], {loop: n * instruction["times"] for loop, n in turns.items()}, counted


def costs_of(rows: list[tuple[Iterations, int]]) -> dict[str, float]:
    """Machine instructions of a turn of each loop, none below 0, whose relative errors are least, in squares."""
    loops = list(dict.fromkeys(loop for turns, _ in rows for loop in turns))
    scaled = np.array([[turns.get(loop, 0) / counted for loop in loops] for turns, counted in rows])
    found, _ = nnls(scaled, np.ones(len(rows)))
    return {loop: float(f"{cost:.4g}") for loop, cost in zip(loops, found.tolist(), strict=True)}


def error_of(costs: Costs, image: bytes, counts: dict[str, Counted]) -> float:
    """Estimate / count - 1, of the program that trains."""
    read = read_image(image)
    program = read.programs[-1]
    estimate = sum(found(costs, instruction, read.constants) for instruction in program["instructions"])
    return estimate / sum(counts[program["kind"]].each) - 1


def found(costs: Costs, instruction: dict[str, Any], constants: bytes) -> float:
    """The estimate for an instruction by these costs."""
    if instruction["opcode"] in cost.ROWS:
        known = cost.machine_instructions(instruction, constants)
        assert known is not None
        return known
    turns = iterations_of(instruction, constants)
    return float(instruction["times"] * sum(costs[instruction["opcode"]][loop] * n for loop, n in turns.items()))


def is_quantized(opcode: str) -> bool:
    """Return whether an opcode has an operand of 8 or 16 bits other than an index or a flag."""
    return any(dtype in ("i8", "i16") for _, dtype, _, _ in OPCODES[opcode]["operands"].values())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.calibrate_cost", description=__doc__)
    parser.add_argument("--quantized", action="store_true", help="fit the opcodes of quantized models alone")
    parser.add_argument("--moments", action="store_true", help="fit what moments of bfloat16 add alone")
    given = parser.parse_args()
    if given.moments:
        fit()
    else:
        fit(cost_models_int8, *(() if given.quantized else (cost_models,)))


def fit(*sets: ModuleType) -> None:
    """Fit the costs of the opcodes that each set of models covers, and write them with their errors.

    What moments of bfloat16 add is fitted with every set.
    """
    known: dict[str, Any] = cost.table()
    costs, errors = dict(known["costs"]), dict(known["errors"])
    with tempfile.TemporaryDirectory() as name:
        board = counter(BOARD, Path(name))
        for models in sets:
            rows = rows_counted(board, models.fitted())
            wanted = {key: found for key, found in rows.items() if models is cost_models or is_new(key, known["costs"])}
            costs.update({key: costs_of(found) for key, found in wanted.items()})
        for key, found in costs_of_moments(board).items():
            costs[key] = {**costs[key], **found}
        for models in sets:
            for name, make in models.CHECKED.items():
                image = make()
                errors[name] = round(error_of(costs, image, board.count(image)), 4)
    write(dict(sorted(costs.items())), errors)


def costs_of_moments(board: Counter) -> Costs:
    """Return how much longer each opcode takes if moments are bfloat16."""
    rows: Rows = {}
    for pair in cost_models.pairs_of_moments():
        long, short = (rows_of(image, board.count(image)) for image in pair)
        for (key, _, plain), (_, terms, counted) in zip(long, short, strict=True):
            own = {loop: n for loop, n in terms.items() if loop in MOMENTS}
            if own:
                rows.setdefault(key, []).append((own, counted - plain))
    return {key: costs_of(found) for key, found in rows.items()}


def rows_counted(board: Counter, images: Iterable[bytes]) -> Rows:
    """Return what each opcode took in these images, instruction by instruction."""
    rows: Rows = {}
    for image in images:
        for key, terms, counted in rows_of(image, board.count(image)):
            rows.setdefault(key, []).append((terms, counted))
    return rows


def is_new(opcode: str, known: Costs) -> bool:
    """Return whether quantized models are what an opcode's costs come from."""
    return is_quantized(opcode) or opcode not in known


def write(costs: Costs, errors: dict[str, float]) -> None:
    how = "cd tests && python -m bench.calibrate_cost: arm-none-eabi-gcc -O2, Cortex-M4F, QEMU -icount"
    head = {"made": datetime.date.today().isoformat(), "how": how}
    text = json.dumps({**head, "errors": errors}, indent=1)[:-2]
    table = ",\n".join(f'  "{key}": {json.dumps(cost)}' for key, cost in costs.items())
    TABLE.write_text(f'{text},\n "costs": {{\n{table}\n }}\n}}\n')
    print("\n".join(f"{name}: {error:+.1%}" for name, error in errors.items()))


if __name__ == "__main__":
    main()
