"""The export of trained QDQ models: the user's form, with the trained model's bits."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numeric.quantized.test_whole_networks import close
from onnx import helper, numpy_helper

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.export import trained_model
from gradmote.artifacts.files import with_data
from gradmote.errors import CheckpointError, ModelError
from gradmote.formats.checkpoint import Checkpoint
from gradmote.ir.write import to_proto
from support.oracle import examples
from support.quantized.comparing import InGradmote
from support.quantized.drawn import QdqNetwork, networks
from support.quantized.exported import NAMES, network
from support.quantized.reference import infer, noise

Arrays = dict[str, np.ndarray]


def moved(parameters: Arrays, rng: np.random.Generator) -> Arrays:
    """Return parameters as an update could leave them: int8 anywhere within its bounds."""
    found = {}
    for name, array in parameters.items():
        if array.dtype == np.int8:
            found[name] = rng.integers(-127, 128, array.shape).astype(np.int8)
        elif array.dtype == np.int32:
            found[name] = array + rng.integers(-500, 500, array.shape).astype(np.int32)
        else:
            found[name] = array + rng.normal(0, 0.1, array.shape).astype(np.float32)
    return found


def check_export(model: onnx.ModelProto, seed: int, scheme: str = "full", float_head: bool = False) -> onnx.ModelProto:
    """Return the export of moved parameters, which computes what the artifacts' own model does with them."""
    made = build_artifacts(model, None, losses.mse(), optimizers.sgd(), scheme=scheme, float_head=float_head)
    tensors = moved(made.parameters, np.random.default_rng(seed))
    exported = trained_model(model, Checkpoint(tensors, list(tensors)))
    onnx.checker.check_model(exported, full_check=True)
    feeds = noise(model, 2)
    trained = to_proto(with_data(made.models.inference, tensors))
    assert all(np.array_equal(a, b) for a, b in zip(exact(exported, feeds), exact(trained, feeds), strict=True))
    for found, expected in zip(infer(exported, feeds), infer(trained, feeds), strict=True):
        # onnxruntime adds up a product with fewer columns in another order, which may decide an integer
        assert close(found, expected, exported) if scheme.startswith("sparse") else np.array_equal(found, expected)
    return exported


def exact(model: onnx.ModelProto, feeds: Arrays) -> list[np.ndarray]:
    """Return what the runtime computes, whose sums are exact."""
    return InGradmote(model, 2)(feeds)


@examples(30)
@given(networks(), st.integers(0, 99), st.sampled_from(("full", "sparse:0.5", "last:2")))
def test_trained_networks_keep_their_bits(model: onnx.ModelProto, seed: int, scheme: str) -> None:
    exported = check_export(model, seed, scheme)
    types = {t.name: t.data_type for t in exported.graph.initializer}
    for tensor in model.graph.initializer:
        integers = (onnx.TensorProto.INT8, onnx.TensorProto.UINT8, onnx.TensorProto.INT32)
        assert tensor.data_type not in integers or types[tensor.name] == tensor.data_type


@pytest.mark.parametrize("name", [n for n in NAMES if "torch" in n or "float32" in n])
def test_networks_of_other_tools(name: str) -> None:
    check_export(network(name), 0)


def test_a_weight_of_float32_becomes_integers() -> None:
    net = QdqNetwork(np.random.default_rng(0))
    net.shapes["x"] = (1, 2, 4, 4)
    net.quantize()
    net.conv(3, "float32", per_channel=True, bias="none")
    exported = check_export(net.model(), 0)
    weight = next(t for t in exported.graph.initializer if t.name == "conv2.w")
    assert weight.data_type == onnx.TensorProto.INT8
    assert sum(n.op_type == "QuantizeLinear" for n in exported.graph.node) == 2


def test_a_master_of_16_bits_is_rounded_down() -> None:
    net = QdqNetwork(np.random.default_rng(0))
    net.shapes["x"] = (1, 1, 3, 3)
    net.quantize()
    net.conv(1, "int8", per_channel=False, bias="none")
    model = net.model()
    q = np.arange(-4, 5, dtype=np.int8).reshape(1, 1, 3, 3)
    masters = 256 * q.astype(np.int16) + np.array([[[[0, 255, 128]] * 3]], np.int16)
    narrow, wide = (trained_model(model, Checkpoint({"conv2.w": w}, ["conv2.w"])) for w in (q, masters))
    assert narrow == wide


def test_what_the_model_does_not_have_is_refused() -> None:
    net = QdqNetwork(np.random.default_rng(0))
    net.shapes["x"] = (1, 1, 3, 3)
    net.quantize()
    net.conv(1, "int8", per_channel=False, bias="none")
    with pytest.raises(CheckpointError, match="no weight called 'other'"):
        trained_model(net.model(), Checkpoint({"other": np.zeros(3, np.int8)}, ["other"]))
    with pytest.raises(CheckpointError, match=r"'conv2.w' is int8 \[1, 1, 3, 3\] in the model, int8 \[2\]"):
        trained_model(net.model(), Checkpoint({"conv2.w": np.zeros(2, np.int8)}, ["conv2.w"]))


@examples(20)
@given(networks(), st.integers(0, 99))
def test_a_float_head_is_float_in_the_export(model: onnx.ModelProto, seed: int) -> None:
    exported = check_export(model, seed, "last:2", float_head=True)
    types = {t.name: t.data_type for t in exported.graph.initializer}
    head = [name for name in types if name.startswith("gemm") and name.endswith((".w", ".b"))]
    assert head and all(types[name] == onnx.TensorProto.FLOAT for name in head)


def test_a_model_of_float32_has_no_quantized_head() -> None:
    weight = numpy_helper.from_array(np.ones((2, 3), np.float32), "w")
    values = [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, ["n", d]) for n, d in (("x", 2), ("y", 3))]
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g", values[:1], values[1:], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    with pytest.raises(ModelError, match="the last layer has no quantized weight"):
        build_artifacts(model, None, losses.mse(), optimizers.sgd(), float_head=True)
