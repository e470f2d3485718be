"""Collects what a model takes, from its image and, where it was just compiled, from what the compiler knew."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from ...compiler.compile import Result
from ...device.boards import Board
from ...formats.image import Image, read_image
from . import cost, origins
from .liveness import WORD, Span
from .origins import Known, Origins


@dataclass(frozen=True)
class Region:
    """Bytes of the arena, or of the image."""

    name: str
    offset: int
    size: int


@dataclass(frozen=True)
class Step:
    """One instruction. code: bytes of it; places: of its operands, such as `arena+16`; machine: instructions of the
    microcontroller, estimated, None where its opcode was never measured."""

    opcode: str
    layer: str
    phase: str
    macs: int
    code: int
    places: tuple[str, ...]
    machine: float | None


@dataclass(frozen=True)
class Code:
    """One program. scratch: bytes it takes of it; bound: bytes of it that are alive at once at the least."""

    kind: str
    steps: list[Step]
    spans: list[Span]
    arena: int
    scratch: int
    bound: int

    def alive(self, index: int) -> list[Span]:
        """What is needed while an instruction runs, largest first."""
        found = [s for s in self.spans if s.start <= index < s.end]
        return sorted(found, key=lambda s: (-s.size, s.offset))

    def usage(self) -> list[int]:
        """Bytes of scratch alive at each instruction."""
        change = [0] * (len(self.steps) + 1)
        for span in self.spans:
            change[span.start] += span.size
            change[span.end] -= span.size
        return list(accumulate(change[:-1]))

    def peak(self) -> int:
        """The first instruction at which most is alive."""
        usage = self.usage()
        return usage.index(max(usage)) if usage else 0

    @property
    def machine(self) -> float | None:
        """Estimated machine instructions of one run; None where an opcode is not calibrated."""
        parts = [s.machine for s in self.steps]
        return None if None in parts else sum(p for p in parts if p is not None)


@dataclass
class Layer:
    """What one layer takes. Bytes: parameters, saved (alive from forward into backward), scratch (the most that is
    alive while it runs), flash (initial values, constants and code, each byte counted once)."""

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
    """Everything, in bytes unless said otherwise.

    scheme: what is trained, "" where the image does not say. board: that it is to run on; other: a report to compare
    with; schemes: reports on the same model, each named after what it trains; all of them only where asked for.
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

    @property
    def trains(self) -> bool:
        return any(p.kind in origins.TRAINING for p in self.programs)

    @property
    def main(self) -> Code:
        """The program that trains; else the first."""
        kind = origins.main_kind([p.kind for p in self.programs])
        return next(p for p in self.programs if p.kind == kind)


def analyze_result(result: Result, name: str) -> Report:
    """Of a model just compiled: layers are its ONNX nodes, buffers have names."""
    return report(name, read_image(result.image), origins.of_result(result))


def analyze_image(source: str | os.PathLike[str] | bytes, name: str) -> Report:
    """Of an image alone, or of a file with one. Raises ImageError."""
    image = read_image(source)
    return report(name, image, origins.of_image(image))


def report(name: str, image: Image, known: Known) -> Report:
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
    """Of one run of the main program."""
    return sum(layer.macs_forward + layer.macs_backward for layer in report.layers)


def unmeasured(programs: Iterable[Code]) -> Iterator[str]:
    """A note where machine instructions cannot be estimated."""
    names = sorted({s.opcode for p in programs for s in p.steps if s.machine is None})
    if names:
        yield f"machine instructions are not known of {', '.join(names)}"


# ---- Memory


def regions(image: Image) -> Iterator[Region]:
    """The arena from its start: the state by role, gradients, inputs, scratch. They add up to it."""
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
    return sum((r["size"] + WORD - 1) // WORD * WORD for r in rows)


def sections(image: Image) -> Iterator[Region]:
    """The image from its start: header, sections, and what aligns them. They add up to it."""
    table = [(name, image.header["sections"][index]) for index, name in enumerate(image.sizes)]
    yield Region("header", 0, table[0][1]["offset"])
    for name, section in table:
        yield Region(name, section["offset"], section["size"])
    named = table[0][1]["offset"] + sum(s["size"] for _, s in table)
    yield Region("alignment", named, image.header["size"] - named)


# ---- Programs


def code_of(image: Image, row: dict[str, Any], origin: Origins) -> Code:
    steps = [
        step_of(instruction, layer, phase, image.constants)
        for instruction, layer, phase in zip(row["instructions"], origin.layers, origin.phases, strict=True)
    ]
    scratch = row["arena_size"] - image.header["scratch_offset"]
    return Code(row["kind"], steps, origin.spans, row["arena_size"], scratch, origin.bound)


def step_of(instruction: dict[str, Any], layer: str, phase: str, constants: bytes) -> Step:
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


def layers(image: Image, found: Report, known: Known) -> Iterator[Layer]:
    """In the model's order; then what no layer has."""
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
    """Layers as the programs meet them, that of inference first."""
    return list(dict.fromkeys(step.layer for step in steps))


def owned(steps: Iterable[Step], pieces: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Layer -> bytes of the pieces (place, bytes) that it is the first to use."""
    first: dict[str, str] = {}
    for step in steps:
        for place in step.places:
            first.setdefault(place, step.layer)
    totals: dict[str, int] = {}
    for place, size in pieces:
        if place in first:
            totals[first[place]] = totals.get(first[place], 0) + size
    return totals


def constants_of(image: Image, steps: Iterable[Step]) -> list[tuple[str, int]]:
    """The section cut where an operand begins: (place, bytes up to the next)."""
    places = {p for step in steps for p in step.places if p.startswith("constants+")}
    starts = sorted(int(p.removeprefix("constants+")) for p in places)
    ends = [*starts[1:], len(image.constants)]
    return [(f"constants+{start}", end - start) for start, end in zip(starts, ends, strict=True)]


def add_run(layer: Layer, program: Code) -> None:
    """What one run of the main program does for a layer."""
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
    """What is made forward and needed backward."""
    first = next((n for n, step in enumerate(program.steps) if step.phase == "backward"), None)
    return [] if first is None else [s for s in program.spans if s.start < first < s.end]
