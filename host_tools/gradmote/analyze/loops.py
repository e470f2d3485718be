"""How often the loops of a kernel turn: what its machine instructions grow with.

Kernels with tiles or windows count several, as runtime_c/kernels/{gemm_tile,conv*,*_pool}.c have them; all others are
told by what they write and by the work that the runtime counts.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..generated.opcodes import COUNTS, OPCODES
from ..kernels import rule_of

#: Name of a loop -> its turns.
Turns = dict[str, int]
Params = dict[str, int]

#: Neighbouring maps or channels that a convolution's kernels take at once.
WIDTH = 4

#: Opcode of recurrent cells -> products of the state with so many gates' weights at once.
GATES = {"LSTM_CELLS": (4,), "GRU_CELLS": (2, 1), "RNN_CELLS": (1,)}
#: Opcode -> whether it goes over outputs or inputs, and looks for the largest cell of a window.
POOLS = {
    "MAX_POOL": ("out", True), "MAX_POOL_GRAD": ("in", True), "MAX_POOL_INDEX_GRAD": ("in", True),
    "AVERAGE_POOL": ("out", False), "AVERAGE_POOL_GRAD": ("in", False),
}  # fmt: skip


def turns_of(instruction: dict[str, Any], constants: bytes) -> Turns:
    """All loops of one instruction; `once` is 1. constants: of the image."""
    opcode, params = instruction["opcode"], instruction["params"]
    if opcode in ("GEMM", "GEMM_UPDATE", "MATMUL"):
        found = product(opcode, params)
    elif opcode in ("CONV", "CONV_TRANSPOSE"):
        found = convolution(params, by_map=opcode == "CONV")
    elif opcode in ("CONV_GRAD_W", "CONV_UPDATE"):
        found = weight_gradient(params)
    elif opcode.removesuffix("_GRAD") in GATES:
        found = {"element": elements_of(instruction), **recurrence(opcode, params)}
    elif opcode in POOLS:
        found = pool(params, *POOLS[opcode])
    elif opcode == "UPDATE":
        found = {}
    else:
        runs = math.prod(sizes_of(instruction)[:-1])
        found = {"element": elements_of(instruction), "run": runs, "work": work_of(instruction)}
    return {"once": 1, **found, **update(instruction, constants)}


def update(instruction: dict[str, Any], constants: bytes) -> Turns:
    """What an optimizer's rule does, row by row."""
    if "rule" not in instruction["operands"]:
        return {}
    rule, parameters = rule_of(instruction, constants), extent(instruction, "p")
    row = extent(instruction, "row") if "row" in instruction["operands"] else parameters
    return {f"{rule}, row": parameters // row, f"{rule}, element": parameters}


def sizes_of(instruction: dict[str, Any]) -> list[int]:
    """Of the loops whose trips the runtime counts as work, outermost first."""
    params = instruction["params"]
    return [COUNTS.get(name) or int(params[name]) for name in OPCODES[instruction["opcode"]]["work"]]


def work_of(instruction: dict[str, Any]) -> int:
    """Inner-loop trips, as the runtime counts them."""
    return math.prod(sizes_of(instruction))


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


# ---- Matrix products


def product(opcode: str, p: Params) -> Turns:
    """gm_gemm_matrix; an update goes row by row, and without products of its own where k is 1."""
    batch = p.get("batch", 1) * p.get("d0", 1) * p.get("d1", 1)
    m, n, k = p["m"], p["n"], p["k"]
    by_row = opcode == "GEMM_UPDATE"
    if by_row and k == 1 and p["b_col"] == 1:
        return {}
    fours, blocks = (0, 0) if by_row else (m // 4, n // 4)
    beside = m - 4 * fours
    along = p["b_col"] != 1
    eights = beside * (n // 8) if not along or (p["b_row"] == 1 and p["a_col"] == 1) else 0
    ones = 4 * fours * (n % 4) + beside * n - 8 * eights
    tiles = {"tile 4x4": fours * blocks, f"tile 1x8 {'along' if along else 'across'}": eights, "tile 1x1": ones}
    turns = {f"{name}, k": count * k for name, count in tiles.items()}
    return {name: batch * count for name, count in {"row": m, "element, sum": m * n, **tiles, **turns}.items() if count}


def recurrence(opcode: str, p: Params) -> Turns:
    """gm_gemm_row in each step: the state's products with all gates' weights, or the gates' gradients' with them."""
    hidden, gates = p["hidden"], GATES[opcode.removesuffix("_GRAD")]
    backward = opcode.endswith("_GRAD")
    rows = [hidden] if backward else [n * hidden for n in gates]
    k = sum(gates) * hidden if backward else hidden
    eights, ones = sum(n // 8 for n in rows), sum(n % 8 for n in rows)
    cells = p["steps"] * p["batch"]
    tiles = {"tile": cells * (eights + ones), "8 at once": cells * eights * k, "1 at once": cells * ones * k}
    return {"cell": cells, **tiles}


# ---- Convolutions and pools


def convolution(p: Params, by_map: bool) -> Turns:
    """CONV at each output, in blocks of maps, or CONV_TRANSPOSE at each input, in blocks of channels."""
    side, wide, deep = ("out", "maps", "channels") if by_map else ("in", "channels", "maps")
    blocks, ones = p[wide] // WIDTH, p[wide] % WIDTH
    rows, columns = inside(p, "h"), inside(p, "w")
    each = p["batch"] * p["groups"]
    pixels = each * p[f"{side}_h"] * p[f"{side}_w"]
    cells = each * rows * columns
    return {
        "pixel": pixels,
        "element": pixels * p[wide],
        "block": pixels * (blocks + ones),
        "cell": each * rows * p[f"{side}_w"] * p["kernel_w"] * (blocks + ones),
        "cell inside": cells * (blocks + ones),
        "4 at once": cells * blocks * p[deep],
        "1 at once": cells * ones * p[deep],
    }


def weight_gradient(p: Params) -> Turns:
    """gm_conv_gradient_row for each map: kernel cells, in blocks of channels, over rows of outputs."""
    blocks, ones = p["channels"] // WIDTH, p["channels"] % WIDTH
    rows, columns = inside(p, "h"), inside(p, "w")
    maps = p["groups"] * p["maps"]
    cells = maps * p["kernel_h"] * p["kernel_w"]
    return {
        "element": cells * p["channels"],
        "search": maps * p["kernel_h"] * (p["out_h"] + p["kernel_w"] * p["out_w"]),
        "block": cells * (blocks + ones),
        "row": maps * p["batch"] * rows * p["kernel_w"] * (blocks + ones),
        "4 at once": maps * p["batch"] * rows * columns * blocks,
        "1 at once": maps * p["batch"] * rows * columns * ones,
    }


def pool(p: Params, side: str, largest: bool) -> Turns:
    """At each output, or the gradient at each input. Each window that is met is searched for its largest cell, or what
    its cells are divided by is counted along both axes."""
    rows, columns = inside(p, "h"), inside(p, "w")
    pixels = p["batch"] * p[f"{side}_h"] * p[f"{side}_w"]
    cells = p["batch"] * p["channels"] * rows * columns
    looked_at = p["kernel_h"] * p["kernel_w"] if largest else p["kernel_h"] + p["kernel_w"]
    windows = cells if side == "in" else pixels * p["channels"] if largest else pixels
    return {
        "pixel": pixels,
        "element": pixels * p["channels"],
        "cell": p["batch"] * p["channels"] * rows * p[f"{side}_w"] * p["kernel_w"],
        "cell inside": cells,
        "of a window": windows * looked_at,
    }


def inside(p: Params, axis: str) -> int:
    """Pairs of an output and a kernel cell, along one axis, that lie on the input and not on its padding."""
    outputs, cells = np.arange(p[f"out_{axis}"])[:, None], np.arange(p[f"kernel_{axis}"])
    at = outputs * p[f"stride_{axis}"] + cells * p[f"dilation_{axis}"] - p[f"pad_{axis}"]
    return int(((at >= 0) & (at < p[f"in_{axis}"])).sum())
