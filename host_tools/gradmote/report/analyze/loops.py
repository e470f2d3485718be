"""The number of iterations of each loop in a kernel; its machine instructions grow with them.

Kernels with tiles or windows have several loops, as in runtime_c/kernels/arch/arm_m and the pools.
For all other kernels, the number of written elements and the runtime's work count suffice.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...formats.kernel_selection import has_short_moments, rule_of
from ...generated.opcodes import COUNTS, OPCODES
from ...generated.optimizers import RULES
from .integer_loops import CONVOLUTIONS, integer_convolution

#: The iterations of each loop, by its name.
Iterations = dict[str, int]
Params = dict[str, int]

#: Machine instructions of a tile of 4, 3 or 2 rows and 4 columns for each k, by contiguity.
TILES = {
    "along": {4: 21.0}, "across": {4: 21.0}, "outer": {4: 22.0}, "general": {4: 34.0},
    "strided": {4: 27.0, 3: 22.5, 2: 18.0}, "columns": {4: 28.0, 3: 24.0, 2: 20.0},
}  # fmt: skip
#: The same for a tile of one row, by its number of outputs. ALONG: both operands are contiguous
#: along k; STRIDED: any strides; ACROSS: b is contiguous along its columns; ELEMENTS: element by
#: element.
ALONG, STRIDED = {4: 5.75, 1: 2.0}, {4: 16.0, 1: 7.0}
ACROSS = {16: 23.0, 8: 14.0, 4: 10.0, 2: 8.0, 1: 7.0}
ELEMENTS = {8: 14.5, 1: 7.5}
#: The sums that a weight gradient computes at a time.
SUMS = 16

#: For each recurrent opcode, its products with the state; the number is how many gates' weights each
#: multiplies at once.
GATES = {"LSTM_CELLS": (4,), "GRU_CELLS": (2, 1), "RNN_CELLS": (1,)}
#: For each pool, whether its loops run over outputs or inputs, and whether it searches windows for
#: the largest element.
POOLS = {
    "MAX_POOL": ("out", True), "MAX_POOL_GRAD": ("in", True), "MAX_POOL_INDEX_GRAD": ("in", True),
    "AVERAGE_POOL": ("out", False), "AVERAGE_POOL_GRAD": ("in", False),
    "MAX_POOL_S8": ("out", True), "AVERAGE_POOL_S8": ("out", False), "MAX_POOL_GRAD_S16": ("in", True),
}  # fmt: skip


#: Updates with separate loops for bfloat16 moments: those of float32 parameters.
FLOAT_UPDATES = ("UPDATE", "GEMM_UPDATE", "CONV_UPDATE")
MOMENTS = ("moments, row", "moments, element")


def iterations_of(instruction: dict[str, Any], constants: bytes) -> Iterations:
    """Return the iterations of all loops of one instruction; the loop `once` has 1.

    `constants` are the constants of the instruction's image.
    """
    opcode, params = instruction["opcode"], instruction["params"]
    if opcode in ("GEMM", "GEMM_UPDATE", "MATMUL"):
        found = product(opcode, params)
    elif opcode in ("CONV", "CONV_TRANSPOSE"):
        found = convolution(params, forward=opcode == "CONV")
    elif opcode in ("CONV_GRAD_W", "CONV_UPDATE"):
        found = weight_gradient(params)
    elif opcode.removesuffix("_GRAD") in GATES:
        found = {"element": elements_of(instruction), **recurrence(opcode, params)}
    elif opcode in POOLS:
        found = pool(params, *POOLS[opcode])
    elif opcode in CONVOLUTIONS:
        found = integer_convolution(instruction)
    elif opcode == "UPDATE":
        found = {}
    else:
        runs = math.prod(sizes_of(instruction)[:-1])
        found = {"element": elements_of(instruction), "run": runs, "work": work_of(instruction)}
    return {"once": 1, **found, **update(instruction, constants)}


def update(instruction: dict[str, Any], constants: bytes) -> Iterations:
    """Return the iterations of an optimizer's rule, which runs row by row."""
    if "rule" not in instruction["operands"]:
        return {}
    rule, parameters = rule_of(instruction, constants), extent(instruction, "p")
    parameters //= instruction["params"].get("p_bytes", 1)
    row = extent(instruction, "row") if "row" in instruction["operands"] else parameters
    found = {f"{rule}, row": parameters // row, f"{rule}, element": parameters}
    if instruction["opcode"] in FLOAT_UPDATES and has_short_moments(instruction, constants):
        found |= dict(zip(MOMENTS, (parameters // row, RULES[rule]["slots"] * parameters), strict=True))
    return found


def sizes_of(instruction: dict[str, Any]) -> list[int]:
    """Return the sizes of the loops that the runtime counts as work, outermost first."""
    params = instruction["params"]
    return [COUNTS.get(name) or int(params[name]) for name in OPCODES[instruction["opcode"]]["work"]]


def work_of(instruction: dict[str, Any]) -> int:
    """Return the iterations of the innermost loop, as counted by the runtime."""
    return math.prod(sizes_of(instruction))


def elements_of(instruction: dict[str, Any]) -> int:
    """Return how many elements the instruction writes."""
    spec = OPCODES[instruction["opcode"]]["operands"]
    own = OPCODES[instruction["opcode"]]["own"]
    return sum(extent(instruction, name) for name, (access, *_) in spec.items() if "w" in access and name not in own)


def extent(instruction: dict[str, Any], operand: str) -> int:
    """Return the number of elements of one operand; 0 if it is absent."""
    if instruction["operands"][operand] == "none":
        return 0
    dims = OPCODES[instruction["opcode"]]["operands"][operand][2]
    return math.prod(COUNTS.get(dim) or int(instruction["params"][dim]) for dim, _ in dims)


# ---- Matrix products


def row_tiles(n: int, widths: dict[int, float], k: int) -> Iterations:
    """Return the tiles of one row of n outputs, and the machine instructions inside them.

    `widths` maps a tile's number of outputs to its machine instructions for each k; the widest tile that
    fits comes first.
    """
    tiles, inside_tiles = 0, 0.0
    for width, cost in widths.items():
        tiles, inside_tiles, n = tiles + n // width, inside_tiles + n // width * cost * k, n % width
    return {"tile": tiles, "inside": round(inside_tiles)}


def times(count: int, iterations: Iterations) -> Iterations:
    """Return every number of iterations, multiplied by `count`."""
    return {name: count * n for name, n in iterations.items()}


def added(*parts: Iterations) -> Iterations:
    """Return the sums of the iterations, loop by loop."""
    return {name: sum(part.get(name, 0) for part in parts) for name in dict.fromkeys(n for part in parts for n in part)}


@dataclass(frozen=True)
class Strides:
    """The strides of both matrices of a product, as in gm_gemm_strides."""

    a_row: int
    a_col: int
    b_row: int
    b_col: int


def single_row(n: int, k: int, s: Strides) -> Iterations:
    """Return the iterations of gm_gemm_row."""
    along = s.b_row == 1 and s.a_col == 1
    if s.b_col == 1 and not (along and n == 1):
        return row_tiles(n, ACROSS, k)
    return row_tiles(n, ALONG if along else STRIDED, k)


def tiles_of(s: Strides) -> dict[int, float]:
    """Return the possible numbers of rows of a tile, with the tile's machine instructions for each k."""
    if s.a_col == 1:
        return TILES["along" if s.b_row == 1 else "across" if s.b_col == 1 else "strided"]
    if s.a_row == 1:
        return TILES["outer" if s.b_col == 1 else "columns"]
    return TILES["general"]


def matrix(m: int, n: int, k: int, s: Strides) -> Iterations:
    """Return the iterations of gm_gemm_matrix."""
    if m < 2 or n < 4:
        return times(m, single_row(n, k, s))
    costs, tail, blocks = tiles_of(s), m % 4, n // 4
    whole = m // 4 * blocks
    found = {"tile": whole, "inside": round(whole * costs[4] * k)}
    if tail in costs:
        found = added(found, {"tile": blocks, "inside": round(blocks * costs[tail] * k)})
    else:
        found = added(found, times(tail, single_row(4 * blocks, k, s)))
    return added(found, times(m, single_row(n % 4, k, s)) if n % 4 else {})


def product(opcode: str, p: Params) -> Iterations:
    """Return the iterations of GEMM, GEMM_UPDATE or MATMUL.

    GEMM_UPDATE runs row by row, and has no products of its own if k is 1.
    """
    batch = p.get("batch", 1) * p.get("d0", 1) * p.get("d1", 1)
    m, n, k = p["m"], p["n"], p["k"]
    strides = Strides(p["a_row"], p["a_col"], p["b_row"], p["b_col"])
    by_row = opcode == "GEMM_UPDATE"
    if by_row and k == 1 and p["b_col"] == 1:
        return {}
    iterations = times(m, single_row(n, k, strides)) if by_row else matrix(m, n, k, strides)
    return times(batch, {"row": m, "element, sum": m * n, **iterations})


def recurrence(opcode: str, p: Params) -> Iterations:
    """Return the iterations of gm_gemm_row in all steps of a recurrent layer.

    In each step, the forward pass multiplies the state by the weights of all gates, and the backward
    pass multiplies the gradients of the gates by these weights.
    """
    hidden, gates = p["hidden"], GATES[opcode.removesuffix("_GRAD")]
    backward = opcode.endswith("_GRAD")
    rows = [hidden] if backward else [n * hidden for n in gates]
    k = sum(gates) * hidden if backward else hidden
    cells = p["steps"] * p["batch"]
    across = [row_tiles(n, ACROSS if backward else ALONG, k) for n in rows]
    return {"cell": cells, **times(cells, added(*across))}


# ---- Convolutions and pools


def convolution(p: Params, forward: bool) -> Iterations:
    """Return the iterations of CONV or CONV_TRANSPOSE.

    Each kernel tap is a product over the rectangle of outputs that it reaches.
    """
    side, wide, deep = ("out", "out_channels", "in_channels") if forward else ("in", "in_channels", "out_channels")
    depthwise = is_depthwise(p)
    samples = p["batch"] * (1 if depthwise else p["groups"])
    few = forward and p["in_channels"] < 4 and p["y_channel"] == 1
    found: Iterations = {}
    for rows, columns in rectangles(p):
        if depthwise:
            iterations = row_tiles(p["groups"], ELEMENTS, rows * columns)
        elif few:
            iterations = times(p["in_channels"], row_tiles(p["out_channels"], ELEMENTS, rows * columns))
        else:
            iterations = rectangle(p, rows, columns, forward)
        found = added(found, iterations)
    pixels = p["batch"] * p["groups"] * p[f"{side}_h"] * p[f"{side}_w"]
    products = p["batch"] * p["groups"] * inside(p, "h") * inside(p, "w") * p[wide] * p[deep]
    taps = {"tap": p["kernel_h"] * p["kernel_w"], **found}
    own = {"pixel": pixels // (p["groups"] if depthwise else 1), "element": pixels * p[wide]}
    return {**own, **times(samples, taps), "products": products}


def is_depthwise(p: Params) -> bool:
    """Return whether each group has one input and one output channel, and groups are contiguous."""
    return p["in_channels"] == p["out_channels"] == p["x_group"] == p["y_group"] == 1


def rectangles(p: Params) -> Iterator[tuple[int, int]]:
    """Yield the (rows, columns) of the outputs that each kernel tap reaches."""
    for rows, columns in itertools.product(reached(p, "h"), reached(p, "w")):
        if rows * columns:
            yield rows, columns


def rectangle(p: Params, rows: int, columns: int, forward: bool) -> Iterations:
    """Return the iterations of gm_tap_product for one rectangle."""
    x = (p["stride_h"] * p["x_h"], p["stride_w"] * p["x_w"], p["x_channel"])
    y = (p["y_h"], p["y_w"], p["y_channel"])
    sums, outputs, w_in, w_out = p["in_channels"], p["out_channels"], p["w_in_channel"], p["w_out_channel"]
    come, go = (x, y) if forward else (y, x)
    if not forward:
        sums, outputs, w_in, w_out = outputs, sums, w_out, w_in
    if come[0] == columns * come[1] and go[0] == columns * go[1]:
        rows, columns = 1, rows * columns
    by_outputs, by_pixels = go[2] == 1 or outputs == 1, go[1] == 1
    if not by_outputs and by_pixels:
        iterations = matrix(outputs, columns, sums, Strides(w_out, w_in, come[2], come[1]))
        return times(rows, {"row": 1, **iterations})
    blocks = 1 if by_outputs else outputs
    iterations = matrix(columns, outputs // blocks, sums, Strides(come[1], come[2], w_in, w_out))
    return times(rows * blocks, {"row": 1, **iterations})


def weight_gradient(p: Params) -> Iterations:
    """Return the iterations of CONV_GRAD_W or CONV_UPDATE.

    For each kernel tap, the kernel sums neighboring input channels, output channels or groups over all
    pixels of the tap's rectangle.
    """
    across, widths = [(p["in_channels"], p["groups"] * p["out_channels"])], ACROSS
    few = p["y_channel"] == 1 and p["out_channels"] > 1 and (p["in_channels"] < 4 or p["x_channel"] != 1)
    if is_depthwise(p):
        across, widths = [(p["groups"], 1)], ELEMENTS
    elif few:
        across = [(p["out_channels"], p["groups"] * p["in_channels"])]
    elif p["x_channel"] != 1:
        across = [(1, p["groups"] * p["out_channels"] * p["in_channels"])]
    found: Iterations = {}
    for (rows, columns), (n, often) in itertools.product(rectangles(p), across):
        iterations = added(
            times(n // SUMS, row_tiles(SUMS, widths, rows * columns)), row_tiles(n % SUMS, widths, rows * columns)
        )
        iterations = times(often * p["batch"], iterations)
        found = added(found, {**iterations, "row": rows * iterations["tile"]})
    out_channels, rows, columns = p["groups"] * p["out_channels"], inside(p, "h"), inside(p, "w")
    return {
        "element": out_channels * p["in_channels"] * p["kernel_h"] * p["kernel_w"],
        "tap": math.prod(p[name] for name in ("kernel_h", "kernel_w")) * across[0][1] * -(-across[0][0] // SUMS),
        "one by one": int(few or is_depthwise(p)) * out_channels * p["in_channels"] * p["kernel_h"] * p["kernel_w"],
        **found,
        "products": p["batch"] * out_channels * p["in_channels"] * rows * columns,
    }


def pool(p: Params, side: str, largest: bool) -> Iterations:
    """Return the iterations of a pool over its outputs, or of a pool's gradient over its inputs.

    Max pooling searches each window that it reaches for the largest element. Average pooling counts the
    divisor of the window along both axes.
    """
    rows, columns = inside(p, "h"), inside(p, "w")
    pixels = p["batch"] * p[f"{side}_h"] * p[f"{side}_w"]
    taps = p["batch"] * p["channels"] * rows * columns
    looked_at = p["kernel_h"] * p["kernel_w"] if largest else p["kernel_h"] + p["kernel_w"]
    windows = taps if side == "in" else pixels * p["channels"] if largest else pixels
    return {
        "pixel": pixels,
        "element": pixels * p["channels"],
        "tap": p["batch"] * p["channels"] * rows * p[f"{side}_w"] * p["kernel_w"],
        "tap inside": taps,
        "of a window": windows * looked_at,
    }


def inside(p: Params, axis: str) -> int:
    """Return how many pairs of an output and a kernel tap, along one axis, fall on the input.

    Pairs on the padding do not count.
    """
    return sum(reached(p, axis))


def reached(p: Params, axis: str) -> list[int]:
    """Return for each kernel tap along one axis how many outputs it reaches.

    A tap reaches an output if it falls on the input there, not on the padding.
    """
    outputs, taps = np.arange(p[f"out_{axis}"])[:, None], np.arange(p[f"kernel_{axis}"])
    at = outputs * p[f"stride_{axis}"] + taps * p[f"dilation_{axis}"] - p[f"pad_{axis}"]
    found: list[int] = ((at >= 0) & (at < p[f"in_{axis}"])).sum(axis=0).tolist()
    return found
