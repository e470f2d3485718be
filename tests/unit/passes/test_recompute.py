"""Activations that are recomputed after the peak: less memory, the same bits."""

import numpy as np
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.passes import pipeline, recompute
from support.oracle import make_model, node, train, values

BATCHES = [(values(k, 2, 3, 8, 8), np.array([k % 4, (k + 1) % 4], np.int32)) for k in range(4)]


def network(activation="Relu", residual=False):
    """Three Conv - BatchNormalization - activation blocks, and a classifier."""
    nodes, weights, x = [], {}, "x"
    for block, channels in enumerate((6, 6, 6)):
        inputs = 3 if block == 0 else 6
        names = {p: f"{p}{block}" for p in ("w", "scale", "bias", "mean", "var", "c", "n", "s", "a")}
        weights |= {names["w"]: values(block, channels, inputs, 3, 3) / 4}
        weights |= {names[p]: values(10 + block, channels) for p in ("scale", "bias", "mean")}
        weights |= {names["var"]: np.abs(values(20 + block, channels))}
        nodes.append(node("Conv", f"{x} {names['w']}", names["c"], pads=[1, 1, 1, 1]))
        statistics = " ".join(names[p] for p in ("scale", "bias", "mean", "var"))
        nodes.append(node("BatchNormalization", f"{names['c']} {statistics}", names["n"]))
        summed = names["n"]
        if residual and block:
            nodes.append(node("Add", f"{summed} {x}", names["s"]))
            summed = names["s"]
        nodes.append(node(activation, summed, names["a"]))
        x = names["a"]
    nodes += [node("GlobalAveragePool", x, "p"), node("Flatten", "p", "f"), node("Gemm", "f w9 b9", "y")]
    weights |= {"w9": values(30, 6, 4), "b9": values(31, 4)}
    return make_model(nodes, weights, {"x": ("N", 3, 8, 8)})


def artifacts(batch_norm="frozen", **shape):
    update = optimizers.sgd(0.05, momentum=0.9)
    return build_artifacts(network(**shape), None, losses.cross_entropy(), update, batch_norm=batch_norm)


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("batch_norm", ["frozen", "batch"])
@pytest.mark.parametrize("shape", [{"activation": "Relu"}, {"activation": "HardSwish"}, {"residual": True}])
def test_less_memory_for_the_same_bits(monkeypatch, shape, batch_norm, accumulate):
    made = artifacts(batch_norm, **shape)
    options = Options(batch=2, accumulate=accumulate)
    less = compile_image(made, options)
    monkeypatch.setattr(pipeline, "PROGRAMS", [p for p in pipeline.PROGRAMS if p is not recompute.run])
    more = compile_image(made, options)
    kind = "train" if accumulate else "step"
    assert less.layout.placements[kind].peak < more.layout.placements[kind].peak
    runs = [train(result.image, BATCHES, accumulate=accumulate) for result in (less, more)]
    assert runs[0][0] == runs[1][0]
    assert bytes(runs[0][1].state()) == bytes(runs[1][1].state())


def count(kind, opcode, **shape):
    """Instructions of one opcode in a program."""
    programs = compile_image(artifacts(**shape), Options(batch=2)).compiled.programs
    return sum(i.opcode == opcode for p in programs if p.kind == kind for i in p.instructions)


def test_what_is_costly_to_make_is_kept():
    """Tanh is not cheap: it is not computed twice."""
    assert count("step", "TANH", activation="Tanh") == 3


def test_inference_is_left_alone():
    """A step takes three for activations and three for gradients once."""
    assert count("infer", "NORMALIZE") == 3
    assert count("step", "NORMALIZE") > 6
