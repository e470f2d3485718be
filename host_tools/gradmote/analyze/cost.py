"""Machine instructions of an image's instructions on a Cortex-M4F: a straight line for each opcode.

    instructions = base + element * elements + work * inner-loop trips

The three numbers were measured on the emulator by tests/bench/calibrate_cost.py; costs.json says when.
"""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files
from typing import Any

from ..generated.opcodes import COUNTS, OPCODES

#: Opcodes whose work is multiply-accumulates.
PRODUCTS = {
    "CONV", "CONV_GRAD_W", "CONV_TRANSPOSE", "CONV_UPDATE", "GEMM", "GEMM_UPDATE", "GRU_CELLS", "GRU_CELLS_GRAD",
    "LSTM_CELLS", "LSTM_CELLS_GRAD", "MATMUL", "RNN_CELLS", "RNN_CELLS_GRAD", "WEIGHTED_GATHER", "WEIGHTED_SCATTER_ADD",
}  # fmt: skip


def work_of(instruction: dict[str, Any]) -> int:
    """Inner-loop trips, as the runtime counts them."""
    params = instruction["params"]
    return math.prod(COUNTS.get(name) or int(params[name]) for name in OPCODES[instruction["opcode"]]["work"])


def macs_of(instruction: dict[str, Any]) -> int:
    """Multiply-accumulates, those with padding included."""
    return work_of(instruction) if instruction["opcode"] in PRODUCTS else 0


def elements_of(instruction: dict[str, Any]) -> int:
    """Elements that it writes."""
    spec = OPCODES[instruction["opcode"]]["operands"]
    return sum(extent(instruction, name) for name, (access, *_) in spec.items() if "w" in access)


def extent(instruction: dict[str, Any], operand: str) -> int:
    """Elements of one operand; 0 where it is absent."""
    if instruction["operands"][operand] == "none":
        return 0
    dims = OPCODES[instruction["opcode"]]["operands"][operand][2]
    return math.prod(COUNTS.get(dim) or int(instruction["params"][dim]) for dim, _ in dims)


@cache
def table() -> dict[str, Any]:
    """costs.json: made, how, lines {opcode: [base, element, work]}, errors {model: part}."""
    found: dict[str, Any] = json.loads((files(__package__) / "costs.json").read_text())
    return found


def machine_instructions(instruction: dict[str, Any]) -> float | None:
    """An estimate; None for an opcode that was never measured."""
    line = table()["lines"].get(instruction["opcode"])
    if line is None:
        return None
    terms = (1, elements_of(instruction), work_of(instruction))
    return sum(a * b for a, b in zip(line, terms, strict=True))
