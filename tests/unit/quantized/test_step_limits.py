"""How far an update may move each parameter of a quantized network: by clip_steps, or by what the parameter does."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from support.quantized.drawn import QdqNetwork

ANY = 2.0**30


def network(kind: str) -> onnx.ModelProto:
    """Return a convolution and a dense layer of this kind, each with an int32 bias."""
    net = QdqNetwork(np.random.default_rng(5))
    net.shapes["x"] = (1, 2, 4, 4)
    net.quantize(0.02)
    net.conv(3, "int8", True, "int32")
    net.quantize()
    net.flatten()
    net.gemm(4, "int8", True, "int32", kind)
    return net.model(False)


def sequence() -> onnx.ModelProto:
    """Return a product of one weight with each of five vectors of a sample."""
    scale, zero = numpy_helper.from_array(np.float32(0.01), "s"), numpy_helper.from_array(np.int8(0), "z")
    weight = numpy_helper.from_array(np.arange(12, dtype=np.int8).reshape(4, 3), "sequence.w")
    nodes = [helper.make_node(*n) for n in (
        ("QuantizeLinear", ["x", "s", "z"], ["xq"]), ("DequantizeLinear", ["xq", "s", "z"], ["xr"]),
        ("DequantizeLinear", ["sequence.w", "s", "z"], ["wr"]), ("MatMul", ["xr", "wr"], ["y"]),
    )]  # fmt: skip
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["n", 5, width]) for n, width in (("x", 4), ("y", 3))]
    graph = helper.make_graph(nodes, "sequence", ends[:1], ends[1:], [scale, zero, weight])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def limits(model: onnx.ModelProto, clip_steps: float | None, rule=optimizers.sgd, **settings) -> dict[str, float]:
    """Return the limit of each stored parameter: the layer without its number, and weight or bias."""
    made = build_artifacts(model, None, losses.mse(), rule(clip_steps=clip_steps, **settings))
    found = {}
    for node in made.optimizer.graph.node:
        named = {a.name: a.f for a in node.attribute}
        if "limit" in named:
            layer, part = node.input[0].split(".")[:2]
            found[f"{layer.rstrip('0123456789')}.{part}"] = named["limit"]
    return found


@pytest.mark.parametrize("kind", ["plain", "transB", "matmul", "transposed"])
def test_a_dense_layer_and_biases_may_take_longer_steps_by_default(kind: str) -> None:
    found = limits(network(kind), None)
    assert found.pop("conv.w") == 2
    assert found.pop("gemm.w") == 8
    assert set(found.values()) <= {ANY}
    assert "conv.b" in found


def test_a_weight_of_a_sequence_is_shared_as_that_of_a_convolution() -> None:
    assert limits(sequence(), None) == {"sequence.w": 2}


@pytest.mark.parametrize(("clip_steps", "weight", "bias"), [(1, 1, 128), (0.25, 0.25, 32), (8, 8, 1024), (0, ANY, ANY)])
def test_a_given_limit_holds_for_all(clip_steps: float, weight: float, bias: float) -> None:
    found = limits(network("transB"), clip_steps)
    assert found == {"conv.w": weight, "conv.b": bias, "gemm.w": weight, "gemm.b": bias}


@pytest.mark.parametrize(("rule", "settings"), [(optimizers.sgd, {"momentum": 0.9}), (optimizers.adamw, {})])
def test_rules_with_moments_move_a_weight_by_one_unit(rule, settings) -> None:
    found = limits(network("transB"), None, rule, **settings)
    assert found == {"conv.w": 1, "conv.b": 128, "gemm.w": 1, "gemm.b": 128}
