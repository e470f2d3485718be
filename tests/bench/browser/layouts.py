"""The weights of an ONNX model in the order and layout of TensorFlow."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import numpy_helper

Arrays = list[np.ndarray]
#: Channels, height and width.
Shape = tuple[int, int, int]


def weights(model: onnx.ModelProto, flattened: Shape | None) -> Arrays:
    """Return the weights of a sequential model, layer after layer.

    flattened: the shape that the model flattens, whose order differs in TensorFlow; None if it flattens none.
    """
    known = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    found: Arrays = []
    for node in model.graph.node:
        held = [known[name] for name in node.input if name in known]
        if node.op_type == "Conv":
            found += convolution(held, is_depthwise=group(node) > 1)
        elif node.op_type == "Gemm":
            found += linear(held, flattened)
        else:
            found += held  # a batch norm's scale, bias, mean and variance
    return found


def group(node: onnx.NodeProto) -> int:
    return next((attribute.i for attribute in node.attribute if attribute.name == "group"), 1)


def convolution(held: Arrays, is_depthwise: bool) -> Arrays:
    """Return height, width, inputs, outputs from outputs, inputs, height, width."""
    kernel, *bias = held
    return [kernel.transpose((2, 3, 0, 1) if is_depthwise else (2, 3, 1, 0)), *bias]


def linear(held: Arrays, flattened: Shape | None) -> Arrays:
    """Return inputs, outputs from outputs, inputs."""
    kernel, *bias = held
    if flattened:
        kernel = kernel.reshape(-1, *flattened).transpose(0, 2, 3, 1).reshape(len(kernel), -1)
    return [kernel.T, *bias]
