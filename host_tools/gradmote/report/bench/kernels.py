"""What an instruction of an image is to a person: a layer's kind, and which of its three products it computes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...formats.image import Image
from ...generated.opcodes import OPCODES
from ..analyze.cost import PRODUCTS

FORWARD, INPUT, WEIGHT, UPDATE = "forward", "dX", "dW", "dW + update"
#: Opcode of a convolution -> what it computes; "" where that depends on its place: a layer's own product in one
#: direction is the other's gradient.
CONVOLUTIONS = {"CONV": "", "CONV_TRANSPOSE": "", "CONV_GRAD_W": WEIGHT, "CONV_UPDATE": UPDATE}
#: What a convolution's products are over, in whichever direction.
EXTENTS = ("batch", "groups", "maps", "channels", "out_h", "out_w", "kernel_h", "kernel_w")


@dataclass(frozen=True)
class Kernel:
    """kind: `linear`, `conv 3x3`, `depthwise 3x3`; of what has no products, the opcode. direction: "" there."""

    kind: str
    direction: str = ""

    def __str__(self) -> str:
        return f"{self.kind}, {self.direction}" if self.direction else self.kind


def kernels_of(image: Image, program: dict[str, Any]) -> list[Kernel]:
    """Of each instruction of one of its programs. What comes after the loss goes backwards."""
    instructions = program["instructions"]
    last = loss_at(image, program)
    return [kernel_of(instruction, at > last) for at, instruction in enumerate(instructions)]


def loss_at(image: Image, program: dict[str, Any]) -> int:
    """Index of the instruction that gives the loss, the last one that writes there; of none, the program's length."""
    places = {f"arena+{t['offset']}" for t in image.tensors if t["role"] == "loss" and program["kind"] in t["programs"]}
    found = [at for at, instruction in enumerate(program["instructions"]) if places & set(written(instruction))]
    return found[-1] if found else len(program["instructions"])


def written(instruction: dict[str, Any]) -> Iterator[str]:
    """Places of the operands that it writes."""
    for name, (access, *_) in OPCODES[instruction["opcode"]]["operands"].items():
        if "w" in access:
            yield instruction["operands"][name]


def kernel_of(instruction: dict[str, Any], backward: bool) -> Kernel:
    opcode, p = instruction["opcode"], instruction["params"]
    direction = INPUT if backward else FORWARD
    if opcode in CONVOLUTIONS:
        kind = "depthwise" if p["groups"] > 1 and p["channels"] == 1 else "conv"
        return Kernel(f"{kind} {p['kernel_h']}x{p['kernel_w']}", CONVOLUTIONS[opcode] or direction)
    if opcode == "GEMM":
        transposed = p["a_row"] == 1 and p["a_col"] != 1
        return Kernel("linear", WEIGHT if backward and transposed else direction)
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

    instructions: int = 0
    cost: float = 0.0
    macs: int = 0


def totals(image: Image, program: dict[str, Any], costs: Iterable[float]) -> dict[Kernel, Total]:
    """The dearest first. costs: of each instruction of the program, in any unit."""
    found: dict[Kernel, Total] = {}
    for kernel, instruction, cost in zip(kernels_of(image, program), program["instructions"], costs, strict=True):
        total = found.setdefault(kernel, Total())
        total.instructions += 1
        total.cost += cost
        total.macs += macs_of(instruction)
    return dict(sorted(found.items(), key=lambda item: -item[1].cost))
