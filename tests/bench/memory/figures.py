"""The bytes that one compiled case takes, and those that it would take without a plan. All except seconds are exact."""

from __future__ import annotations

import time
from dataclasses import dataclass

from bench.memory.cases import Case, artifacts

from gradmote.compiler import Options, compile_image
from gradmote.compiler.compile import flatten
from gradmote.formats.image.layout import lay_out
from gradmote.ir.program import Compiled, Program


@dataclass(frozen=True)
class Figures:
    """Bytes, except seconds. peak: of the step's scratch, which includes gradients. bound: what is alive at the widest
    instruction of its schedule. gradients: of parameters that are made whole, all together. naive: see naive_bytes."""

    peak: int
    bound: int
    gradients: int
    arena: int
    image: int
    naive: int
    seconds: float  # to place all buffers of all programs


def measure(case: Case) -> Figures:
    made, options = artifacts(case.network, case.scheme), Options(batch=case.batch)
    naive = naive_bytes(flatten(made, options))
    result = compile_image(made, options)
    start = time.perf_counter()
    layout = lay_out(result.compiled)
    seconds = time.perf_counter() - start
    step = layout.placements["step"]
    gradients = gradient_bytes(step_of(result.compiled))
    return Figures(step.peak, step.bound, gradients, layout.arena_size, len(result.image), naive, seconds)


def step_of(compiled: Compiled) -> Program:
    return next(p for p in compiled.programs if p.kind == "step")


def naive_bytes(compiled: Compiled) -> int:
    """Return the bytes of all scratch buffers of the step as it was lowered, before any pass over instructions has
    fused, reordered or shared anything. Each value has bytes of its own, views excepted; each trained parameter's
    gradient is one of these values."""
    return sum(b.size for b in step_of(compiled).buffers() if b.region == "scratch")


def gradient_bytes(program: Program) -> int:
    """Return the bytes of the gradients that are whole at some time; the others go into the update as they are made."""
    made = {ref.buffer for ref in program.gradients.values()}
    return sum(buffer.size for buffer in made & program.uses().keys())
