"""What an instruction of an image is to a person: a layer's kind, and which of its three products it computes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gradmote.analyze.cost import PRODUCTS

FORWARD, INPUT, WEIGHT, UPDATE = "forward", "dX", "dW", "dW + update"
#: Opcode of a convolution -> what it computes.
CONVOLUTIONS = {"CONV": FORWARD, "CONV_TRANSPOSE": INPUT, "CONV_GRAD_W": WEIGHT, "CONV_UPDATE": UPDATE}
#: What a convolution's products are over, in whichever direction.
EXTENTS = ("batch", "groups", "maps", "channels", "out_h", "out_w", "kernel_h", "kernel_w")


@dataclass(frozen=True)
class Kernel:
    """kind: `linear`, `conv 3x3`, `depthwise 3x3`; of what has no products, the opcode. direction: "" there."""

    kind: str
    direction: str = ""

    def __str__(self) -> str:
        return f"{self.kind}, {self.direction}" if self.direction else self.kind


def kernel_of(instruction: dict[str, Any]) -> Kernel:
    """Of networks whose Linear layers have their weights as PyTorch lays them out, [N, K]."""
    opcode, p = instruction["opcode"], instruction["params"]
    if opcode in CONVOLUTIONS:
        kind = "depthwise" if p["groups"] > 1 and p["channels"] == 1 else "conv"
        return Kernel(f"{kind} {p['kernel_h']}x{p['kernel_w']}", CONVOLUTIONS[opcode])
    if opcode == "GEMM":
        return Kernel("linear", FORWARD if p["b_row"] == 1 and p["b_col"] != 1 else INPUT)
    if opcode == "GEMM_UPDATE":
        return Kernel("linear", UPDATE)
    return Kernel(opcode.lower())


def macs_of(instruction: dict[str, Any]) -> int:
    """Multiply-accumulates as papers count them: each output with each cell of its window, padding included; a layer
    has as many in each direction."""
    opcode, p = instruction["opcode"], instruction["params"]
    if opcode in CONVOLUTIONS:
        return math.prod(p[name] for name in EXTENTS)
    return p.get("batch", 1) * p["m"] * p["n"] * p["k"] if opcode in PRODUCTS and "m" in p else 0


def shape_of(instruction: dict[str, Any]) -> str:
    """The layer, in few signs: `16x16x32 -> 16x16x32` or `32x640 -> 128`."""
    p = instruction["params"]
    if instruction["opcode"] not in CONVOLUTIONS:
        return f"{p['m']}x{p['n']}x{p['k']}"
    stride = f" s{p['stride_h']}" if p["stride_h"] > 1 else ""
    maps, channels = p["groups"] * p["maps"], p["groups"] * p["channels"]
    return f"{p['in_h']}x{p['in_w']}x{channels} to {maps}{stride}"


@dataclass
class Total:
    """Of all instructions of one kernel in a program."""

    cost: float = 0.0
    macs: int = 0


def totals(instructions: Iterable[dict[str, Any]], costs: Iterable[float]) -> dict[Kernel, Total]:
    """The dearest first. costs: of each instruction, in any unit."""
    found: dict[Kernel, Total] = {}
    for instruction, cost in zip(instructions, costs, strict=True):
        total = found.setdefault(kernel_of(instruction), Total())
        total.cost += cost
        total.macs += macs_of(instruction)
    return dict(sorted(found.items(), key=lambda item: -item[1].cost))
