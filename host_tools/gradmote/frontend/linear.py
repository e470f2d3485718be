"""scikit-learn's linear models as skl2onnx writes them: LinearClassifier and LinearRegressor of ai.onnx.ml.

Their weights are attributes. To train, they become a Gemm with initializers `<node>.coefficients`
(rows, features) and `<node>.intercepts` (rows), and standard operators:

    LinearRegressor     y = x W^T + b
    LinearClassifier    y = post_transform(x W^T + b), label = classes[argmax y]

Two rows that are each other's negative, as for two classes, are one trained row s = x w^T + b: the
scores are [-s, s], and after LOGISTIC softmax([0, s]). An export writes the numbers back to the attributes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from ..errors import UnsupportedOperator

ML = "ai.onnx.ml"
#: The attributes with weights, in the order of Gemm's inputs.
WEIGHTS = ("coefficients", "intercepts")
#: The opset of the nodes if the model has none of ONNX's own operators.
_OPSET = 17


@dataclass
class Linear:
    """One linear node, with weights as they train: those of a mirrored pair of rows are the second row's alone."""

    node: onnx.NodeProto
    stem: str
    weights: dict[str, np.ndarray]
    is_mirrored: bool

    def names(self) -> dict[str, str]:
        """Return the names of the weights by their attributes."""
        return {attribute: f"{self.stem}.{attribute}" for attribute in self.weights}

    def write(self, attribute: str, data: np.ndarray) -> None:
        """Write trained numbers into an attribute of the node."""
        rows = np.concatenate([-data, data]) if self.is_mirrored else data
        found = next(a for a in self.node.attribute if a.name == attribute)
        found.floats[:] = rows.reshape(-1).tolist()


def linear_nodes(graph: onnx.GraphProto) -> list[Linear]:
    """Return the linear nodes of a graph. Raises UnsupportedOperator for one that cannot become a Gemm."""
    nodes = [n for n in graph.node if n.domain == ML and n.op_type in ("LinearClassifier", "LinearRegressor")]
    taken = {tensor.name for tensor in graph.initializer}
    found = []
    for node in nodes:
        stem = node.name or node.output[-1]
        while not taken.isdisjoint(f"{stem}.{attribute}" for attribute in WEIGHTS):
            stem += "_"
        found.append(read_linear(node, stem))
        taken.update(found[-1].names().values())
    return found


def read_linear(node: onnx.NodeProto, stem: str) -> Linear:
    """Return a node's weights. Raises UnsupportedOperator if they are not a row for each class or target."""
    given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    check_transform(node, given.get("post_transform", b"NONE").decode())
    weights = {name: np.asarray(given[name], np.float32) for name in WEIGHTS if len(given.get(name, []))}
    rows = int(given.get("targets", 1)) if node.op_type == "LinearRegressor" else len(class_labels(node))
    size, biases = weights.get("coefficients", np.zeros(0)).size, weights.get("intercepts")
    if not size or size % max(rows, 1) or (biases is not None and biases.size != rows):
        raise UnsupportedOperator(
            f"{node.op_type} with {size} coefficients and {0 if biases is None else biases.size} intercepts for "
            f"{rows} {'targets' if node.op_type == 'LinearRegressor' else 'classes'}",
            "give it a row of coefficients and an intercept for each, as skl2onnx writes them",
            node.name or node.output[0],
        )
    weights["coefficients"] = weights["coefficients"].reshape(rows, -1)
    is_mirrored = node.op_type == "LinearClassifier" and rows == 2 and all(map(is_pair, weights.values()))
    return Linear(node, stem, {n: w[1:] for n, w in weights.items()} if is_mirrored else weights, is_mirrored)


def check_transform(node: onnx.NodeProto, transform: str) -> None:
    """Raise UnsupportedOperator for a post_transform without standard operators, or of a regressor."""
    known = ("NONE", "SOFTMAX", "LOGISTIC") if node.op_type == "LinearClassifier" else ("NONE",)
    if transform not in known:
        raise UnsupportedOperator(
            f"{node.op_type} with post_transform {transform}",
            f"export it with {' or '.join(known)}",
            node.name or node.output[0],
        )


def is_pair(rows: np.ndarray) -> bool:
    """Return whether the second of two rows is the negative of the first."""
    return np.array_equal(rows[0], -rows[1])


def class_labels(node: onnx.NodeProto) -> list[int] | list[bytes]:
    """Return the labels of a classifier."""
    given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    return list(given.get("classlabels_strings") or given.get("classlabels_ints") or [])


# ---- In standard operators


def expand_linear(proto: onnx.ModelProto) -> None:
    """Replace the linear nodes of a model with standard operators. Raises UnsupportedOperator."""
    for linear in linear_nodes(proto.graph):
        for attribute, name in linear.names().items():
            proto.graph.initializer.append(numpy_helper.from_array(linear.weights[attribute].copy(), name))
        made = [*nodes_of(linear), *label_nodes(proto.graph, linear)]
        at = list(proto.graph.node).index(linear.node)
        after = list(proto.graph.node)[at + 1 :]
        del proto.graph.node[at:]
        proto.graph.node.extend([*made, *after])
        if all(opset.domain for opset in proto.opset_import):
            proto.opset_import.append(helper.make_opsetid("", _OPSET))


def nodes_of(linear: Linear) -> Iterator[onnx.NodeProto]:
    """Yield the nodes that compute the scores or targets of a linear node."""
    node, stem, y = linear.node, linear.stem, linear.node.output[-1]
    transform = next((a.s.decode() for a in node.attribute if a.name == "post_transform"), "NONE")
    scores = y if transform == "NONE" and not linear.is_mirrored else f"{stem}.scores"
    yield made("Gemm", [node.input[0], *linear.names().values()], scores, transB=1)
    if linear.is_mirrored:
        first, both = f"{stem}.first", y if transform == "NONE" else f"{stem}.both"
        yield made("Sub", [scores, scores], first) if transform == "LOGISTIC" else made("Neg", [scores], first)
        yield made("Concat", [first, scores], both, axis=1)
        scores = both
    if transform == "SOFTMAX" or (transform == "LOGISTIC" and linear.is_mirrored):
        yield made("Softmax", [scores], y, axis=1)
    elif transform == "LOGISTIC":
        yield made("Sigmoid", [scores], y)


def label_nodes(graph: onnx.GraphProto, linear: Linear) -> Iterator[onnx.NodeProto]:
    """Yield the nodes that choose the label of a classifier, if anything reads it."""
    node, stem = linear.node, linear.stem
    label = node.output[0]
    if node.op_type != "LinearClassifier" or label not in {o.name for o in graph.output}.union(
        name for each in graph.node for name in each.input
    ):
        return
    labels = class_labels(node)
    constants = {"labels": np.array(labels, object if isinstance(labels[0], bytes) else np.int64), "rank": [-1]}
    for name, data in constants.items():
        graph.initializer.append(numpy_helper.from_array(np.asarray(data), f"{stem}.{name}"))
    yield made("ArgMax", [node.output[1]], f"{stem}.largest", axis=1, keepdims=0)
    yield made("ArrayFeatureExtractor", [f"{stem}.labels", f"{stem}.largest"], f"{stem}.chosen", ML)
    yield made("Reshape", [f"{stem}.chosen", f"{stem}.rank"], label)


def made(op_type: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> onnx.NodeProto:
    """Return a node called as its output."""
    return helper.make_node(op_type, inputs, [output], name=f"{output}.{op_type}", domain=domain, **attributes)
