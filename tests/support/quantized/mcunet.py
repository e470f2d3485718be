"""The three networks of MCUNetV3 ("On-Device Training Under 256KB Memory", J. Lin et al., 2022) with their int8
weights and scales, as QDQ graphs.

The files mbv2-w0.35.pkl, proxyless-w0.3.pkl and mcunet-5fps.pkl are assets of github.com/mit-han-lab/tiny-training
(MIT licence; algorithm/assets/mcu_models). They are not part of this project, and no package contains them: the
environment variable GRADMOTE_MCUNET names their folder. Tests that need them are skipped without it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from support.quantized import tensor_pickle
from support.quantized.qdq import QdqWriter, Quantized, Scale

VARIABLE = "GRADMOTE_MCUNET"
NETWORKS = {"mbv2-w0.35": "MobileNetV2-w0.35", "proxyless-w0.3": "Proxyless-w0.3", "mcunet-5fps": "MCUNet-5fps"}
#: One input, without the batch: three channels in -1 .. 1.
SHAPE = (3, 128, 128)
LAYERS = ("pointwise1", "depthwise", "pointwise2")
#: The deviation of a new head's weights.
HEAD_DEVIATION = 0.02


def folder() -> Path | None:
    """Return the folder named in the environment, if the three files are in it."""
    named = os.environ.get(VARIABLE)
    found = Path(named) if named else None
    return found if found and all((found / f"{name}.pkl").is_file() for name in NETWORKS) else None


def reason() -> str:
    """Return why a test is skipped."""
    return f"{VARIABLE} does not name a folder with {', '.join(f'{name}.pkl' for name in NETWORKS)}"


@dataclass(frozen=True)
class Head:
    """The last layer. classes: None keeps the one for ImageNet, in int8; otherwise it is new, with float weights."""

    classes: int | None = 10
    seed: int = 0


def network(name: str, head: Head | None = None, input_type: int = TensorProto.FLOAT) -> onnx.ModelProto:
    """Return one of NETWORKS. input_type: FLOAT has a QuantizeLinear first; INT8 takes its result."""
    where = folder()
    if where is None:
        raise FileNotFoundError(reason())
    return build(tensor_pickle.read(where / f"{name}.pkl"), head or Head(), input_type)


def channels_last(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with a Transpose first, for an input in a camera's order: rows, columns, channels."""
    graph, first = model.graph, model.graph.input[0]
    for node in graph.node:
        node.input[:] = ["x.planes" if name == first.name else name for name in node.input]
    graph.node.insert(0, helper.make_node("Transpose", [first.name], ["x.planes"], "planes", perm=[0, 3, 1, 2]))
    element = first.type.tensor_type.elem_type
    first.CopyFrom(helper.make_tensor_value_info(first.name, element, ["N", *SHAPE[1:], SHAPE[0]]))
    return model


def network_or_none(name: str) -> onnx.ModelProto | None:
    return network(name) if folder() else None


def build(network: Mapping[str, Any], head: Head, input_type: int) -> onnx.ModelProto:
    w = QdqWriter()
    x = helper.make_tensor_value_info("x", input_type, ["N", *SHAPE])
    first = network["first_conv"]["params"]
    into = Scale(first["x_scale"], first["x_zero"])
    start = w.quantize("x", "x", into) if input_type == TensorProto.FLOAT else w.dequantize("x", "x", into)
    y = conv(w, "first_conv", network["first_conv"], start)
    for number, block in enumerate(network["blocks"]):
        y = inverted_residual(w, f"blocks.{number}", block, y)
    if network["feature_mix"] is not None:
        y = conv(w, "feature_mix", network["feature_mix"], y)
    return w.model(x, classify(w, network["classifier"], y, head))


def inverted_residual(w: QdqWriter, name: str, block: Mapping[str, Any], x: Quantized) -> Quantized:
    y = x
    for layer in LAYERS:
        if block[layer] is not None:
            y = conv(w, f"{name}.{layer}", block[layer], y)
    return y if block["residual"] is None else add(w, f"{name}.residual", block["residual"]["params"], x, y)


def conv(w: QdqWriter, name: str, layer: Mapping[str, Any], x: Quantized) -> Quantized:
    """Append a convolution. Its ReLU6 is the range of its result: the 256 numbers cover 0 .. 6."""
    p, sides = layer["params"], layer["kernel_size"]
    kernel = [int(side) for side in (sides if isinstance(sides, (tuple, list)) else (sides, sides))]
    pads = [side // 2 for side in kernel] * 2
    check(name, p, x)
    weights = quantized_weights(w, name, p, x)
    strides = [int(layer["stride"])] * 2
    options = {"kernel_shape": kernel, "strides": strides, "pads": pads, "group": int(layer["groups"])}
    y = w.node("Conv", [x.real, *weights], name, **options)
    return w.quantize(name, y, Scale(p["y_scale"], p["y_zero"]))


def quantized_weights(w: QdqWriter, name: str, p: Mapping[str, Any], x: Quantized) -> list[str]:
    """Append weight and bias. A bias has the scale of the products."""
    scales = np.asarray(p["w_scales"], np.float32)
    weight = w.quantized_weight(f"{name}.weight", p["weight"], scales)
    return [weight, w.quantized_weight(f"{name}.bias", p["bias"], np.float32(x.of.scale) * scales)]


def add(w: QdqWriter, name: str, p: Mapping[str, Any], x: Quantized, y: Quantized) -> Quantized:
    return w.quantize(name, w.node("Add", [x.real, y.real], name), Scale(p["y_scale"], p["y_zero"]))


def classify(w: QdqWriter, layer: Mapping[str, Any], x: Quantized, head: Head) -> str:
    """Append the mean over each channel, quantized like its operand, and the last layer."""
    mean = w.quantize("mean", w.node("GlobalAveragePool", [x.real], "mean"), x.of)
    if head.classes is None:
        scores = conv(w, "classifier", layer, mean)
        return w.node("Flatten", [scores.real], "scores")
    features = w.node("Flatten", [mean.real], "features")
    drawn = np.random.default_rng(head.seed).normal(0, HEAD_DEVIATION, (head.classes, layer["in_channel"]))
    weight = w.weight("head.weight", drawn.astype(np.float32))
    bias = w.weight("head.bias", np.zeros(head.classes, np.float32))
    return w.node("Gemm", [features, weight, bias], "head", transB=1)


def check(name: str, p: Mapping[str, Any], x: Quantized) -> None:
    """Check that both statements of a value's scale in the file agree: its producer's, and its reader's."""
    if not np.isclose(p["x_scale"], x.of.scale, rtol=1e-6) or p["x_zero"] != x.of.zero:
        raise ValueError(f"{name} reads {p['x_scale']}, {p['x_zero']}, and gets {x.of}")
