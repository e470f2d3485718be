"""How far gradients may be from exact ones: the error of each rounding, carried back through the network.

A backward pass is linear in the gradient of the loss. If an operator computes one gradient from another, the same
operator computes a bound of the one's error from a bound of the other's, once all of its factors are positive; its
own rounding is added.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from onnx import helper

from support.oracle import Arrays, run_ort_plainly

#: The largest change by rounding, as a share of the largest magnitude: an int16 gradient with two bits of room is at
#: least 2^12 there, and rounds by half a unit. A float32 sum, of at most 2^8 products, rounds that many times.
ROUNDING = {"int16": 2.0**-13, "float": 2.0**-16}
LOSS_GRADIENTS = ("SoftmaxCrossEntropyLossGradMean",)
#: Operators whose other inputs select, or are positive factors, and have to stay unchanged.
POSITIVE = ("MaxPoolGrad", "QuantizeGrad", "SigmoidGrad")


def errors(training: onnx.ModelProto, feeds: Mapping[str, np.ndarray], kind: str) -> Arrays:
    """Return for each parameter's gradient a bound of its error, for gradients of that kind."""
    model = onnx.ModelProto()
    model.CopyFrom(training)
    gradients: set[str] = set()
    for node in training.graph.node:
        if node.op_type in LOSS_GRADIENTS or gradients & set(node.input):
            starts = not gradients & set(node.input)
            model.graph.node.extend(first_bounds(node) if starts else carried(node, gradients))
            gradients |= set(node.output)
    wanted = [o.name for o in training.graph.output if o.name in gradients]
    del model.graph.output[:]
    model.graph.output.extend(helper.make_tensor_value_info(bound(name), 1, None) for name in wanted)
    found = run_ort_plainly(model, feeds)
    return {name: ROUNDING[kind] * found[bound(name)] for name in wanted}


def bound(name: str) -> str:
    """Return the name of the tensor that bounds the error of a gradient."""
    return f"{name}.error"


def first_bounds(node: onnx.NodeProto) -> list[onnx.NodeProto]:
    """Return nodes that compute the error bounds of the first gradients, which are rounded once."""
    return [made for output in node.output for made in rounded(output, None)]


def carried(node: onnx.NodeProto, gradients: set[str]) -> list[onnx.NodeProto]:
    """Return nodes that compute the error bounds of a node's results from those of its inputs."""
    other = [] if node.op_type in POSITIVE else [n for n in node.input if n and n not in gradients]
    made = [helper.make_node("Abs", [name], [f"{name}.of.{node.output[0]}"]) for name in other]
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    names = {**{n: f"{n}.of.{node.output[0]}" for n in other}, **{n: bound(n) for n in gradients}}
    copy.name = f"{node.name}.error"
    copy.input[:] = [names.get(name, name) for name in node.input]
    copy.output[:] = [f"{name}.carried" for name in node.output]
    return [*made, copy, *(n for output in node.output for n in rounded(output, f"{output}.carried"))]


def rounded(gradient: str, before: str | None) -> list[onnx.NodeProto]:
    """Return nodes that add a gradient's rounding to the bound on its error, in units of ROUNDING."""
    sizes, most, shape = (f"{gradient}.{name}" for name in ("magnitudes", "most", "shape"))
    nodes = [helper.make_node("Abs", [gradient], [sizes]), helper.make_node("ReduceMax", [sizes], [most], keepdims=0)]
    if before:
        return [*nodes, helper.make_node("Add", [before, most], [bound(gradient)])]
    nodes.append(helper.make_node("Shape", [gradient], [shape]))
    return [*nodes, helper.make_node("Expand", [most, shape], [bound(gradient)])]
