"""The patterns of gradients whose operands are dequantized int8 values.

With g the gradient of the real output y = conv(x, w), and s_w the scale of the weights:

    ConvGradX(g, DequantizeLinear(w))   becomes   QConvGradX(g', w)        g' = g s_w
    ConvGradW(g, DequantizeLinear(x))   becomes   QConvGradW(g', x)        times s_x / s_w
    ReduceSum(g)                        becomes   QBiasGrad(g')            divided by s_w

likewise for matrix products. If g comes from a QuantizeGrad with no other reader, g' is one
ScaledGrad. A layer whose input needs no gradient keeps g and uses the factor s_x.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ...ir.graph import DOMAIN, Builder, attribute, constant_array, take_over
from ...ir.metadata import BACKWARD, LAYER
from ...operators.reduce_sum import reduced_axes
from .matching import Quantized, activation, dequantized

#: The attributes of the products that this pass rewrites: those of Gemm without factors.
PLAIN = {"alpha": 1.0, "beta": 1.0}


@dataclass(frozen=True)
class Scaled:
    """The gradient g', with the node's own g and the scales by which they differ."""

    given: ir.Value
    value: ir.Value
    scale: np.ndarray  # scalar, or one per channel


def fuse(graph: ir.Graph, node: ir.Node) -> bool:
    """Fuse the gradients of one layer, starting from the gradient of its input, else that of its weights."""
    if not BACKWARD.stands_in(node):
        return False
    weights = weights_below(node)
    if weights is not None:
        fuse_layer(graph, node, weights)
        return True
    given = gradient_of(node)
    alone = given is not None and weight_gradient(graph, node, Scaled(given, given, np.float32(1).reshape(())))
    return bool(alone)


def weights_below(node: ir.Node) -> Quantized | None:
    """Return the int8 weights of a node that makes the gradient of a layer's input, or None."""
    found = dequantized(transposed(node.inputs[1]) if is_input_gradient(node) else None)
    if found is None or np.any(found.affine.zero != found.affine.zero.ravel()[0]):
        return None
    return found if found.affine.axis in (None, output_axis(node)) else None


def is_input_gradient(node: ir.Node) -> bool:
    """Return whether a node is ConvGradX, or a matrix product that may be the gradient of an input."""
    if (node.domain, node.op_type) == (DOMAIN, "ConvGradX"):
        return True
    return is_product(node) and not attribute(node, "transA", 0)


def is_product(node: ir.Node) -> bool:
    """Return whether a node is a product of two matrices without factors."""
    if node.domain or node.op_type not in ("Gemm", "MatMul") or len(node.inputs) != 2:
        return False
    is_flat = all(value is not None and value.shape is not None and len(value.shape) == 2 for value in node.inputs)
    return is_flat and all(attribute(node, name, one) == one for name, one in PLAIN.items())


def transposed(value: ir.Value | None) -> ir.Value | None:
    """Return the input of a matrix's Transpose, else the value itself."""
    producer = value.producer() if value is not None else None
    is_swap = producer is not None and producer.op_type == "Transpose" and list(attribute(producer, "perm")) == [1, 0]
    return producer.inputs[0] if producer is not None and is_swap else value


def trans_w(node: ir.Node) -> int:
    """Return whether a product reads the transpose of weights (out_channels, in_channels)."""
    swapped = transposed(node.inputs[1]) is not node.inputs[1]
    return int(attribute(node, "transB", 0)) ^ int(swapped)


def output_axis(node: ir.Node) -> int:
    """Return the axis of the layer's output channels in the weights that the node reads."""
    return 0 if node.op_type == "ConvGradX" else trans_w(node)


# ---- One layer


def fuse_layer(graph: ir.Graph, node: ir.Node, weights: Quantized) -> None:
    """Replace the gradients of a layer's input, weights and bias with those of g'."""
    given = node.inputs[0]
    assert given is not None
    others = [use.node for use in given.uses() if use.node is not node and is_of(use.node, node)]
    scaled = scale_up(graph, node, weights)
    for other in others:
        weight_gradient(graph, other, scaled) or bias_gradient(graph, other, scaled)
    input_gradient(graph, node, weights, scaled)
    join(graph, scaled)


def is_of(node: ir.Node, other: ir.Node) -> bool:
    """Return whether both nodes are gradients of one layer."""
    return BACKWARD.stands_in(node) and LAYER.read(node) == LAYER.read(other)


def scale_up(graph: ir.Graph, node: ir.Node, weights: Quantized) -> Scaled:
    """Append g s_w, and return it."""
    given, scale = node.inputs[0], weights.affine.scale.astype(np.float32)
    assert given is not None
    assert given.shape is not None
    per_channel = scale.reshape([-1] + [1] * (len(given.shape) - 2)) if scale.size > 1 else scale.reshape(())
    builder = Builder(graph)
    constant = builder.constant(per_channel, f"{given.name}.scale")
    product = builder.op("Mul", given, constant, name=f"{given.name}.scaled")
    describe(product, given, node)
    return Scaled(given, product, scale.reshape(-1) if scale.size > 1 else scale.reshape(()))


def describe(made: ir.Value, like: ir.Value, node: ir.Node) -> None:
    """Give a value the shape of another one, and its node the marks of a node."""
    made.shape, made.type = like.shape, like.type
    producer = made.producer()
    assert producer is not None
    LAYER.copy(node, producer)
    BACKWARD.copy(node, producer)


def input_gradient(graph: ir.Graph, node: ir.Node, weights: Quantized, scaled: Scaled) -> None:
    """Replace the gradient of the layer's input."""
    zero = scalar(graph, weights.affine.zero, f"{node.outputs[0].name}.w_zero")
    if node.op_type == "ConvGradX":
        kept = {name: a.value for name, a in node.attributes.items()}
        replace(graph, node, "QConvGradX", scaled.value, weights.value, zero, **kept)
    else:
        replace(graph, node, "QGemmGradX", scaled.value, weights.value, zero, transW=trans_w(node))


def replace(graph: ir.Graph, node: ir.Node, op_type: str, *inputs: ir.Value, **attributes: object) -> None:
    """Replace a node with one of our own domain."""
    made = Builder(graph).op(op_type, *inputs, name=f"{node.outputs[0].name}.fused", domain=DOMAIN, **attributes)
    describe(made, node.outputs[0], node)
    take_over(graph, node.outputs[0], made)


def scalar(graph: ir.Graph, array: np.ndarray, name: str) -> ir.Value:
    """Add the first number of an array as a constant."""
    return Builder(graph).constant(array.reshape(-1)[:1].reshape(()), name)


# ---- The gradients of weights and bias


def gradient_of(node: ir.Node) -> ir.Value | None:
    """Return the gradient g of a node that makes a layer's weight gradient, or None.

    In ConvGradW of a ConvTranspose, the layer's input and g are swapped.
    """
    if (node.domain, node.op_type) == (DOMAIN, "ConvGradW"):
        return node.inputs[0] if activation(node.inputs[0]) is None else None
    if not is_product(node) or not attribute(node, "transA", 0) or attribute(node, "transB", 0):
        return None
    return next((i for i in node.inputs if activation(i) is None), None)


def weight_gradient(graph: ir.Graph, node: ir.Node, scaled: Scaled) -> bool:
    """Replace the weight gradient if the layer's input is quantized; return whether it did."""
    x = next((found for found in map(activation, node.inputs) if found is not None), None)
    if x is None or gradient_of(node) is not scaled.given:
        return False
    builder, name = Builder(graph), node.outputs[0].name
    zero = scalar(graph, x.affine.zero, f"{name}.x_zero")
    factor = (x.affine.scale.astype(np.float32) / scaled.scale).astype(np.float32)
    is_conv = node.op_type == "ConvGradW"
    dims = [-1, *[1] * (len(node.outputs[0].shape) - 1)] if factor.size > 1 else []
    factors = builder.constant(factor.reshape(dims), f"{name}.factor")
    if is_conv:
        kept = {key: a.value for key, a in node.attributes.items()}
        replace(graph, node, "QConvGradW", scaled.value, x.value, zero, factors, **kept)
    elif node.inputs[0] is scaled.given:
        replace(graph, node, "QGemmGradW", scaled.value, x.value, zero, factors)
    else:
        replace_transposed(graph, node, [scaled.value, x.value, zero, factors])
    return True


def replace_transposed(graph: ir.Graph, node: ir.Node, inputs: list[ir.Value]) -> None:
    """Replace the gradient of weights (in_channels, out_channels) with the transpose of a QGemmGradW."""
    builder, dw = Builder(graph), node.outputs[0]
    made = builder.op("QGemmGradW", *inputs, name=f"{dw.name}.rows", domain=DOMAIN)
    swapped = builder.op("Transpose", made, name=f"{dw.name}.fused", perm=[1, 0])
    describe(swapped, dw, node)
    describe(made, dw, node)
    made.shape = ir.Shape([dw.shape[1], dw.shape[0]])
    take_over(graph, dw, swapped)


def bias_gradient(graph: ir.Graph, node: ir.Node, scaled: Scaled) -> bool:
    """Replace the gradient of a bias; return whether the node is one."""
    rank = len(scaled.given.shape)
    is_sum = not node.domain and node.op_type == "ReduceSum" and not attribute(node, "keepdims", 1)
    if not is_sum or reduced_axes(node) != [axis for axis in range(rank) if axis != 1]:
        return False
    axes = constant_array(node.inputs[1]) if len(node.inputs) > 1 else None
    if axes is None:
        return False
    scale = Builder(graph).constant(scaled.scale, f"{node.outputs[0].name}.scale")
    replace(graph, node, "QBiasGrad", scaled.value, node.inputs[1], scale)
    return True


# ---- The scaled gradient


def join(graph: ir.Graph, scaled: Scaled) -> None:
    """Merge QuantizeGrad and the product with the scales into one ScaledGrad if the former has no other reader."""
    source, product = scaled.given.producer(), scaled.value.producer()
    assert product is not None
    readers = list(scaled.given.uses())
    is_mask = source is not None and (source.domain, source.op_type) == (DOMAIN, "QuantizeGrad")
    if source is None or not is_mask or len(readers) != 1 or scaled.given.is_graph_output():
        return
    bounds = {name: attribute(source, name) for name in ("low", "high")}
    replace(graph, product, "ScaledGrad", *source.inputs, product.inputs[1], **bounds)
    graph.remove(source, safe=True)
