"""In a model with weights of int16, an int8 parameter that was added, multiplied or joined was read as if its masters
were two int8 numbers each: only convolutions, matrix products and DequantizeLinear knew of masters."""

from collections.abc import Callable

import numpy as np
import onnx
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.export import trained_model
from gradmote.compiler import Options, compile_image
from gradmote_runtime import Session
from support.quantized import reference
from support.quantized.drawn import QdqNetwork

ROWS, COLUMNS = 3, 4
FEEDS = {"x": np.random.default_rng(3).normal(0, 1, (ROWS, COLUMNS)).astype(np.float32)}


def with_parameter(net: QdqNetwork, op_type: str, shape: tuple[int, ...], axis: int | None = None) -> None:
    p, _ = net.weight("p", shape, "int8", axis)
    net.value = net.add(op_type, [net.value, p], net.shape)


def joined(net: QdqNetwork) -> None:
    p, _ = net.weight("p", (ROWS, COLUMNS), "int8", None)
    net.value = net.add("Concat", [net.value, p], (ROWS, 2 * COLUMNS), axis=1)
    net.quantize()
    bounds = [net.tensor(name, np.array([n], np.int64)) for name, n in (("from", 1), ("to", 1 + COLUMNS), ("on", 1))]
    net.value = net.add("Slice", [net.value, *bounds], (ROWS, COLUMNS))


def turned(net: QdqNetwork) -> None:
    p, _ = net.weight("p", (COLUMNS, ROWS), "int8", None)
    across = net.add("Transpose", [p], (ROWS, COLUMNS), perm=[1, 0])
    net.value = net.add("Add", [net.value, across], net.shape)


def on_the_left(net: QdqNetwork) -> None:
    p, _ = net.weight("p", (ROWS, ROWS), "int8", None)
    net.value = net.add("MatMul", [p, net.value], net.shape)


USES: dict[str, Callable[[QdqNetwork], None]] = {
    "Add": lambda net: with_parameter(net, "Add", (ROWS, COLUMNS)),
    "a row": lambda net: with_parameter(net, "Add", (COLUMNS,)),
    "a column": lambda net: with_parameter(net, "Mul", (ROWS, 1)),
    "one number": lambda net: with_parameter(net, "Mul", ()),
    "in float": lambda net: with_parameter(net, "Sub", (ROWS, COLUMNS)),
    "in float, per channel": lambda net: with_parameter(net, "Div", (COLUMNS,), 0),
    "Concat": joined,
    "Transpose": turned,
    "MatMul": on_the_left,
}


def network(use: str) -> onnx.ModelProto:
    net = QdqNetwork(np.random.default_rng(5), shapes={"x": (ROWS, COLUMNS)})
    net.quantize()
    USES[use](net)
    net.quantize()
    net.gemm(2, "int8", True, "int32", "gemm")
    return net.model()


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("gradients", ["int16", "float"])
def test_masters_compute_as_their_weights(use: str, gradients: str) -> None:
    model = network(use)
    made = build_artifacts(model, None, losses.mse(), optimizers.sgd(0.05), loss_inputs=["y"])
    image = compile_image(made, Options(batch=ROWS, weights="int16", gradients=gradients)).image
    with Session(image) as session:
        for _ in range(4):
            found = np.array(session.infer(*FEEDS.values())[0])
            written = trained_model(model, session.save())
            assert np.array_equal(reference.infer(written, FEEDS)[0], found)
            session.step(*FEEDS.values(), np.ones((ROWS, 2), np.float32))
