"""The layer, phase and buffers of each instruction of an image.

The compiler knows them. From an image alone, they are derived from names and order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ...compiler.compile import Result
from ...formats.image import Image, Layout
from ...generated.opcodes import OPCODES
from ...ir.instruction import Buffer, Instruction
from ...ir.program import Compiled, Program
from ...plan import usage
from .liveness import Span, arena_offset, spans_of

UPDATES = ("UPDATE", "BIAS_CORRECTION", "CLIP_SCALE")
TRAINING = ("step", "train")
CHECKS = "checks and copies"
OPTIMIZER = "optimizer"


@dataclass
class ProgramAttribution:
    """The attribution of one program.

    `layers` and `phases` (forward, backward, update) have one entry for each instruction.
    """

    layers: list[str]
    phases: list[str]
    spans: list[Span]
    bound: int  # the most bytes of scratch that are alive at once


@dataclass
class ImageAttribution:
    """The attribution of one image.

    `shapes` has the shapes of the layers' outputs, in the model's order; empty if they are unknown.
    """

    programs: list[ProgramAttribution]
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


# ---- Just compiled


def of_result(result: Result) -> ImageAttribution:
    """Return the attribution of a model just compiled: its layers are the nodes of the user's model."""
    owners = owners_of(result.compiled)
    programs = [of_program(p, result.layout, owners) for p in result.compiled.programs]
    shapes = {name: shape for p in reversed(result.compiled.programs) for name, shape in p.shapes.items()}
    return ImageAttribution(programs, shapes)


def owners_of(compiled: Compiled) -> dict[Buffer, str]:
    """Return the first layer that reads each parameter.

    The keys are the buffers of the parameters and of their gradients.
    """
    owners: dict[Buffer, str] = {}
    for instruction in (i for p in compiled.programs for i in p.instructions if i.layer):
        for ref in instruction.reads:
            if ref.buffer.region in ("parameter", "statistic"):
                owners.setdefault(ref.buffer, instruction.layer)
    for parameter in compiled.parameters:
        if parameter.gradient is not None and parameter.buffer in owners:
            owners[parameter.gradient] = owners[parameter.buffer]
    return owners


def of_program(program: Program, layout: Layout, owners: dict[Buffer, str]) -> ProgramAttribution:
    """Return the attribution of one compiled program."""
    placement = layout.placements[program.kind]
    spans = [
        Span(s.buffer.name, layout.scratch_offset + placement.offsets[s.buffer], s.buffer.size, s.start, s.end)
        for s in placement.spans
    ]
    buffers = [s.buffer for s in placement.spans]
    for upper, overlay in program.overlays.items():
        above, below = (spans[buffers.index(b)] for b in (upper, overlay.under))
        spans += uncovered(below, above)
        spans[buffers.index(overlay.under)] = replace(below, end=above.start)
    layers = [layer_of(i, owners) for i in program.instructions]
    return ProgramAttribution(layers, [i.phase for i in program.instructions], spans, max(usage(program), default=0))


def uncovered(below: Span, above: Span) -> Iterator[Span]:
    """Yield the parts of a buffer that another one above it leaves free, from the beginning of the upper one."""
    ends = below.offset + below.size, above.offset + above.size
    for first, end in ((below.offset, min(ends[0], above.offset)), (max(below.offset, ends[1]), ends[0])):
        if first < end and above.start < below.end:
            yield Span(below.name, first, end - first, above.start, below.end)


def layer_of(instruction: Instruction, owners: dict[Buffer, str]) -> str:
    """Return the instruction's own layer, or else the layer of the parameter that it works for."""
    owned = [owners[r.buffer] for r in (*instruction.writes, *instruction.reads) if r.buffer in owners]
    return instruction.layer or next(iter(owned), OPTIMIZER if instruction.phase == "update" else CHECKS)


# ---- Only an image


def of_image(image: Image) -> ImageAttribution:
    """Return the attribution of an image alone.

    A layer is a group of parameters with the same name up to its last dot; any other instruction is its
    own layer.
    """
    notes = ["read from an image: instructions are grouped by the parameters that they touch, not by ONNX node"]
    if not image.sizes["names"]:
        notes.append("its names are stripped: parameters are numbered")
    tensors = [
        (row["offset"], row["offset"] + row["size"], row["name"] or f"parameter {index}")
        for index, row in enumerate(r for r in image.state if r["role"] in ("parameter", "statistic"))
    ]
    return ImageAttribution([of_code(image, program, tensors) for program in image.programs], notes=notes)


def main_kind(kinds: list[str]) -> str:
    """Return the kind of the program to show first: the one that trains, or else the first."""
    return next((kind for kind in kinds if kind in TRAINING), kinds[0])


def of_code(image: Image, program: dict[str, Any], tensors: list[tuple[int, int, str]]) -> ProgramAttribution:
    """Return the attribution of one program of an image.

    `tensors` has (first byte, end, name) of each parameter and running statistic.
    """
    code = program["instructions"]
    spans = spans_of(image, program)
    live = [sum(s.size for s in spans if s.start <= index < s.end) for index in range(len(code))]
    main = program["kind"] == main_kind([p["kind"] for p in image.programs])
    others = [f"{i['opcode']} #{index}" if main else f"more of {program['kind']}" for index, i in enumerate(code)]
    layers = [parameters_of(i, tensors) or other for i, other in zip(code, others, strict=True)]
    return ProgramAttribution(layers, phases_of(image, program), spans, max(live, default=0))


def parameters_of(instruction: dict[str, Any], tensors: list[tuple[int, int, str]]) -> str:
    """Return the layer of the first parameter that the instruction touches; "" if it touches none.

    A layer is named after its parameters: their name up to its last dot.
    """
    offsets = [at for address in instruction["operands"].values() if (at := arena_offset(address)) is not None]
    names = [name for at in offsets for first, end, name in tensors if first <= at < end]
    return re.sub(r"\.[^.]*$", "", names[0]) if names else ""


def phases_of(image: Image, program: dict[str, Any]) -> list[str]:
    """Return the phase of each instruction.

    In a program that trains, the backward pass begins after the last instruction that writes the loss.
    """
    code = program["instructions"]
    mine = [t for t in image.tensors if program["kind"] in t["programs"]]
    loss = {f"arena+{t['offset']}" for t in mine if t["role"] == "loss"}
    made = [n for n, i in enumerate(code) if not loss.isdisjoint(written(i))]
    last = made[-1] if made and program["kind"] in TRAINING else len(code)
    return [
        "update" if i["opcode"] in UPDATES or program["kind"] == "optimizer" else "backward" if n > last else "forward"
        for n, i in enumerate(code)
    ]


def written(instruction: dict[str, Any]) -> set[str]:
    """Return the addresses that an instruction writes."""
    spec = OPCODES[instruction["opcode"]]["operands"]
    return {address for name, address in instruction["operands"].items() if "w" in spec[name][0]}
