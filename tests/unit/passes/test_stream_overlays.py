"""Results of layers that run row by row overlay rows of their inputs, and nothing is read that they overwrote."""

import numpy as np
import pytest

from gradmote import Session, compile_model, losses, optimizers
from gradmote.compiler.options import Options
from gradmote.plan import check_overlays
from gradmote.plan.overlays import OverwrittenTooEarly
from gradmote.report.analyze import analyze_image, analyze_result
from support.drawn_cnn import CLASSES, DrawnNetwork
from support.quantized.by_onnxruntime import of_integers
from support.quantized.drawn import QdqNetwork

FLOATS = (1, 2, 4, 7, 9, 12, 13, 14, 16, 19)
QUANTIZED = range(4)


def drawn_float(seed, streams):
    drawn = DrawnNetwork(seed)
    options = Options(batch=1 + seed % 4 // 2, stream_rows=streams, overwrite_inputs=True)
    model = drawn.make(layers=2 + seed % 5)
    return compile_model(model, losses.cross_entropy(), optimizers.sgd(0.1), options, scheme="head")


def drawn_int8(seed, streams):
    """A network with one image of several rows, whose last layers are trained with gradients of int16."""
    net = QdqNetwork(np.random.default_rng(seed))
    net.shapes["x"] = (1, 1 + seed, 24, 20)
    net.quantize(0.02)
    for depthwise in (False, True, False, True, False):
        net.conv(net.shape[1] if depthwise else 4 + seed, "int8", True, "int32", depthwise)
        net.activation("Relu")
        net.quantize()
        if not depthwise:
            net.pool("AveragePool")
    net.flatten()
    net.gemm(CLASSES, "int8", False, "int32", "transB")
    options = Options(stream_rows=streams, overwrite_inputs=True)
    model = of_integers(net.model(False))
    return compile_model(model, losses.cross_entropy(), optimizers.sgd(0.05), options, scheme="bias:last:2")


CASES = [(drawn_float, seed) for seed in FLOATS] + [(drawn_int8, seed) for seed in QUANTIZED]
NAMES = [f"{draw.__name__}-{seed}" for draw, seed in CASES]


def results_of(made, profile):
    """Return all results of some runs of each program, on an arena full of NaN."""
    rng, session, found = np.random.default_rng(1), Session(made.image, profile), []
    shape, dtype = (session.inputs()[0][key] for key in ("shape", "dtype"))
    for _ in range(2):
        x = rng.integers(-90, 90, shape).astype(np.int8) if dtype == "int8" else np.float32(rng.normal(0, 1, shape))
        labels = rng.integers(0, CLASSES, shape[0]).astype(np.int32)
        for run in (lambda x=x: np.array(session.infer(x)).tobytes(), lambda x=x, y=labels: session.step(x, y)):
            session.poison()
            found.append(run())
    return [*found, session.save()]


def overlaps(made):
    """Yield the (program, upper, overlay) whose buffers have bytes in common."""
    for program in made.compiled.programs:
        offsets = made.layout.placements[program.kind].offsets
        for upper, overlay in program.overlays.items():
            first, last = offsets[upper], offsets[upper] + upper.size
            if first < offsets[overlay.under] + overlay.under.size and offsets[overlay.under] < last:
                yield program, upper, overlay


@pytest.fixture(scope="module")
def streamed():
    return {name: draw(seed, True) for name, (draw, seed) in zip(NAMES, CASES, strict=True)}


@pytest.mark.parametrize(("draw", "seed"), CASES, ids=NAMES)
def test_bits_are_those_of_whole_layers(streamed, draw, seed):
    rows = streamed[f"{draw.__name__}-{seed}"]
    whole = draw(seed, False)
    for profile in ("fused", "strict"):
        assert results_of(rows, profile) == results_of(whole, profile)


def test_most_networks_have_results_over_inputs(streamed):
    found = {name for name, made in streamed.items() if any(overlaps(made))}
    assert len(found) >= len(CASES) * 3 // 4
    assert any(name.startswith("drawn_int8") for name in found)


def test_one_word_further_would_be_too_far(streamed):
    """The bound is exact: a result that begins there leaves all that is still to be read, and no later one does."""
    for made in streamed.values():
        for program, upper, overlay in overlaps(made):
            offsets = dict(made.layout.placements[program.kind].offsets)
            offsets[upper] = offsets[overlay.under] + overlay.furthest
            check_overlays(program, offsets)
            if overlay.furthest + upper.size < overlay.under.size:
                offsets[upper] += 4
                with pytest.raises(OverwrittenTooEarly, match=f"which '{upper.name}' has overwritten"):
                    check_overlays(program, offsets)


def test_analyze_counts_common_bytes_once(streamed):
    for made in streamed.values():
        for report in (analyze_result(made, "drawn"), analyze_image(made.image, "drawn")):
            for program in report.programs:
                placement = made.layout.placements[program.kind]
                assert 0.5 * placement.peak < max(program.usage()) <= placement.peak
