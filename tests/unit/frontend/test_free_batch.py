"""Models with a batch of 1 in the file, compiled for more: each sample as the original computes it alone, or refused.

The models are drawn: layers between views that exporters write with a constant 1 for the batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from gradmote.compiler import Options, compile_model
from gradmote.errors import ModelError
from gradmote_runtime import Session
from support.sampling import draws

BATCH = 3
#: How many models are drawn; more at night.
DRAWS = draws("free_batches")


@dataclass
class Drawn:
    """A model in the making. shape: that of the last value, whose batch of 1 is on axis `at`."""

    shape: list[int]
    at: int = 0
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    weights: list[onnx.TensorProto] = field(default_factory=list)
    value: str = "x"

    def add(self, op: str, *more: np.ndarray, first: bool = True, **attributes) -> None:
        names = [self.constant(array) for array in more]
        output = f"v{len(self.nodes)}"
        inputs = [self.value, *names] if first else [*names, self.value]
        self.nodes.append(helper.make_node(op, inputs, [output], **attributes))
        self.value = output

    def constant(self, array: np.ndarray) -> str:
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def floats(self, *shape: int) -> np.ndarray:
        rng = np.random.default_rng(len(self.weights) * 7 + len(self.nodes))
        return rng.normal(0, 0.7, shape).astype(np.float32)

    def features(self) -> list[int]:
        return [d for i, d in enumerate(self.shape) if i != self.at]


# ---- Steps that keep samples apart


def activation(made: Drawn, draw: Callable) -> None:
    made.add(draw(st.sampled_from(["Tanh", "Sigmoid", "Relu"])))


def linear(made: Drawn, draw: Callable) -> None:
    if made.at != len(made.shape) - 1:
        wide = draw(st.integers(2, 5))
        made.add("MatMul", made.floats(made.shape[-1], wide))
        made.shape[-1] = wide


def bias_with_a_batch_of_1(made: Drawn, draw: Callable) -> None:
    made.add(draw(st.sampled_from(["Add", "Mul"])), made.floats(*made.shape))


def flat(made: Drawn, draw: Callable) -> None:
    if made.at == 0:
        made.shape = [1, int(np.prod(made.shape))]
        made.add("Flatten", axis=1)


def reshape(made: Drawn, draw: Callable) -> None:
    """Add a Reshape to new sizes of the features; the batch stays in front."""
    if made.at == 0:
        size = int(np.prod(made.shape))
        first = draw(st.sampled_from([d for d in range(1, size + 1) if size % d == 0]))
        made.shape = draw(st.sampled_from([[1, size], [1, first, size // first]]))
        sizes = list(made.shape)
        if draw(st.booleans()):
            sizes[draw(st.integers(1, len(sizes) - 1))] = -1
        made.add("Reshape", np.array(sizes))


def transpose(made: Drawn, draw: Callable) -> None:
    """The batch moves, as before and after attention or a recurrent layer."""
    order = draw(st.permutations(range(len(made.shape))))
    made.add("Transpose", perm=list(order))
    made.shape, made.at = [made.shape[i] for i in order], order.index(made.at)


def to_the_front(made: Drawn) -> None:
    if made.at:
        order = [made.at, *(i for i in range(len(made.shape)) if i != made.at)]
        made.add("Transpose", perm=order)
        made.shape, made.at = [1, *made.features()], 0


def unsqueeze(made: Drawn, draw: Callable) -> None:
    if len(made.shape) < 4:
        axis = draw(st.integers(0, len(made.shape)))
        made.add("Unsqueeze", np.array([axis]))
        made.shape.insert(axis, 1)
        made.at += axis <= made.at


def mean(made: Drawn, draw: Callable) -> None:
    axes = [i for i in range(len(made.shape)) if i != made.at and len(made.shape) > 2]
    if axes:
        axis = draw(st.sampled_from(axes))
        made.add("ReduceMean", axes=[axis], keepdims=1)
        made.shape[axis] = 1


def joined(made: Drawn, draw: Callable) -> None:
    """A learned token, or zeros, beside the features; its batch of 1 is a constant."""
    axis = draw(st.sampled_from([i for i in range(len(made.shape)) if i != made.at]))
    token = [1 if i == axis else d for i, d in enumerate(made.shape)]
    made.add("Concat", made.floats(*token), first=draw(st.booleans()), axis=axis)
    made.shape[axis] += 1


def recurrent(made: Drawn, draw: Callable) -> None:
    """A GRU over (time, 1, features) that begins with zeros, or learned numbers, for one sample."""
    if len(made.shape) == 3 and made.at == 1:
        size, inputs = 3, made.shape[2]
        weights = [made.floats(1, 3 * size, inputs), made.floats(1, 3 * size, size), made.floats(1, 6 * size)]
        start = draw(st.sampled_from([0.0, 1.0])) * made.floats(1, 1, size)
        names = [*map(made.constant, weights), "", made.constant(start)]
        out = f"v{len(made.nodes)}"
        made.nodes.append(helper.make_node("GRU", [made.value, *names], [out], hidden_size=size, linear_before_reset=1))
        made.value, made.shape = out, [made.shape[0], 1, 1, size]
        made.add("Squeeze", np.array([1]))
        made.shape = [made.shape[0], 1, size]


def resized(made: Drawn, draw: Callable) -> None:
    """Twice as many elements of each channel, in sizes that have a batch of 1."""
    if len(made.shape) == 3 and made.at == 0:
        made.shape[2] *= 2
        empty = made.constant(np.zeros(0, np.float32))
        out = f"v{len(made.nodes)}"
        sizes = made.constant(np.array(made.shape))
        made.nodes.append(helper.make_node("Resize", [made.value, empty, empty, sizes], [out], mode="nearest"))
        made.value = out


APART = [
    activation,
    linear,
    bias_with_a_batch_of_1,
    flat,
    reshape,
    transpose,
    unsqueeze,
    mean,
    joined,
    recurrent,
    resized,
]

# ---- Steps that mix samples, or that mean the 1 and no batch


def mean_of_the_batch(made: Drawn, draw: Callable) -> None:
    made.add("ReduceMean", axes=[made.at], keepdims=1)


def softmax_of_the_batch(made: Drawn, draw: Callable) -> None:
    made.add("Softmax", axis=made.at)


def sum_of_the_batch(made: Drawn, draw: Callable) -> None:
    made.add("CumSum", np.array(made.at))


def first_of_the_batch(made: Drawn, draw: Callable) -> None:
    made.add("Slice", np.array([0]), np.array([1]), np.array([made.at]))


def without_the_batch(made: Drawn, draw: Callable) -> None:
    """A value without a batch, multiplied by itself: an outer product of samples, if there are several."""
    if len(made.shape) == 2 and made.at == 0:
        kept = made.value
        made.add("Transpose", perm=[1, 0])
        turned = made.value
        out = f"v{len(made.nodes)}"
        made.nodes.append(helper.make_node("MatMul", [turned, kept], [out]))
        made.value, made.shape = out, [made.shape[1], made.shape[1]]
        made.add("Unsqueeze", np.array([0]))
        made.shape = [1, *made.shape]


MIXING = [mean_of_the_batch, softmax_of_the_batch, sum_of_the_batch, first_of_the_batch, without_the_batch]


@st.composite
def models(draw: Callable, steps: list[Callable]) -> onnx.ModelProto:
    sample = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    made = Drawn([1, *sample])
    linear(made, draw)
    for step in draw(st.lists(st.sampled_from(steps), min_size=1, max_size=6)):
        step(made, draw)
    to_the_front(made)
    activation(made, draw)
    graph = helper.make_graph(
        made.nodes, "drawn", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, *sample])],
        [helper.make_tensor_value_info(made.value, TensorProto.FLOAT, made.shape)], made.weights,
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model


def one_by_one(model: onnx.ModelProto, x: np.ndarray) -> np.ndarray:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    return np.concatenate([session.run(None, {"x": row[None]})[0] for row in x])


def together(model: onnx.ModelProto) -> bool:
    """Whether the model compiles for a batch; each sample is as the original computes it then."""
    try:
        image = compile_model(model, options=Options(batch=BATCH)).image
    except ModelError as refusal:
        assert refusal.hint
        return False
    shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    x = np.random.default_rng(11).normal(0, 1, (BATCH, *shape[1:])).astype(np.float32)
    with Session(image) as session:
        result = np.array(session.infer(x)[0])
    np.testing.assert_allclose(result.reshape(BATCH, -1), one_by_one(model, x).reshape(BATCH, -1), rtol=1e-3, atol=1e-4)
    return True


many = settings(max_examples=DRAWS, deadline=None, suppress_health_check=list(HealthCheck))


def test_samples_that_stay_apart():
    """Nearly all compile: refusing all would be safe, but useless."""
    compiled = []

    @many
    @given(models(APART))
    def draw(model):
        compiled.append(together(model))

    draw()
    assert np.mean(compiled) > 0.9


@many
@given(models([*APART, *MIXING]))
def test_samples_that_may_mix(model):
    together(model)


@pytest.mark.parametrize("step", MIXING, ids=lambda step: step.__name__)
def test_what_mixes_samples_is_refused(step):
    made = Drawn([1, 4])
    made.add("MatMul", made.floats(4, 4))
    step(made, lambda strategy: None)
    graph = helper.make_graph(
        made.nodes, "mixing", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4])],
        [helper.make_tensor_value_info(made.value, TensorProto.FLOAT, made.shape)], made.weights,
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    with pytest.raises(ModelError, match=r"fixed batch of 1, asked for 3"):
        compile_model(model, options=Options(batch=BATCH))
