"""Differences of a model's loss in float64, computed by onnx's reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .engine import Arrays

#: The step sizes for a direction's largest number. A small one seldom crosses a kink; if onnx's reference rounds to
#: float32 in between, a large one is more exact.
STEPS = (1e-5, 1e-6, 1e-7)


class DoubleLoss:
    """The loss of an evaluation model in float64, as a function of its parameters."""

    def __init__(self, model: onnx.ModelProto, feeds: Mapping[str, np.ndarray]) -> None:
        """Widen the model. feeds: its inputs and labels."""
        from onnx.reference import ReferenceEvaluator

        copy = onnx.ModelProto()
        copy.CopyFrom(model)
        graph = copy.graph
        self._fixed = {t.name: widened(numpy_helper.to_array(t)) for t in graph.initializer}
        self._fixed.update({name: widened(array) for name, array in feeds.items()})
        del graph.initializer[:], graph.value_info[:], graph.input[:]
        graph.input.extend(
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in self._fixed.items()
        )
        for nodes in (graph.node, *(function.node for function in copy.functions)):
            for node in nodes:
                widen_constant(node)
        del graph.output[1:]
        self._evaluator = ReferenceEvaluator(copy)

    def __call__(self, parameters: Mapping[str, np.ndarray]) -> float:
        """Return the loss at these parameters."""
        return float(np.asarray(self._evaluator.run(None, {**self._fixed, **parameters})[0]))


def widened(array: np.ndarray) -> np.ndarray:
    """Return float32 as float64, and other types unchanged."""
    return array.astype(np.float64) if array.dtype == np.float32 else array


def widen_constant(node: onnx.NodeProto) -> None:
    """Change a float32 Constant or Cast to float64."""
    for attribute in list(node.attribute):
        if node.op_type == "Cast" and attribute.name == "to" and attribute.i == TensorProto.FLOAT:
            attribute.i = TensorProto.DOUBLE
        elif node.op_type in ("Constant", "ConstantOfShape") and attribute.name in (
            "value",
            "value_float",
            "value_floats",
        ):
            plain = attribute.f if attribute.name == "value_float" else list(attribute.floats)
            array = numpy_helper.to_array(attribute.t) if attribute.name == "value" else np.array(plain, np.float32)
            attribute.CopyFrom(helper.make_attribute("value", numpy_helper.from_array(widened(array))))


def along(loss: Callable[[Mapping[str, np.ndarray]], float], point: Arrays, direction: Arrays, step: float) -> float:
    """Return the derivative of a loss along a direction: (f(p + h d) - f(p - h d)) / 2 h.

    point, direction: float64 arrays by parameter; the direction may have only some of them. step: h, relative to the
    largest number of the direction.
    """
    size = max(float(np.abs(d).max(initial=0.0)) for d in direction.values()) or 1.0
    h = step / size
    ends = [loss({n: point[n] + sign * h * d for n, d in direction.items()}) for sign in (1.0, -1.0)]
    return (ends[0] - ends[1]) / (2 * h)
