"""Exporters merge initializers that are equal, such as the ones and zeros of fresh layers; then these train as one.
That was said without naming the nodes, and there was no way to have them apart."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradmote import cli, losses, optimizers
from gradmote.artifacts.export import trained_model
from gradmote.compiler import Options, compile_model
from gradmote_runtime import Session
from support.oracle import make_model, node, values

#: Three layers; the last two look at the weight through one Transpose.
MERGED = [
    node("Gemm", "x w", "a", transB=1), node("Tanh", "a", "h"), node("Transpose", "w", "t", perm=[1, 0]),
    node("Gemm", "h t", "b"), node("Tanh", "b", "k"), node("MatMul", "k t", "y"),
]  # fmt: skip
APART = [
    node("Gemm", "x w1", "a", transB=1), node("Tanh", "a", "h"), node("Transpose", "w2", "t2", perm=[1, 0]),
    node("Gemm", "h t2", "b"), node("Tanh", "b", "k"), node("Transpose", "w3", "t3", perm=[1, 0]),
    node("MatMul", "k t3", "y"),
]  # fmt: skip
WEIGHT = values(1, 4, 4)


def merged():
    return make_model(MERGED, {"w": WEIGHT}, {"x": ("N", 4)})


def apart():
    return make_model(APART, dict.fromkeys(("w1", "w2", "w3"), WEIGHT), {"x": ("N", 4)})


def trained(model, **options):
    """The parameters and the checkpoint after five steps."""
    image = compile_model(model, losses.mse(), optimizers.sgd(0.01), Options(batch=2), **options).image
    with Session(image) as session:
        for step in range(5):
            session.step(values(step, 2, 4), values(9 - step, 2, 4))
        return {n: np.array(session.parameter(n)) for n in session.parameter_names()}, session.save()


def test_untied_is_as_if_they_had_never_been_merged():
    ours, _ = trained(merged(), untie=True)
    theirs, _ = trained(apart())
    assert list(ours) == ["w.untied_1", "w.untied_2", "w.untied_3"]
    for found, expected in zip(ours.values(), theirs.values(), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("train", [None, ["w.untied_2"]])
def test_what_was_learned_goes_back_into_the_model(train):
    """Check it also for a weight that trains alone: the others stay as they were."""
    parameters, checkpoint = trained(merged(), untie=True, train=train)
    x, h = values(3, 2, 4), None
    found = onnxruntime.InferenceSession(trained_model(merged(), checkpoint).SerializeToString()).run(None, {"x": x})[0]
    w = [parameters.get(f"w.untied_{i}", WEIGHT) for i in (1, 2, 3)]
    h = np.tanh(np.tanh(x @ w[0].T) @ w[1].T) @ w[2].T
    np.testing.assert_allclose(found, h, rtol=1e-4, atol=1e-5)


def test_the_nodes_are_named(tmp_path, capsys):
    path = tmp_path / "model.onnx"
    onnx.save(merged(), path)
    assert cli.main(["compile", str(path), "--loss", "mse"]) == 0
    reported = capsys.readouterr().err
    assert (
        "warning: 'w' is used by Gemm -> a, Transpose -> t; each trains as one weight" in reported
        and "--untie" in reported
    )
    assert cli.main(["compile", str(path), "--loss", "mse", "--untie"]) == 0
    reported = capsys.readouterr()
    assert reported.err == "" and "trains w.untied_1, w.untied_2, w.untied_3" in reported.out


@given(st.lists(st.sampled_from(["Mul", "Add", "Sub"]), min_size=1, max_size=5), st.lists(st.booleans(), min_size=5))
@settings(max_examples=20, deadline=None)
def test_outputs_stay(operators, shared):
    """Untied, the model computes the same whatever was merged, and no weight has two users."""
    weights = {"s": values(1, 4), **{f"w{i}": values(i, 4) for i in range(len(operators))}}
    names = ["s" if both else f"w{i}" for i, both in enumerate(shared[: len(operators)])]
    nodes = [node(op, f"v{i} {name}", f"v{i + 1}") for i, (op, name) in enumerate(zip(operators, names, strict=True))]
    model = make_model(nodes, {n: weights[n] for n in names}, {"v0": ("N", 4)}, outputs=[f"v{len(nodes)}"])
    results = [
        compile_model(model, losses.mse(), optimizers.sgd(0.01), Options(batch=2), untie=untie)
        for untie in (False, True)
    ]
    assert results[1].shared == {}
    with Session(results[0].image) as tied, Session(results[1].image) as untied:
        x = values(7, 2, 4)
        np.testing.assert_array_equal(np.array(tied.infer(x)[0]), np.array(untied.infer(x)[0]))
