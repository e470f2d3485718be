"""An image has the same code and constants, whatever its parameters begin as: what trains is read from the state.

A compiler that computes with the first value of a parameter makes an image that answers well until it learns.
"""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import numpy_helper
from unit.passes.test_random_networks import networks as float_networks

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.options import GRADIENTS
from gradmote.formats.image import read_image
from support.oracle import examples
from support.quantized.drawn import QdqNetwork, networks


def other_values(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Other real numbers; the same integers in another order, whose range may choose their canonical form."""
    if np.issubdtype(array.dtype, np.integer):
        return rng.permutation(array.ravel()).reshape(array.shape)
    return np.asarray(array * rng.uniform(0.5, 1.5, array.shape) + 0.01).astype(np.float32)


def with_others(model: onnx.ModelProto, names: set[str], seed: int) -> onnx.ModelProto:
    made, rng = onnx.ModelProto(), np.random.default_rng(seed)
    made.CopyFrom(model)
    for tensor in made.graph.initializer:
        if tensor.name in names:
            tensor.CopyFrom(numpy_helper.from_array(other_values(numpy_helper.to_array(tensor), rng), tensor.name))
    return made


def fixed_part(model: onnx.ModelProto, trained: list[str] | None, **options: object) -> tuple:
    """Return all of an image except its initial state."""
    made = build_artifacts(model, trained, losses.cross_entropy(), optimizers.sgd(0.1))
    image = read_image(compile_image(made, Options(**options)).image)
    code = [without_bounds(instruction) for program in image.programs for instruction in program["instructions"]]
    return image.constants, code, set(made.parameters)


def without_bounds(instruction: dict) -> dict:
    """Leave out the range of an update, which is symmetric if the weight's is at first."""
    bounds = {"low", "high"} if "UPDATE" in instruction["opcode"] else set()
    return instruction | {"params": {k: v for k, v in instruction["params"].items() if k not in bounds}}


def assert_same(model: onnx.ModelProto, trained: list[str] | None = None, **options: object) -> None:
    *expected, names = fixed_part(model, trained, **options)
    assert names
    *found, others = fixed_part(with_others(model, names, 1), trained, **options)
    assert (found, others) == (expected, names)


@examples(8)
@given(float_networks(), st.booleans())
def test_float_networks(model: onnx.ModelProto, accumulate: bool) -> None:
    assert_same(model, accumulate=accumulate)


@examples(8)
@given(networks(), st.sampled_from(GRADIENTS), st.booleans())
def test_quantized_networks(model: onnx.ModelProto, gradients: str, accumulate: bool) -> None:
    assert_same(model, gradients=gradients, accumulate=accumulate)


@pytest.mark.parametrize("op_type", ["Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu"])
def test_functions_of_one_trained_number(op_type: str) -> None:
    """A table of such a function between two quantizations would keep the number that it began with."""
    net = QdqNetwork(np.random.default_rng(1), shapes={"x": (1, 4)})
    net.quantize()
    net.value = net.add(op_type, [net.value, net.tensor("gain", np.full((1,), 1.3, np.float32))], (1, 4))
    net.quantize()
    net.gemm(3, "int8", False, "none", "plain")
    assert_same(net.model(), ["gain", "gemm*"])
