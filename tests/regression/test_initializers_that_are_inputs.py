"""Initializers that are also inputs, as all models of IR version 3 have them, are weights like others: frozen or
trained, an image has the same bytes."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from hypothesis import given
from unit.passes.test_random_networks import networks

from gradmote import losses, onnx_backend, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.export import trained_model
from gradmote.compiler import Options, compile_image
from gradmote.errors import ModelError
from gradmote_runtime import Session
from support.oracle import examples, make_model, node, run_ort, values

WEIGHTS = {
    "conv": values(1, 4, 2, 3, 3),
    "scale": values(2, 4),
    "shift": values(3, 4),
    "mean": values(4, 4),
    "variance": np.abs(values(5, 4)),
    "slope": np.abs(values(6, 4, 1, 1)),
    "fc": values(7, 4, 3),
    "bias": values(8, 3),
}
SHAPES = {"flat": [0, -1]}
X, LABELS = values(9, 2, 2, 3, 3), np.array([0, 2])


def network(weights: dict[str, np.ndarray] = WEIGHTS) -> onnx.ModelProto:
    nodes = [
        node("Conv", "x conv", "a"),
        node("BatchNormalization", "a scale shift mean variance", "b"),
        node("PRelu", "b slope", "c"),
        node("Reshape", "c flat", "d"),
        node("Gemm", "d fc bias", "y"),
    ]
    return make_model(nodes, {**weights, **SHAPES}, {"x": ("N", 2, 3, 3)})


def with_weights_as_inputs(model: onnx.ModelProto, ir_version: int = 10) -> onnx.ModelProto:
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    copy.ir_version = ir_version
    for tensor in copy.graph.initializer:
        copy.graph.input.append(onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims))
    return copy


def test_they_infer():
    model = with_weights_as_inputs(network())
    (y,) = onnx_backend.run_model(model, [X])
    np.testing.assert_allclose(y, run_ort(model, {"x": X})["y"], rtol=1e-5)


@pytest.mark.parametrize("train", [None, ["fc"], ["conv", "slope"], ["bias"]])
@pytest.mark.parametrize("batch_norm", ["frozen", "fold", "batch"])
def test_frozen_or_trained_the_image_is_the_same(train, batch_norm):
    train = [n for n in train if batch_norm != "fold" or n != "conv"] if train else None
    made = [
        build_artifacts(m, train, losses.cross_entropy(), optimizers.sgd(0.1), batch_norm=batch_norm)
        for m in (network(), with_weights_as_inputs(network()))
    ]
    first, second = (compile_image(m, Options(batch=2)).image for m in made)
    assert first == second


def test_what_was_trained_goes_back_into_the_model():
    model = with_weights_as_inputs(network())
    made = build_artifacts(model, ["fc", "bias"], losses.cross_entropy(), optimizers.sgd(0.1))
    with Session(compile_image(made, Options(batch=2)).image) as session:
        session.step(X, LABELS)
        better = trained_model(model, session.save())
        np.testing.assert_allclose(session.infer(X)[0], run_ort(better, {"x": X})["y"], rtol=1e-5)
    assert [v.name for v in better.graph.input] == [v.name for v in model.graph.input]


def test_a_model_of_ir_version_3_and_opset_6():
    model = make_model(
        [node("Gemm", "x w b", "y")], {"w": values(1, 4, 3), "b": values(2, 3)}, {"x": ("N", 4)}, opset=6
    )
    x = values(3, 2, 4)
    (y,) = onnx_backend.run_model(with_weights_as_inputs(model, 3), [x])
    np.testing.assert_allclose(y, x @ values(1, 4, 3) + values(2, 3), rtol=1e-5)


@pytest.mark.parametrize("rank", [2, 3, 4])
def test_slopes_of_opset_6_are_one_a_channel(rank):
    x, slopes = values(1, 2, 3, *[4] * (rank - 2)), values(2, 3)
    model = make_model([node("PRelu", "x slopes", "y")], {"slopes": slopes}, {"x": x.shape}, opset=6)
    (y,) = onnx_backend.run_model(with_weights_as_inputs(model, 3), [x])
    np.testing.assert_allclose(y, np.where(x > 0, x, x * slopes.reshape(3, *[1] * (rank - 2))), rtol=1e-6)
    made = build_artifacts(model, None, losses.mse(), optimizers.sgd(0.1))
    assert made.parameters["slopes"].shape == (3,)


def test_what_does_not_broadcast_is_refused():
    model = make_model([node("PRelu", "x slopes", "y")], {"slopes": values(2, 3)}, {"x": (2, 3, 4)})
    with pytest.raises(ModelError, match=r"'slopes' of shape \[3\] does not broadcast to \[2, 3, 4\]"):
        onnx_backend.run_model(model, [values(1, 2, 3, 4)])


@examples(12)
@given(networks())
def test_any_network_gives_the_same_image(model):
    made = [build_artifacts(m, None, losses.cross_entropy(), optimizers.sgd(0.1))
            for m in (model, with_weights_as_inputs(model))]  # fmt: skip
    first, second = (compile_image(m, Options(batch=2)).image for m in made)
    assert first == second
