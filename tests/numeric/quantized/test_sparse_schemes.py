"""Quantized layers that train a share of their output channels, drawn for each weight, beside drawn biases."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numeric.quantized.test_whole_networks import close
from onnx import numpy_helper

from gradmote import Session, losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.export import part_of, trained_model
from gradmote.compiler import Options, compile_image
from gradmote.compiler.options import GRADIENTS, WEIGHTS
from support.oracle import compile_twice, examples, host_profiles, poisoned, run_ort_plainly
from support.quantized import by_onnxruntime, reference, rounding
from support.quantized.drawn import networks
from support.quantized.straight_through import check_gradients

BATCH, STEPS = 2, 4


@st.composite
def schemes(draw: st.DrawFn, model: onnx.ModelProto) -> str:
    """Return a scheme with a share for some weights; others and some biases train whole."""
    weights = [t.name for t in model.graph.initializer if t.name.endswith(".w")]
    biases = [t.name for t in model.graph.initializer if t.name.endswith(".b")]
    shares = {name: draw(st.sampled_from((None, 1, 0.2, 0.5, 0.75))) for name in weights}
    shares[draw(st.sampled_from(weights))] = 0.5
    parts = [f"sparse:{share}:named:{name}" for name, share in shares.items() if share not in (None, 1)]
    whole = [name for name, share in shares.items() if share == 1]
    whole += draw(st.lists(st.sampled_from(biases), unique=True)) if biases else []
    return "+".join([*parts, f"named:{','.join(whole)}"] if whole else parts)


@st.composite
def lessons(draw: st.DrawFn) -> tuple[onnx.ModelProto, str, dict[str, np.ndarray]]:
    """Return a network, a scheme and a batch: x and labels."""
    model = draw(networks())
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    shape = [d.dim_value or BATCH for d in model.graph.input[0].type.tensor_type.shape.dim]
    classes = model.graph.output[0].type.tensor_type.shape.dim[1].dim_value
    feeds = {"x": rng.normal(0, 1, shape).astype(np.float32), "labels": rng.integers(0, classes, BATCH)}
    return model, draw(schemes(model)), feeds


def made_of(model: onnx.ModelProto, scheme: str) -> Any:
    return build_artifacts(model, None, losses.cross_entropy(), optimizers.sgd(0.05), scheme=scheme)


@examples(15)
@given(lessons())
def test_gradients_of_the_training_model(lesson: tuple[onnx.ModelProto, str, dict[str, np.ndarray]]) -> None:
    """They are the slopes of a loss in float64, and the split model computes what the whole one does."""
    model, scheme, feeds = lesson
    made = made_of(model, scheme)
    assert close(*(run_ort_plainly(m, {"x": feeds["x"]})["y"] for m in (made.inference, model)), model)
    outputs = run_ort_plainly(made.training, feeds)
    found = {name: outputs[f"{name}_grad"] for name in made.parameters}
    check_gradients(made.training, feeds, found, made.parameters, seed=1)


@pytest.mark.parametrize("kind", GRADIENTS)
@examples(5)
@given(lessons())
def test_gradients_of_programs(kind: str, lesson: tuple[onnx.ModelProto, str, dict[str, np.ndarray]]) -> None:
    model, scheme, feeds = lesson
    made = made_of(model, scheme)
    expected, errors = run_ort_plainly(made.training, feeds), rounding.errors(made.training, feeds, kind)
    image, _ = compile_twice(made, batch=BATCH, gradients=kind)
    for profile in host_profiles():
        with Session(image, profile) as session:
            poisoned(session, session.train_step, feeds["x"], feeds["labels"].astype(np.int32))
            for name in session.parameter_names():
                found, right = np.array(session.gradient(name)), expected[f"{name}_grad"]
                assert np.all(np.abs(found - right) <= errors[f"{name}_grad"]), name


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("kind", GRADIENTS)
@examples(5)
@given(lessons())
def test_what_trains_and_what_does_not(
    kind: str, weights: str, lesson: tuple[onnx.ModelProto, str, dict[str, np.ndarray]]
) -> None:
    """The twin infers as onnxruntime does before and after the training, whose export keeps all that is frozen."""
    model, scheme, feeds = lesson
    made, options = made_of(model, scheme), Options(batch=BATCH, gradients=kind)
    options.weights = weights if has_int8(made.parameters) else "int8"
    with Session(compile_image(made, options).image) as session:
        before = np.array(session.infer(feeds["x"])[0])
        for _ in range(STEPS):
            poisoned(session, session.step, feeds["x"], feeds["labels"].astype(np.int32))
        after, names = np.array(session.infer(feeds["x"])[0]), session.parameter_names()
        exported = trained_model(model, session.save())
    assert close(before, reference.infer(model, {"x": feeds["x"]})[0], model)
    assert close(after, reference.infer(exported, {"x": feeds["x"]})[0], exported)
    check_frozen(model, exported, names)


def has_int8(parameters: dict[str, np.ndarray]) -> bool:
    return any(array.dtype == np.int8 for array in parameters.values())


def check_frozen(model: onnx.ModelProto, exported: onnx.ModelProto, trained: list[str]) -> None:
    """Compare all numbers of both models that do not train."""
    after = {t.name: numpy_helper.to_array(t) for t in exported.graph.initializer}
    masks = {name: np.ones(array.shape, bool) for name, array in after.items()}
    for name in trained:
        weight, part = part_of(name) if name not in masks else (name, ())
        masks[weight][part] = False
    for tensor in model.graph.initializer:
        before, now = numpy_helper.to_array(tensor), after[tensor.name]
        if before.dtype == now.dtype:  # weights of float32 become integers
            np.testing.assert_array_equal(before[masks[tensor.name]], now[masks[tensor.name]])


@pytest.mark.parametrize(
    ("network", "scheme"), [("ds_cnn", "bias+sparse:0.5:last:4"), ("resnet_8", "sparse:0.25:last:6")]
)
def test_no_part_computes_in_float(network: str, scheme: str) -> None:
    """Split layers use the int8 operators of whole ones, with their ReLUs in the bounds."""
    model = by_onnxruntime.network(network)
    in_float = [{(f.operator, f.reason) for f in program.in_float} for program in programs(model, scheme)]
    assert in_float == [{(f.operator, f.reason) for f in program.in_float} for program in programs(model, "full")]


def programs(model: onnx.ModelProto, scheme: str) -> Any:
    return compile_image(made_of(model, scheme), Options(batch=1)).compiled.programs
