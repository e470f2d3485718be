"""An estimate of the machine instructions that an instruction takes on a Cortex-M4F.

Each iteration of each loop of a kernel costs a fixed number of machine instructions.
tests/bench/calibrate_cost.py measured these numbers on the emulator. costs.json says when, and how
large the estimate's error is for networks outside of the calibration.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from .loops import iterations_of, work_of

#: The opcodes whose work is multiply-accumulates.
PRODUCTS = {
    "ATTENTION", "ATTENTION_GRAD", "CONV", "CONV_GRAD_W", "CONV_TRANSPOSE", "CONV_UPDATE", "GEMM", "GEMM_UPDATE",
    "GRU_CELLS", "GRU_CELLS_GRAD", "LSTM_CELLS", "LSTM_CELLS_GRAD", "MATMUL", "RNN_CELLS", "RNN_CELLS_GRAD",
    "WEIGHTED_GATHER", "WEIGHTED_SCATTER_ADD",
}  # fmt: skip

#: Machine instructions of the opcodes that run layers row by row: each time, and for each byte moved.
ROWS = {"LOOP": (30.0, 0.0), "GUARD": (90.0, 0.0), "SHIFT": (50.0, 0.41)}


def macs_of(instruction: dict[str, Any]) -> int:
    """Return the multiply-accumulates of an instruction, including those on padding."""
    return instruction["times"] * work_of(instruction) if instruction["opcode"] in PRODUCTS else 0


@cache
def table() -> dict[str, Any]:
    """Return the contents of costs.json.

    Its keys are `made`, `how`, `errors` {model: relative error} and
    `costs` {opcode: {loop: machine instructions of an iteration}}.
    """
    found: dict[str, Any] = json.loads((files(__package__) / "costs.json").read_text())
    return found


def machine_instructions(instruction: dict[str, Any], constants: bytes) -> float | None:
    """Return the estimate for one instruction, or None if its opcode or rule was never measured.

    `constants` are the constants of the instruction's image.
    """
    costs, iterations = table()["costs"].get(instruction["opcode"], {}), iterations_of(instruction, constants)
    if instruction["opcode"] in ROWS:
        once, byte = ROWS[instruction["opcode"]]
        return float(instruction["times"] * (once + byte * instruction["params"].get("n", 0)))
    if not iterations.keys() <= costs.keys():
        return None
    return float(instruction["times"] * sum(costs[loop] * n for loop, n in iterations.items()))
