"""The cost of a program by kind of layer, and by which of the layer's three products is computed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...formats.image import Image
from ...generated.opcodes import OPCODES
from ..analyze.cost import PRODUCTS

FORWARD, INPUT, WEIGHT, UPDATE = "forward", "dX", "dW", "dW + update"
#: For each convolution opcode, its product. It is "" if that depends on the direction: CONV is the
#: forward product of a convolution, and an input gradient of a transposed one.
CONVOLUTIONS = {"CONV": "", "CONV_TRANSPOSE": "", "CONV_GRAD_W": WEIGHT, "CONV_UPDATE": UPDATE}
#: The dimensions whose product is a convolution's multiply-accumulates, in either direction.
EXTENTS = ("batch", "groups", "out_channels", "in_channels", "out_h", "out_w", "kernel_h", "kernel_w")


@dataclass(frozen=True)
class Kernel:
    """A group of instructions that a report counts together.

    `kind` is, for example, `linear`, `conv 3x3` or `depthwise 3x3`. If the instruction computes no
    product, `kind` is the opcode, and `direction` is "".
    """

    kind: str
    direction: str = ""

    def __str__(self) -> str:
        """Return the kernel's name in a report."""
        return f"{self.kind}, {self.direction}" if self.direction else self.kind


def kernels_of(image: Image, program: dict[str, Any]) -> list[Kernel]:
    """Return the kernel of each instruction of a program; those after the loss are backward."""
    instructions = program["instructions"]
    last = loss_at(image, program)
    return [kernel_of(instruction, at > last) for at, instruction in enumerate(instructions)]


def loss_at(image: Image, program: dict[str, Any]) -> int:
    """Return the index of the last instruction that writes the loss.

    Without a loss it is the program's length.
    """
    addresses = {
        f"arena+{t['offset']}" for t in image.tensors if t["role"] == "loss" and program["kind"] in t["programs"]
    }
    found = [at for at, instruction in enumerate(program["instructions"]) if addresses & set(written(instruction))]
    return found[-1] if found else len(program["instructions"])


def written(instruction: dict[str, Any]) -> Iterator[str]:
    """Yield the addresses of the operands that the instruction writes."""
    for name, (access, *_) in OPCODES[instruction["opcode"]]["operands"].items():
        if "w" in access:
            yield instruction["operands"][name]


def kernel_of(instruction: dict[str, Any], backward: bool) -> Kernel:
    """Return the kernel of one instruction, in the forward or the backward pass."""
    opcode, p = instruction["opcode"], instruction["params"]
    direction = INPUT if backward else FORWARD
    if opcode in CONVOLUTIONS:
        kind = "depthwise" if p["groups"] > 1 and p["in_channels"] == 1 else "conv"
        return Kernel(f"{kind} {p['kernel_h']}x{p['kernel_w']}", CONVOLUTIONS[opcode] or direction)
    if opcode == "GEMM":
        transposed = p["a_row"] == 1 and p["a_col"] != 1
        return Kernel("linear", WEIGHT if backward and transposed else direction)
    if opcode == "GEMM_UPDATE":
        return Kernel("linear", UPDATE)
    return Kernel(opcode.lower())


def macs_of(instruction: dict[str, Any]) -> int:
    """Return the multiply-accumulates of an instruction, counted as in papers.

    Each output counts with each tap of its window, including padding. A layer has the same number in
    each direction.
    """
    opcode, p, times = instruction["opcode"], instruction["params"], instruction["times"]
    if opcode in CONVOLUTIONS:
        return int(times * math.prod(p[name] for name in EXTENTS))
    return int(times * p.get("batch", 1) * p["m"] * p["n"] * p["k"]) if opcode in PRODUCTS and "m" in p else 0


def shape_of(instruction: dict[str, Any]) -> str:
    """Return a short form of the layer's shape: `16x16x32 to 32 s2` or `8x128x640`."""
    p = instruction["params"]
    if instruction["opcode"] not in CONVOLUTIONS:
        return f"{p['m']}x{p['n']}x{p['k']}"
    stride = f" s{p['stride_h']}" if p["stride_h"] > 1 else ""
    inputs, outputs = p["groups"] * p["in_channels"], p["groups"] * p["out_channels"]
    return f"{p['in_h']}x{p['in_w']}x{inputs} to {outputs}{stride}"


@dataclass
class Total:
    """The totals of all instructions of one kernel in a program."""

    instructions: int = 0
    cost: float = 0.0
    macs: int = 0


def totals(image: Image, program: dict[str, Any], costs: Iterable[float]) -> dict[Kernel, Total]:
    """Return the totals of each kernel in a program, most expensive first.

    `costs` has the cost of each instruction of the program, in any unit.
    """
    found: dict[Kernel, Total] = {}
    for kernel, instruction, cost in zip(kernels_of(image, program), program["instructions"], costs, strict=True):
        if instruction["opcode"] == "GUARD":
            continue  # it counts with the instruction after it
        total = found.setdefault(kernel, Total())
        total.instructions += 1
        total.cost += cost
        total.macs += macs_of(instruction)
    return dict(sorted(found.items(), key=lambda item: -item[1].cost))
