"""QDQ models as graphs: their canonical form has the same bits, and gradients are those of dequantized weights."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gradmote import optimizers
from gradmote.artifacts import build_artifacts
from gradmote.losses import mse
from support.oracle import examples, gradients_of, projection, run_ort_plainly
from support.quantized.drawn import QdqNetwork, networks
from support.quantized.straight_through import check_gradients


def samples(model: onnx.ModelProto, seed: int, batch: int = 2) -> np.ndarray:
    """Return inputs for a model."""
    shape = [d.dim_value or batch for d in model.graph.input[0].type.tensor_type.shape.dim]
    return np.random.default_rng(seed).normal(0, 1, shape).astype(np.float32)


def with_reduce_mean(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a model whose GlobalAveragePool is written as the canonical form has it.

    onnxruntime adds up the elements of the two in different orders, which decides ties of a QuantizeLinear.
    """
    copy = onnx.ModelProto.FromString(model.SerializeToString())
    for node in (node for node in copy.graph.node if node.op_type == "GlobalAveragePool"):
        node.op_type = "ReduceMean"
        node.attribute.append(onnx.helper.make_attribute("axes", [2, 3]))
    return copy


@examples(40)
@given(networks(), st.integers(0, 99))
def test_inference_keeps_all_bits(model: onnx.ModelProto, seed: int) -> None:
    x = samples(model, seed)
    made = build_artifacts(model)
    expected = run_ort_plainly(with_reduce_mean(model), {"x": x})["y"]
    assert np.array_equal(run_ort_plainly(made.inference, {"x": x})["y"], expected)
    quantized = {t.data_type for t in made.inference.graph.initializer}
    assert onnx.TensorProto.UINT8 not in quantized


@examples(20)
@given(networks(), st.integers(0, 99))
def test_gradients_are_those_of_the_dequantized_weights(model: onnx.ModelProto, seed: int) -> None:
    x = samples(model, seed)
    y = run_ort_plainly(model, {"x": x})["y"]
    factors = np.random.default_rng(seed).uniform(0.5, 1.5, y.shape).astype(np.float32)
    made = build_artifacts(model, None, projection(factors), optimizers.sgd(0.05))
    feeds = {"x": x, "projection": factors}
    feeds = {i.name: feeds[i.name] for i in made.training.graph.input if i.name in feeds}
    outputs = run_ort_plainly(made.training, feeds)
    found = gradients_of(outputs, list(made.parameters))
    check_gradients(made.training, feeds, found, made.parameters, seed)


SCHEMES = ("head", "last:2", "bias", "bias+head", "sparse:0.5", "sparse:0.34:last:2", "named:*.w")


@examples(25)
@given(networks(), st.integers(0, 99), st.sampled_from(SCHEMES))
def test_schemes_train_parts_of_quantized_networks(model: onnx.ModelProto, seed: int, scheme: str) -> None:
    assume("bias" not in scheme or any(tensor.name.endswith(".b") for tensor in model.graph.initializer))
    x = samples(model, seed)
    y = run_ort_plainly(with_reduce_mean(model), {"x": x})["y"]
    factors = np.random.default_rng(seed).uniform(0.5, 1.5, y.shape).astype(np.float32)
    made = build_artifacts(model, None, projection(factors), optimizers.sgd(0.05), scheme=scheme)
    parts = run_ort_plainly(made.inference, {"x": x})["y"]
    # onnxruntime adds up a product with fewer columns in another order.
    np.testing.assert_allclose(parts, y, rtol=1e-6 if scheme.startswith("sparse") else 0, atol=0)
    assert scheme == "bias" or any(array.dtype == np.int8 for array in made.parameters.values())
    feeds = {"x": x, "projection": factors}
    feeds = {i.name: feeds[i.name] for i in made.training.graph.input if i.name in feeds}
    outputs = run_ort_plainly(made.training, feeds)
    check_gradients(made.training, feeds, gradients_of(outputs, list(made.parameters)), made.parameters, seed)


def test_parts_of_a_quantized_weight_have_their_scales() -> None:
    net = QdqNetwork(np.random.default_rng(1))
    net.shapes["x"] = (1, 2, 4, 4)
    net.quantize()
    net.conv(4, "int8", per_channel=True, bias="int32")
    made = build_artifacts(net.model(), None, mse(), optimizers.sgd(), scheme="sparse:0.5")
    whole = {name.split("[")[0]: name for name in made.parameters}
    assert list(whole.values()) == ["conv2.w[0:2]", "conv2.b[0:2]"]
    assert {n: a.dtype.name for n, a in made.parameters.items()} == {"conv2.w[0:2]": "int8", "conv2.b[0:2]": "int32"}
    dequantizers = {n.input[0]: n for n in made.inference.graph.node if n.op_type == "DequantizeLinear"}
    tensors = {t.name: onnx.numpy_helper.to_array(t) for t in made.inference.graph.initializer}
    for name, part in whole.items():
        scale = tensors[dequantizers[part].input[1]]
        assert np.array_equal(scale, net.tensors[f"{name}.scale"][:2])


@pytest.mark.parametrize("activations", ["int8", "uint8"])
def test_a_loss_takes_the_real_numbers_of_a_quantized_output(activations: str) -> None:
    net = QdqNetwork(np.random.default_rng(2), activations)
    net.shapes["x"] = (1, 2, 3, 3)
    net.quantize()
    net.conv(2, "int8", per_channel=True, bias="float32")
    model = net.model(integers=True)
    x, target = np.ones((2, 2, 3, 3), np.float32), np.zeros((2, 2, 3, 3), np.float32)
    made = build_artifacts(model, None, mse(), optimizers.sgd())
    y = run_ort_plainly(model, {"x": x})["y"]
    assert y.dtype == np.dtype(activations)
    outputs = run_ort_plainly(made.training, {"x": x, made.training.graph.input[1].name: target})
    real = (y.astype(np.float32) - net.tensors[net.nodes[-1].input[2]].astype(np.float32)) * np.float32(0.05)
    assert outputs["loss"] == pytest.approx(float((real**2).mean()), rel=1e-5)
    assert np.abs(outputs["conv2.w_grad"]).max() > 0


@examples(10)
@given(networks(), st.integers(0, 99))
def test_operators_of_onnxruntime_s_domain_are_onnx_s(model: onnx.ModelProto, seed: int) -> None:
    x = samples(model, seed)
    for node in model.graph.node:
        if node.op_type in ("QuantizeLinear", "DequantizeLinear"):
            node.domain = "com.microsoft"
    model.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    made = build_artifacts(model, None, mse(), optimizers.sgd())
    assert any(array.dtype == np.int8 for array in made.parameters.values())
    expected = run_ort_plainly(with_reduce_mean(model), {"x": x})["y"]
    assert np.array_equal(run_ort_plainly(made.inference, {"x": x})["y"], expected)
