"""How many machine instructions an instruction takes on a Cortex-M4F: so many for each turn of its kernel's loops.

The numbers were measured on the emulator by tests/bench/calibrate_cost.py; costs.json says when, and how far off the
estimate is for networks that it was not made from.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from .loops import turns_of, work_of

#: Opcodes whose work is multiply-accumulates.
PRODUCTS = {
    "CONV", "CONV_GRAD_W", "CONV_TRANSPOSE", "CONV_UPDATE", "GEMM", "GEMM_UPDATE", "GRU_CELLS", "GRU_CELLS_GRAD",
    "LSTM_CELLS", "LSTM_CELLS_GRAD", "MATMUL", "RNN_CELLS", "RNN_CELLS_GRAD", "WEIGHTED_GATHER", "WEIGHTED_SCATTER_ADD",
}  # fmt: skip


def macs_of(instruction: dict[str, Any]) -> int:
    """Multiply-accumulates, those with padding included."""
    return work_of(instruction) if instruction["opcode"] in PRODUCTS else 0


@cache
def table() -> dict[str, Any]:
    """costs.json: made, how, errors {model: part}, costs {opcode: {loop: machine instructions a turn}}."""
    found: dict[str, Any] = json.loads((files(__package__) / "costs.json").read_text())
    return found


def machine_instructions(instruction: dict[str, Any], constants: bytes) -> float | None:
    """An estimate; None for an opcode or a rule that was never measured. constants: of the image."""
    costs, turns = table()["costs"].get(instruction["opcode"], {}), turns_of(instruction, constants)
    return sum(costs[loop] * n for loop, n in turns.items()) if turns.keys() <= costs.keys() else None
