"""Models that calibrate_cost.py measures: those that costs are fitted to, and networks that check them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import onnx
from bench.mlp_on_cortex_m4 import mlp
from numeric.models.networks import NETWORKS
from numeric.models.onnx_network import onnx_network
from numeric.operators.test_elementwise import FUNCTIONS

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.optimizers import Optimizer
from support.oracle import make_model, node, values

OPTIMIZERS: dict[str, Callable[[], Optimizer]] = {
    "sgd": lambda: optimizers.sgd(0.01),
    "clipped": lambda: optimizers.sgd(0.01, clip_norm=1.0),
    "momentum": lambda: optimizers.sgd(0.01, momentum=0.9),
    "adam": lambda: optimizers.adam(0.001),
    "adamw": lambda: optimizers.adamw(0.001),
}
OPSET = 20
#: Operators of one operand, those that its test draws among them.
UNARY = sorted(
    {"LeakyRelu", "Relu", "Sigmoid", "Tanh", "ThresholdedRelu"}
    | {op for op, attributes, opset, _ in FUNCTIONS.values() if not attributes and opset <= OPSET}
)


#: Smoothed cross entropy and its gradient are two instructions; a masked loss sums what counts of a batch.
LOSSES = {
    **losses.LOSSES,
    "smoothed": lambda: losses.cross_entropy(label_smoothing=0.1),
    "masked": lambda: losses.mse(mask=True),
}


def image_of(
    model: onnx.ModelProto,
    loss: str,
    optimizer: str,
    batch: int | None,
    accumulate: bool = False,
    train: Sequence[str] | None = None,
    scheme: str | None = None,
    batch_norm: str = "frozen",
    saved: str | None = None,
    moments: str | None = None,
    attention: str | None = None,
) -> bytes:
    update = OPTIMIZERS[optimizer]()
    made = build_artifacts(model, train, LOSSES[loss](), update, scheme=scheme, batch_norm=batch_norm)
    forms = {"saved": saved, "moments": moments, "attention": attention}
    return compile_image(made, Options(batch=batch, accumulate=accumulate, **forms)).image


def network(name: str) -> onnx.ModelProto:
    return onnx_network(NETWORKS[name].make(), NETWORKS[name].shape)


def perceptron(sizes: tuple[int, ...], activation: str) -> onnx.ModelProto:
    """Linear layers with an activation between them."""
    nodes, weights, x = [], {}, "x"
    for i, (m, n) in enumerate(itertools.pairwise(sizes)):
        last = i == len(sizes) - 2
        nodes.append(node("Gemm", f"{x} w{i} b{i}", "y" if last else f"h{i}", transB=1))
        weights |= {f"w{i}": values(i, n, m) * 0.1, f"b{i}": values(i + 9, n) * 0.1 + 0.5}
        if not last:
            nodes.append(node(activation, f"h{i}", f"a{i}"))
        x = f"a{i}"
    return make_model(nodes, weights, {"x": ("N", sizes[0])}, opset=OPSET)


def convolutions(maps: int, size: int, kernel: int, pool: str) -> onnx.ModelProto:
    """Two convolutions, each with a pool, and a classifier."""
    pads = [kernel // 2] * 4
    nodes = [
        node("Conv", "x w1 b1", "c1", pads=pads),
        node("LeakyRelu", "c1", "a1"),
        node(pool, "a1", "p1", kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", "p1 w2 b2", "c2", pads=pads),
        node("Relu", "c2", "a2"),
        node(pool, "a2", "p2", kernel_shape=[3, 3], strides=[2, 2]),
        node("GlobalAveragePool", "p2", "g"),
        node("Flatten", "g", "f"),
        node("Gemm", "f w3", "y"),
    ]
    shapes = {"w1": (maps, 2, kernel, kernel), "w2": (2 * maps, maps, kernel, kernel), "w3": (2 * maps, 5)}
    weights = {n: values(i, *s) * 0.2 for i, (n, s) in enumerate(shapes.items())}
    weights |= {"b1": values(7, maps), "b2": values(8, 2 * maps)}
    return make_model(nodes, weights, {"x": ("N", 2, size, size)})


def global_pool(size: int) -> onnx.ModelProto:
    """A pool over more taps than a byte can number."""
    nodes = [node("Conv", "x w1", "c"), node("GlobalMaxPool", "c", "p"), node("Flatten", "p", "f")]
    weights = {"w1": values(1, 3, 2, 1, 1), "w2": values(2, 3, 4)}
    return make_model([*nodes, node("Gemm", "f w2", "y")], weights, {"x": ("N", 2, size, size)})


def recurrent(op_type: str, gates: int, steps: int, size: int) -> onnx.ModelProto:
    nodes = [node(op_type, "x w r", "- h", hidden_size=size), node("Squeeze", "h axes", "s"), node("Gemm", "s v", "y")]
    weights = {"w": values(1, 1, gates * size, 6), "r": values(2, 1, gates * size, size) * 0.3, "v": values(3, size, 4)}
    return make_model(nodes, {**weights, "axes": np.array([0])}, {"x": (steps, 2, 6)})


def attention(tokens: int, width: int, samples: int = 2) -> onnx.ModelProto:
    """One head, normalized before and added to what comes in."""
    nodes = [
        node("LayerNormalization", "x g b", "n"),
        *(node("MatMul", f"n {w}", t) for w, t in (("wq", "q"), ("wk", "k"), ("wv", "v"))),
        node("Transpose", "k", "kt", perm=[0, 2, 1]),
        node("MatMul", "q kt", "s"),
        node("Mul", "s scale", "ss"),
        node("Softmax", "ss", "p"),
        node("MatMul", "p v", "o"),
        node("Add", "x o", "y"),
    ]
    weights = {w: values(i, width, width) * 0.2 for i, w in enumerate(("wq", "wk", "wv"))}
    weights |= {"g": values(4, width), "b": values(5, width), "scale": np.float32(0.3)}
    return make_model(nodes, weights, {"x": (samples, tokens, width)}, opset=17)


def bag(size: int) -> onnx.ModelProto:
    """A branch for each operator that the other models lack; their sum is what is trained."""
    nodes = [node("Gemm", "x w b", "g"), node("Sigmoid", "g", "s"), node("Mul", "s half", "t")]
    nodes += [node(op_type, "s half", op_type) for op_type in ("Greater", "GreaterOrEqual", "Equal")]
    nodes += [node("TopK", "s three", "best places"), node("Cast", "s", "whole", to=onnx.TensorProto.INT32)]
    for number, (op_type, inputs, attributes) in enumerate(BRANCHES):
        nodes.append(node(op_type, inputs, f"u{number}", **attributes))
        nodes.append(node("ReduceSum", f"u{number} last", f"r{number}", keepdims=1))
    nodes.append(node("Sum", " ".join(f"r{number}" for number in range(len(BRANCHES))), "total"))
    nodes.append(node("Mul", "total small", "y"))  # so that a second step is finite too
    weights: dict[str, Any] = {"w": values(1, 6, size), "b": values(2, size), "half": np.float32(0.5)}
    weights |= {"slope": values(3, size), "low": np.float32(0.3), "high": np.float32(0.7), "last": np.array([1])}
    weights |= {"order": np.arange(size)[::-1].copy(), "one": np.array(1), "ratio": np.float32(0.5)}
    weights |= {"small": np.float32(1e-4), "three": np.array([3])}
    weights |= {"true": np.array(True), "double": np.array([1, 2], np.float32), "power": np.float32(2.5)}
    return make_model(nodes, weights, {"x": ("N", 6)}, opset=24)


Branch = tuple[str, str, dict[str, Any]]
BRANCHES: tuple[Branch, ...] = (
    ("Log", "s", {}),
    ("Sqrt", "s", {}),
    ("Clip", "s low high", {}),
    ("Swish", "s", {}),
    ("Gelu", "s", {"approximate": "tanh"}),
    ("PRelu", "g slope", {}),
    ("Pow", "s power", {}),
    ("Div", "s t", {}),
    ("Sub", "s t", {}),
    ("Max", "s half", {}),
    ("Min", "s half", {}),
    ("Where", "Greater s t", {}),
    ("Where", "GreaterOrEqual s t", {}),
    ("Where", "Equal s t", {}),
    ("ReduceMax", "s last", {}),
    ("ReduceMin", "s last", {}),
    ("ReduceProd", "s last", {}),
    ("CumSum", "s one", {}),
    ("Gather", "s order", {"axis": 1}),
    ("LogSoftmax", "s", {}),
    ("Dropout", "s ratio true", {}),
    ("Resize", "s - double", {"mode": "linear"}),
    ("Round", "g", {}),
    ("Sign", "g", {}),
    ("Mod", "s t", {"fmod": 1}),
    ("Atan", "g", {}),
    ("Asinh", "g", {}),
    ("Cast", "whole", {"to": onnx.TensorProto.FLOAT}),
    ("RandomUniformLike", "s", {}),
    ("Identity", "best", {}),
    ("GatherElements", "s places", {"axis": 1}),
    ("ScatterElements", "s places best", {"axis": 1}),
)


def transformer(samples: int, tokens: int, width: int) -> onnx.ModelProto:
    """Return attention after a layer that learns, so that everything in it has a gradient."""
    inner = attention(tokens, width, samples)
    nodes = [node("MatMul", "data w0", "x"), *inner.graph.node]
    weights = {"w0": values(9, 5, width), **{t.name: onnx.numpy_helper.to_array(t) for t in inner.graph.initializer}}
    return make_model(nodes, weights, {"data": (samples, tokens, 5)}, opset=17)


def fitted() -> Iterator[bytes]:
    """Images that the costs are fitted to."""
    for name, loss in (("resnet_8", "cross_entropy"), ("mobilenet_v1", "cross_entropy"), ("autoencoder", "mse")):
        yield image_of(network(name), loss, "sgd", 1)
    yield from (image_of(network(n), "cross_entropy", "sgd", 1, batch_norm="batch") for n in ("resnet_8", "ds_cnn"))
    yield image_of(network("autoencoder"), "l1", "sgd", 4)
    yield image_of(network("mobilenet_v1"), "cross_entropy", "sgd", 1, accumulate=True)
    yield image_of(network("mobilenet_v1"), "cross_entropy", "sgd", 1, train=["*bias"])
    yield from (image_of(global_pool(size), "cross_entropy", "sgd", 2) for size in (17, 23))
    yield from (image_of(network(n), "cross_entropy", "sgd", 1, saved="bf16") for n in ("resnet_8", "ds_cnn"))
    for size in (8, 13):
        for optimizer in OPTIMIZERS:
            yield image_of(convolutions(size, 2 * size, 3, "MaxPool"), "cross_entropy", optimizer, 2)
            yield image_of(perceptron((size, 4 * size, 24, 7), "Relu"), "cross_entropy", optimizer, size // 2)
        yield image_of(perceptron((size, 12, size - 3), "Relu"), "smoothed", "sgd", size // 2)
        yield image_of(perceptron((size, 12, size - 3), "Relu"), "masked", "sgd", size // 2)
        yield image_of(convolutions(size, 20, 5, "AveragePool"), "cross_entropy", "adamw", 1, accumulate=True)
        yield image_of(perceptron((3 * size, size, 5), "Tanh"), "bce_with_logits", "sgd", 3, accumulate=True)
        yield from (image_of(perceptron((6, 5 * size, 4), op), "mse", "sgd", 2) for op in UNARY)
        for cell, units in itertools.product(CELLS, (size, 21)):
            yield image_of(recurrent(*cell, units, units), "cross_entropy", "sgd", None)
        yield image_of(attention(size, 2 * size), "mse", "sgd", None)
        yield image_of(transformer(3, size, size + 4), "mse", "sgd", None)
        for samples, tokens in ((1, 2 * size), (2, 6 * size)):
            made = transformer(samples, tokens, size - 3)
            yield image_of(made, "mse", "sgd", None, train=["w*"], attention="blocks")
        yield image_of(bag(5 * size), "mse", "sgd", size // 4)


def pairs_of_moments() -> Iterator[tuple[bytes, bytes]]:
    """Images with moments of float32 and of bfloat16 that differ in nothing else."""
    types = ("float32", "bf16")
    for size, optimizer, kept in itertools.product((8, 13), ("momentum", "adamw"), (False, True)):
        for model in (convolutions(size, 2 * size, 3, "MaxPool"), perceptron((size, 4 * size, 24, 7), "Relu")):
            long, short = (image_of(model, "cross_entropy", optimizer, 2, kept, moments=t) for t in types)
            yield long, short


CELLS = (("LSTM", 4), ("GRU", 3), ("RNN", 1))

#: Networks that the lines have not seen.
CHECKED: dict[str, Callable[[], bytes]] = {
    "MLP 64-32-10": lambda: image_of(mlp(), "cross_entropy", "sgd", 1),
    "MLP 64-32-10, AdamW, batch 8": lambda: image_of(mlp(), "cross_entropy", "adamw", 8),
    "LeNet": lambda: image_of(network("lenet"), "cross_entropy", "sgd", 1),
    "LeNet, sparse:0.25": lambda: image_of(network("lenet"), "cross_entropy", "sgd", 1, scheme="sparse:0.25"),
    "LSTM 20 x 16": lambda: image_of(recurrent("LSTM", 4, 20, 16), "cross_entropy", "adam", None),
    "DS-CNN": lambda: image_of(network("ds_cnn"), "cross_entropy", "sgd", 1),
}
