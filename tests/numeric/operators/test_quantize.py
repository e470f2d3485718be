"""Quantize, QuantizeGrad and FlipSign as onnxruntime runs their bodies, against Affine in numpy. Tests of whole graphs,
in numeric/quantized, cover "QuantizeLinear" and "DequantizeLinear"."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from gradmote.ir.affine import Affine
from gradmote.operators import OPERATORS
from support.oracle import examples, run_ort_plainly, seeds

OPSET = 17
FLOAT, INT8, UINT8 = (getattr(onnx.TensorProto, name) for name in ("FLOAT", "INT8", "UINT8"))


def run_own(op_type: str, inputs: dict[str, tuple[int, np.ndarray]], made: int, **attributes: int) -> np.ndarray:
    """Run one operator of Gradmote's domain by its body."""
    given = [helper.make_tensor_value_info(n, t, a.shape) for n, (t, a) in inputs.items()]
    node = helper.make_node(op_type, list(inputs), ["y"], domain="gradmote", **attributes)
    graph = helper.make_graph([node], "own", given, [helper.make_tensor_value_info("y", made, None)])
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("gradmote", 1)]
    body = OPERATORS["gradmote", op_type].function_proto(OPSET)
    model = helper.make_model(graph, opset_imports=opsets, functions=[body], ir_version=10)
    return run_ort_plainly(model, {n: a for n, (_, a) in inputs.items()})["y"]


@examples(30)
@given(seeds, st.floats(1e-3, 10), st.integers(-128, 127), st.integers(-128, 127), st.integers(-128, 127))
def test_quantize_clamps_to_its_bounds(seed: int, scale: float, zero: int, one: int, other: int) -> None:
    low, high = sorted((one, other))
    x = np.random.default_rng(seed).normal(0, 100 * scale, 50).astype(np.float32)
    x[:20] = (np.arange(20) - 10 + 0.5) * np.float32(scale)  # ties, which go to the even number
    affine = Affine(np.float32(scale), np.int8(zero))
    inputs = {"x": (FLOAT, x), "s": (FLOAT, np.asarray(affine.scale)), "z": (INT8, np.asarray(affine.zero))}
    y = run_own("Quantize", inputs, INT8, low=low, high=high)
    assert np.array_equal(y, np.clip(affine.quantize(x), low, high))
    dy = np.ones(50, np.float32)
    dx = run_own("QuantizeGrad", {"dy": (FLOAT, dy), "q": (INT8, y)}, FLOAT, low=low, high=high)
    assert np.array_equal(dx, ((low < y) & (y < high)).astype(np.float32))


@pytest.mark.parametrize(("offset", "source", "target"), [(-128, "uint8", "int8"), (128, "int8", "uint8")])
def test_flip_sign_moves_every_number(offset: int, source: str, target: str) -> None:
    limits = np.iinfo(source)
    x = np.arange(limits.min, limits.max + 1).astype(source)
    types = {"int8": INT8, "uint8": UINT8}
    y = run_own("FlipSign", {"x": (types[source], x)}, types[target], offset=offset, to=types[target])
    assert y.dtype == np.dtype(target) and np.array_equal(y, x.astype(int) + offset)


@examples(30)
@given(seeds, st.booleans())
def test_affine_is_onnx_s_own(seed: int, is_signed: bool) -> None:
    """Affine, with which passes fold constants, computes what QuantizeLinear and DequantizeLinear do."""
    rng, dtype = np.random.default_rng(seed), np.dtype("int8" if is_signed else "uint8")
    x = rng.normal(0, 1, (3, 4, 2)).astype(np.float32)
    affine = Affine(rng.uniform(1e-3, 0.1, 4).astype(np.float32), rng.integers(0, 100, 4).astype(dtype), 1)
    constants = [numpy_helper.from_array(a, n) for n, a in (("s", affine.scale), ("z", affine.zero))]
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], axis=1),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["r"], axis=1),
    ]
    outputs = [onnx.ValueInfoProto(name=n) for n in ("q", "r")]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", FLOAT, x.shape)], outputs, constants)
    model = onnx.shape_inference.infer_shapes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    )
    found = run_ort_plainly(model, {"x": x})
    assert np.array_equal(found["q"], affine.quantize(x))
    assert np.array_equal(found["r"], affine.dequantize(found["q"]))
