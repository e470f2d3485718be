"""The iterations of the loops in int8 and int16 convolution kernels, as in runtime_c/kernels/arch/arm_m.

With a panel they pack both operands of a product, and compute tiles of 2 rows and 4 columns; layers whose groups have
one channel each slide over rows. Without a panel they are plain loops.
"""

from __future__ import annotations

from typing import Any

Params = dict[str, int]

#: Forward passes and gradients; the transposed convolution is a gradient that runs forward.
FORWARD, BACKWARD, WEIGHTS = {"CONV_S8"}, {"CONV_GRAD_X_S16"}, {"CONV_GRAD_W_S16", "CONV_UPDATE_S16"}
PLAIN = {"CONV_TRANSPOSE_S8", "CONV_GRAD_X_S8", "CONV_GRAD_W_S8", "CONV_UPDATE_S8"}
CONVOLUTIONS = FORWARD | BACKWARD | WEIGHTS | PLAIN

#: Rows and columns of a tile.
ROWS, COLUMNS = 2, 4


def integer_convolution(instruction: dict[str, Any]) -> Params:
    """Return the iterations of the loops of a convolution, or of one of its gradients."""
    opcode, p = instruction["opcode"], instruction["params"]
    if opcode in PLAIN or instruction["operands"]["panel"] == "none":
        return plain_loops(p)
    if is_depthwise(opcode, p):
        return depthwise(opcode, p)
    return tiles(opcode, p)


def is_depthwise(opcode: str, p: Params) -> bool:
    """Return whether the kernel processes groups of one channel side by side (compiler/panels.py)."""
    neighbours = p["y_group"] if opcode in BACKWARD else p["x_group"]
    return p["in_channels"] == p["out_channels"] == neighbours == p["dilation_h"] == p["dilation_w"] == 1 < p["groups"]


def tiles(opcode: str, p: Params) -> Params:
    """Return the iterations of products by tiles.

    `packed` counts the words of both operands, as often as they are packed; `inside` counts those of all tiles.
    """
    rows, columns, length = product_of(opcode, p)
    at_once = max(1, (p["panel_words"] // length - ROWS) // COLUMNS)
    across, down = -(-columns // COLUMNS), -(-rows // ROWS)
    words = rows * length * -(-across // at_once)
    apart = "apart, " if p["x_channel"] != 1 < p["in_channels"] else ""
    kind = apart + ("pointwise, " if p["kernel_h"] * p["kernel_w"] == 1 else "")
    return {
        "row": p["groups"] * rows * -(-across // at_once),
        "element": p["groups"] * rows * columns,
        "tile": p["groups"] * down * across,
        "inside": p["groups"] * down * across * length,
        f"{kind}packed rows": p["groups"] * words,
        f"{kind}packed columns": p["groups"] * columns * length,
    }


def product_of(opcode: str, p: Params) -> tuple[int, int, int]:
    """Return (rows, columns) of one group's results, and the words in the products of each sum."""
    taps = p["kernel_h"] * p["kernel_w"]
    if opcode in FORWARD:
        words = taps * words_of_fours(p["in_channels"])
        if is_run(p):
            words = p["kernel_h"] * words_of_fours(p["kernel_w"] * p["in_channels"])
        return p["batch"] * p["out_h"] * p["out_w"], p["out_channels"], words
    if opcode in BACKWARD:
        met = -(-p["kernel_h"] // p["stride_h"]) * -(-p["kernel_w"] // p["stride_w"])
        return p["batch"] * p["in_h"] * p["in_w"], p["in_channels"], met * -(-p["out_channels"] // 2)
    return p["out_channels"], p["in_channels"] * taps, p["batch"] * p["out_h"] * -(-p["out_w"] // 2)


def is_run(p: Params) -> bool:
    """Return whether the input below a row of the kernel is contiguous, and packed at once."""
    return p["dilation_w"] == 1 and p["x_w"] == p["in_channels"] and 1 in (p["x_channel"], p["in_channels"])


def words_of_fours(numbers: int) -> int:
    """Return the words of `numbers` numbers, padded to a multiple of four."""
    return -(-numbers // 4) * 2


def depthwise(opcode: str, p: Params) -> Params:
    """Return the iterations of a kernel that slides over rows, four channels at a time."""
    fours, taps = -(-p["groups"] // 4), p["kernel_h"] * p["kernel_w"]
    side = "in" if opcode in BACKWARD else "out"
    pixels = p["batch"] * p[f"{side}_h"] * p[f"{side}_w"] * fours
    stride = ", strided" if p["stride_h"] * p["stride_w"] > 1 else ""
    return {
        "depthwise, four": fours,
        "depthwise, tap of a four": fours * taps,
        "depthwise, row": p["batch"] * p[f"{side}_h"] * fours,
        f"depthwise, pixel{stride}": pixels,
        f"depthwise, product{stride}": pixels * taps,
    }


def plain_loops(p: Params) -> Params:
    """Return the iterations of plain loops over results and products, including padding."""
    taps = p["kernel_h"] * p["kernel_w"]
    weights = p["groups"] * p["in_channels"] * p["out_channels"] * taps
    pixels, inputs = (p["batch"] * p["groups"] * p[f"{side}_h"] * p[f"{side}_w"] for side in ("out", "in"))
    return {
        "plain, result": pixels * p["out_channels"],
        "plain, tap of a result": pixels * p["out_channels"] * taps,
        "plain, input": inputs * p["in_channels"],
        "plain, tap of an input": inputs * p["in_channels"] * taps,
        "plain, weight": weights,
        "plain, row": p["batch"] * p["out_h"] * weights,
        "plain, product": p["batch"] * p["out_h"] * p["out_w"] * weights,
    }
