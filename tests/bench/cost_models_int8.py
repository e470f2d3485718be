"""Quantized models that calibrate_cost.py measures: those that costs are fitted to, and networks that check them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import onnx
from bench.cost_models import OPTIMIZERS

from gradmote import losses
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from support.oracle import make_model, node, values
from support.quantized import by_onnxruntime
from support.quantized.drawn import QdqNetwork, join


def image_of(
    model: onnx.ModelProto,
    optimizer: str = "sgd",
    scheme: str | None = None,
    loss: str = "cross_entropy",
    **options: Any,
) -> bytes:
    """Return an image; `options` are the compiler's."""
    made = build_artifacts(model, None, losses.LOSSES[loss](), OPTIMIZERS[optimizer](), scheme=scheme)
    return compile_image(made, Options(**{"stream_rows": False, **options})).image


def drawn(channels: int, size: int, pool: str, activation: str) -> onnx.ModelProto:
    """Convolutions of 3x3, one of them depthwise, with a sum, a product and a pool."""
    net = QdqNetwork(np.random.default_rng(channels))
    net.shapes["x"] = (1, 3, size, size)
    net.quantize(0.02)
    net.conv(channels, "int8", True, "int32")
    net.activation(activation)
    net.quantize()
    for kind in ("Add", "Mul"):
        before = net.value
        net.conv(channels, "int8", True, "float32", depthwise=True)
        net.activation("Relu")
        net.quantize()
        net.value = net.add(kind, [net.value, before], net.shape)
        net.quantize()
    net.conv(2 * channels, "int8", True, "int32")
    net.activation("Relu")
    net.quantize()
    net.pool(pool)
    net.flatten()
    net.gemm(5, "int8", True, "int32", "transB")
    return net.model()


def joined(channels: int, size: int) -> onnx.ModelProto:
    """Two branches next to each other, each of whose gradients is a part of the whole one."""
    net = QdqNetwork(np.random.default_rng(channels))
    net.shapes["x"] = (1, 2, size, size)
    net.quantize(0.02)
    net.conv(channels, "int8", True, "int32")
    net.quantize()
    before = net.value
    net.conv(channels, "int8", True, "int32")
    net.quantize()
    join(net, before, "Concat")
    shuffle(net, 2 * channels, size)
    net.conv(channels, "int8", True, "int32")
    net.quantize()
    net.flatten()
    net.gemm(5, "int8", True, "int32", "transB")
    return net.model()


def shuffle(net: QdqNetwork, channels: int, size: int) -> None:
    """Let the channels of two halves alternate, as ShuffleNet does."""
    for kind, shape in (("Reshape", (1, 2, channels // 2, size, size)), ("Reshape", (1, channels, size, size))):
        net.value = net.add(kind, [net.value, net.tensor("shape", np.array([0, *shape[1:]]))], shape)
        if len(shape) == 5:
            swapped = (shape[0], shape[2], shape[1], *shape[3:])
            net.value = net.add("Transpose", [net.value], swapped, perm=[0, 2, 1, 3, 4])
    net.quantize()


def upwards(channels: int, size: int) -> onnx.ModelProto:
    """A transposed convolution, quantized by onnxruntime, and a product of two activations."""
    nodes = [
        node("Conv", "x w1 b1", "c1", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Relu", "c1", "a1"),
        node("ConvTranspose", "a1 w2 b2", "c2", kernel_shape=[2, 2], strides=[2, 2]),
        node("Relu", "c2", "a2"),
        node("MatMul", "a2 a2", "m"),
        node("GlobalAveragePool", "m", "g"),
        node("Flatten", "g", "f"),
        node("Gemm", "f w3 b3", "y"),
    ]
    shapes = {
        "w1": (channels, 2, 3, 3),
        "w2": (channels, 6, 2, 2),
        "w3": (6, 5),
        "b1": (channels,),
        "b2": (6,),
        "b3": (5,),
    }
    weights = {name: values(k, *shape) * 0.3 for k, (name, shape) in enumerate(shapes.items())}
    model = make_model(nodes, weights, {"x": ("N", 2, size, size)})
    rng = np.random.default_rng(0)
    return by_onnxruntime.quantized(model, rng.normal(0, 1, (8, 2, size, size)).astype(np.float32), None)


def fitted() -> Iterator[bytes]:
    """Images that the costs are fitted to."""
    for name in ("resnet_8", "mobilenet_v1"):
        model = by_onnxruntime.network(name)
        yield image_of(model)
        yield image_of(model, scheme="bias")
    yield image_of(model, "clipped", scheme="last:9")
    yield image_of(model, weights="int16", scheme="last:9")
    yield image_of(model, gradients="float", scheme="last:5")
    for channels, size in ((8, 10), (13, 15), (24, 12)):
        for number, optimizer in enumerate(OPTIMIZERS):
            options = {"weights": "int16"} if number % 2 else {}
            yield image_of(drawn(channels, size, "MaxPool", "Sigmoid"), optimizer, **options)
            yield image_of(drawn(channels, size, "AveragePool", "Relu"), optimizer, gradients="float", **options)
        yield image_of(drawn(channels, size, "MaxPool", "Relu"), accumulate=True, batch=2)
        yield image_of(drawn(channels, size, "AveragePool", "Relu"), accumulate=True, gradients="float", **options)
        yield image_of(joined(channels, size))
        yield image_of(upwards(channels, size))
        yield image_of(upwards(channels, size + 3), gradients="float")


#: Networks that the costs have not seen.
CHECKED: dict[str, Callable[[], bytes]] = {
    "DS-CNN, int8": lambda: image_of(by_onnxruntime.network("ds_cnn")),
    "DS-CNN, int8, momentum, int16 weights": lambda: image_of(
        by_onnxruntime.network("ds_cnn"), "momentum", weights="int16"
    ),
    "DS-CNN, int8, head, by rows": lambda: image_of(by_onnxruntime.network("ds_cnn"), scheme="head", stream_rows=None),
    "DS-CNN, int8, float gradients, last:3": lambda: image_of(
        by_onnxruntime.network("ds_cnn"), scheme="last:3", gradients="float"
    ),
}
