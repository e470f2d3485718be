"""The report on a model, gathered from its image and from the compiler's data."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from ...compiler.compile import Result, Tradeoff
from ...device.boards import Board
from ...formats.image import Image, read_image
from . import attribution, cost
from .attribution import ImageAttribution, ProgramAttribution
from .liveness import WORD, Span


@dataclass(frozen=True)
class Region:
    """A named range of bytes of the arena, or of the image."""

    name: str
    offset: int
    size: int


@dataclass(frozen=True)
class Step:
    """One instruction of an image.

    `code` is its size in bytes. `addresses` has one entry for each operand, such as `arena+16`.
    `machine` is the estimated number of machine instructions, or None if the opcode was never measured.
    """

    opcode: str
    layer: str
    phase: str
    macs: int
    code: int
    addresses: tuple[str, ...]
    machine: float | None


@dataclass(frozen=True)
class Code:
    """One program of an image.

    `scratch` is the size of its scratch area in bytes. `bound` is the most bytes of scratch alive at the
    same time: no plan needs less.
    """

    kind: str
    steps: list[Step]
    spans: list[Span]
    arena: int
    scratch: int
    bound: int

    def alive(self, index: int) -> list[Span]:
        """Return the buffers needed while an instruction runs, largest first."""
        found = [s for s in self.spans if s.start <= index < s.end]
        return sorted(found, key=lambda s: (-s.size, s.offset))

    def usage(self) -> list[int]:
        """Return the bytes of scratch alive at each instruction."""
        change = [0] * (len(self.steps) + 1)
        for span in self.spans:
            change[span.start] += span.size
            change[span.end] -= span.size
        return list(accumulate(change[:-1]))

    def peak(self) -> int:
        """Return the first instruction at which the most bytes are alive."""
        usage = self.usage()
        return usage.index(max(usage)) if usage else 0

    @property
    def machine(self) -> float | None:
        """Return the estimated machine instructions of one run; None if one is unknown."""
        parts = [s.machine for s in self.steps]
        return None if None in parts else sum(p for p in parts if p is not None)


@dataclass
class Layer:
    """The memory and work of one layer.

    `saved`, `scratch` and `flash` are bytes: buffers alive from the forward into the backward pass, the
    most scratch alive while the layer runs, and the layer's initial values, constants and code. Each byte
    counts for only one layer. `parameters` is a count of numbers.
    """

    name: str
    shape: tuple[int, ...] | None
    parameters: int = 0
    macs_forward: int = 0
    macs_backward: int = 0
    saved: int = 0
    scratch: int = 0
    flash: int = 0
    machine: float | None = 0.0


@dataclass
class Report:
    """Everything known about a model, in bytes unless stated otherwise.

    `scheme` names what is trained; "" if the image does not say. `board` is the board to run the model
    on, `other` a report to compare with, and `schemes` are reports on the same model, each named after
    what it trains. `front` has the plans from which --recompute chose. These four are set only on
    request.
    """

    name: str
    scheme: str
    batch: int
    arena: int
    image: int
    regions: list[Region]
    sections: list[Region]
    programs: list[Code]
    layers: list[Layer]
    notes: list[str] = field(default_factory=list)
    board: Board | None = None
    other: Report | None = None
    schemes: list[Report] = field(default_factory=list)
    front: list[Tradeoff] = field(default_factory=list)

    @property
    def trains(self) -> bool:
        """Return whether the model has a program that trains."""
        return any(p.kind in attribution.TRAINING for p in self.programs)

    @property
    def main(self) -> Code:
        """Return the program that trains, or the first program if none does."""
        kind = attribution.main_kind([p.kind for p in self.programs])
        return next(p for p in self.programs if p.kind == kind)


def analyze_result(result: Result, name: str) -> Report:
    """Return the report on a model just compiled.

    Layers are its ONNX nodes, and buffers have names.
    """
    found = report(name, read_image(result.image), attribution.of_result(result))
    found.front = result.front
    return found


def analyze_image(source: str | os.PathLike[str] | bytes, name: str) -> Report:
    """Return the report on an image alone, or on an image file. Raises ImageError."""
    image = read_image(source)
    return report(name, image, attribution.of_image(image))


def report(name: str, image: Image, known: ImageAttribution) -> Report:
    """Return the report on an image, given the layer of each instruction."""
    programs = [code_of(image, row, origin) for row, origin in zip(image.programs, known.programs, strict=True)]
    header = image.header
    found = Report(
        name,
        image.scheme,
        header["batch"],
        header["arena_size"],
        header["size"],
        list(regions(image)),
        list(sections(image)),
        programs,
        [],
        [*known.notes, *unmeasured(programs)],
    )
    found.layers = list(layers(image, found, known))
    return found


def macs(report: Report) -> int:
    """Return the multiply-accumulates of one run of the main program."""
    return sum(layer.macs_forward + layer.macs_backward for layer in report.layers)


def unmeasured(programs: Iterable[Code]) -> Iterator[str]:
    """Yield a note if the machine instructions of some opcodes cannot be estimated."""
    names = sorted({s.opcode for p in programs for s in p.steps if s.machine is None})
    if names:
        yield f"machine instructions are not known for {', '.join(names)}"


# ---- Memory


def regions(image: Image) -> Iterator[Region]:
    """Yield the regions of the arena from its start; their sizes add up to its size.

    They are the state by role, then gradients, inputs and scratch.
    """
    header = image.header
    for role in ("parameter", "statistic", "control", "store", "properties", "slot"):
        rows = [r for r in image.state if r["role"] == role]
        if rows:
            yield Region(STATE_NAMES[role], rows[0]["offset"], padded_sum(rows))
    yield Region("gradients", header["gradients_offset"], header["gradients_size"])
    inputs = header["gradients_offset"] + header["gradients_size"]
    yield Region("inputs", inputs, header["scratch_offset"] - inputs)
    yield Region("scratch", header["scratch_offset"], header["arena_size"] - header["scratch_offset"])


STATE_NAMES = {
    "parameter": "parameters",
    "statistic": "statistics",
    "control": "control",
    "store": "store",
    "properties": "properties",
    "slot": "moments",
}


def padded_sum(rows: Iterable[dict[str, Any]]) -> int:
    """Return the bytes of several tensors of the state, each padded to whole words."""
    return sum((r["size"] + WORD - 1) // WORD * WORD for r in rows)


def sections(image: Image) -> Iterator[Region]:
    """Yield the regions of the image from its start; their sizes add up to its size.

    They are the header, the sections, and the bytes that align them.
    """
    table = [(name, image.header["sections"][index]) for index, name in enumerate(image.sizes)]
    yield Region("header", 0, table[0][1]["offset"])
    for name, section in table:
        yield Region(name, section["offset"], section["size"])
    named = table[0][1]["offset"] + sum(s["size"] for _, s in table)
    yield Region("alignment", named, image.header["size"] - named)


# ---- Programs


def code_of(image: Image, row: dict[str, Any], origin: ProgramAttribution) -> Code:
    """Return one program of the image, with the layer and phase of each instruction."""
    steps = [
        step_of(instruction, layer, phase, image.constants)
        for instruction, layer, phase in zip(row["instructions"], origin.layers, origin.phases, strict=True)
    ]
    scratch = row["arena_size"] - image.header["scratch_offset"]
    return Code(row["kind"], steps, origin.spans, row["arena_size"], scratch, origin.bound)


def step_of(instruction: dict[str, Any], layer: str, phase: str, constants: bytes) -> Step:
    """Return one instruction, with its costs."""
    words = 1 + len(instruction["operands"]) + len(instruction["params"])
    return Step(
        instruction["opcode"],
        layer,
        phase,
        cost.macs_of(instruction),
        WORD * words,
        tuple(instruction["operands"].values()),
        cost.machine_instructions(instruction, constants),
    )


# ---- Layers


def layers(image: Image, found: Report, known: ImageAttribution) -> Iterator[Layer]:
    """Yield the layers in the model's order, then the instructions outside of any layer."""
    steps = [step for program in found.programs for step in program.steps]
    trained = owned(steps, [(f"arena+{r['offset']}", r["size"]) for r in image.state if r["role"] == "parameter"])
    running = owned(steps, [(f"arena+{r['offset']}", r["size"]) for r in image.state if r["role"] == "statistic"])
    fixed = owned(steps, constants_of(image, steps))
    used = {step.layer for step in steps}
    for name in [*(n for n in known.shapes if n in used), *(n for n in ordered(steps) if n not in known.shapes)]:
        code = sum(step.code for step in steps if step.layer == name)
        flash = code + fixed.get(name, 0) + trained.get(name, 0) + running.get(name, 0)
        layer = Layer(name, known.shapes.get(name), trained.get(name, 0) // WORD, flash=flash)
        add_run(layer, found.main)
        yield layer


def ordered(steps: Iterable[Step]) -> list[str]:
    """Return the layers in the order in which the programs use them, beginning with inference."""
    return list(dict.fromkeys(step.layer for step in steps))


def owned(steps: Iterable[Step], tensors: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return for each layer the bytes of the tensors that it uses first.

    `tensors` are pairs (address, bytes).
    """
    first: dict[str, str] = {}
    for step in steps:
        for address in step.addresses:
            first.setdefault(address, step.layer)
    totals: dict[str, int] = {}
    for address, size in tensors:
        if address in first:
            totals[first[address]] = totals.get(first[address], 0) + size
    return totals


def constants_of(image: Image, steps: Iterable[Step]) -> list[tuple[str, int]]:
    """Return the parts of the constants as pairs (address, bytes).

    A part begins at an operand, and ends at the next one.
    """
    addresses = {p for step in steps for p in step.addresses if p.startswith("constants+")}
    starts = sorted(int(p.removeprefix("constants+")) for p in addresses)
    ends = [*starts[1:], len(image.constants)]
    return [(f"constants+{start}", end - start) for start, end in zip(starts, ends, strict=True)]


def add_run(layer: Layer, program: Code) -> None:
    """Add the work of one run of the main program for a layer to the layer's figures."""
    usage = program.usage()
    own = [index for index, step in enumerate(program.steps) if step.layer == layer.name]
    for index in own:
        step = program.steps[index]
        layer.macs_forward += step.macs * (step.phase == "forward")
        layer.macs_backward += step.macs * (step.phase != "forward")
        layer.scratch = max(layer.scratch, usage[index])
    parts = [program.steps[index].machine for index in own]
    layer.machine = None if None in parts else sum(p for p in parts if p is not None)
    layer.saved = sum(s.size for s in saved(program) if s.start in own)


def saved(program: Code) -> list[Span]:
    """Return the buffers that the forward pass writes and the backward pass needs."""
    first = next((n for n, step in enumerate(program.steps) if step.phase == "backward"), None)
    return [] if first is None else [s for s in program.spans if s.start < first < s.end]
