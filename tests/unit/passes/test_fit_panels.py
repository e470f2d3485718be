"""Panels have fewer tiles if they are the peak of scratch, and no bit changes."""

from __future__ import annotations

import numpy as np
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.compile import Result
from gradmote.compiler.passes import fit_panels, pipeline
from gradmote.compiler.passes.fit_panels import packing
from gradmote.ir.loops import spans
from gradmote.plan.lifetimes import lifetimes
from gradmote_runtime import Session
from support.quantized import by_onnxruntime, reference


def compiled(network: str, fitted: bool) -> Result:
    made = build_artifacts(by_onnxruntime.network(network), None, losses.cross_entropy(), optimizers.sgd(0.1))
    with pytest.MonkeyPatch.context() as patch:
        if not fitted:
            patch.setattr(pipeline, "PROGRAMS", [p for p in pipeline.PROGRAMS if p is not fit_panels.run])
        return compile_image(made, Options())


def panels(result: Result) -> list[int]:
    return [m.panel_words for p in result.compiled.programs for i in p.instructions if (m := packing(i)) is not None]


def state_after(result: Result, network: str) -> bytes:
    x = reference.noise(by_onnxruntime.network(network), 1)
    with Session(result.image) as session:
        for label in range(2):
            session.step(*x.values(), np.array([label], np.int32))
        return bytes(session.state())


def test_less_scratch_and_the_same_bits() -> None:
    some, all_tiles = (compiled("ds_cnn", fitted) for fitted in (True, False))
    assert some.layout.arena_size < all_tiles.layout.arena_size
    smaller = [pair for pair in zip(panels(some), panels(all_tiles), strict=True) if pair[0] != pair[1]]
    assert smaller and all(few < many for few, many in smaller)
    assert len(smaller) < len(panels(some)) / 4
    assert state_after(some, "ds_cnn") == state_after(all_tiles, "ds_cnn")


def test_panels_in_loops_are_needed_by_their_instructions_alone() -> None:
    result = compile_image(build_artifacts(by_onnxruntime.network("ds_cnn")), Options(stream_rows=True))
    (program,) = result.compiled.programs
    (loop, *_) = spans(program.instructions)
    inside = [m.panel for i in program.instructions[loop.start : loop.end] if (m := packing(i)) is not None]
    needed = {life.buffer: life for life in lifetimes(program)}
    lives = [needed[panel.buffer] for panel in inside if panel is not None]
    assert len(lives) > 1
    assert all(life.end - life.start < loop.end - loop.start for life in lives)
