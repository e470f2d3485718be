"""The building blocks: one ONNX operator each, or a value to compute with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from .base_model import current, described, new_name
from .block import Block

__all__ = [
    "Abs",
    "Add",
    "Block",
    "Cast",
    "Clip",
    "Constant",
    "Div",
    "InputLike",
    "LabelEncoder",
    "Linear",
    "Log",
    "Mul",
    "Neg",
    "PassThrough",
    "Pow",
    "ReduceAllL2",
    "ReduceMean",
    "ReduceSum",
    "SequenceConstruct",
    "Sigmoid",
    "Sub",
]


def append_node(op_type: str, inputs: Sequence[str], domain: str = "", **attributes: Any) -> str:
    """Append a node with one output to the current model, and return the output's name."""
    model, output = current(), new_name(f"{op_type.lower()}_output")
    if domain and domain not in [opset.domain for opset in model.opset_import]:
        model.opset_import.append(onnx.helper.make_opsetid(domain, 1))
    node = onnx.helper.make_node(op_type, inputs, [output], name=new_name(op_type), domain=domain, **attributes)
    model.graph.node.append(node)
    return output


def append_constant(array: np.ndarray, token: str) -> str:
    """Append an initializer to the current model, and return its name."""
    name = new_name(token)
    current().graph.initializer.append(numpy_helper.from_array(array, name))
    return name


class _Operator(Block):
    """One node, whose operator a subclass sets."""

    op_type = ""

    def __init__(self, **attributes: Any) -> None:
        """Keep the attributes of the node."""
        super().__init__()
        self._attributes = attributes

    def build(self, *input_names: str) -> str:
        """Append the node."""
        return append_node(self.op_type, input_names, **getattr(self, "_attributes", {}))


class Add(_Operator):
    """a + b."""

    op_type = "Add"


class Sub(_Operator):
    """a - b."""

    op_type = "Sub"


class Mul(_Operator):
    """a b."""

    op_type = "Mul"


class Div(_Operator):
    """a / b."""

    op_type = "Div"


class Sigmoid(_Operator):
    """1 / (1 + e^-x)."""

    op_type = "Sigmoid"


class Log(_Operator):
    """The natural logarithm."""

    op_type = "Log"


class Neg(_Operator):
    """-x."""

    op_type = "Neg"


class Abs(_Operator):
    """|x|."""

    op_type = "Abs"


class SequenceConstruct(_Operator):
    """A sequence of tensors, for optimizer models of onnxruntime; images cannot contain one."""

    op_type = "SequenceConstruct"


class ReduceMean(_Operator):
    """The mean of all elements."""

    op_type = "ReduceMean"

    def __init__(self, keepdims: bool = True) -> None:
        """Choose whether the result has the rank of the input."""
        super().__init__(keepdims=int(keepdims))


class ReduceSum(_Operator):
    """The sum of all elements."""

    op_type = "ReduceSum"

    def __init__(self, keepdims: bool = True) -> None:
        """Choose whether the result has the rank of the input."""
        super().__init__(keepdims=int(keepdims))


class Cast(_Operator):
    """The input as another type."""

    op_type = "Cast"

    def __init__(self, to: int) -> None:
        """Choose the type, one of onnx.TensorProto's."""
        super().__init__(to=to)


class Pow(Block):
    """x^exponent."""

    def __init__(self, exponent: float) -> None:
        """Choose the exponent."""
        super().__init__()
        self._exponent = exponent

    def build(self, pow_input_name: str) -> str:
        """Append the node and its exponent."""
        exponent = append_constant(np.array([self._exponent], np.float32), "pow_exponent")
        return append_node("Pow", [pow_input_name, exponent])


class Constant(Block):
    """A number, float32 of shape (1)."""

    def __init__(self, value_float: float) -> None:
        """Choose the number."""
        super().__init__()
        self._value = value_float

    def build(self) -> str:
        """Append the number."""
        return append_constant(np.array([self._value], np.float32), "initializer")


class ReduceAllL2(Block):
    """The Euclidean norm of all elements of all inputs together, of shape (1)."""

    def build(self, *reduce_node_input_names: str) -> str:
        """Append the squares, their sum and its root."""
        total, *others = [append_node("ReduceSumSquare", [name], keepdims=0) for name in reduce_node_input_names]
        for other in others:
            total = append_node("Add", [total, other])
        root = append_node("Sqrt", [total])
        return append_node("Reshape", [root, append_constant(np.array([1], np.int64), "reduce_shape")])


class Clip(Block):
    """The input, with each element limited to the lower and upper bounds."""

    def __init__(self, clip_min: float | None = None, clip_max: float | None = None) -> None:
        """Choose the bounds; None means no bound."""
        super().__init__()
        self._bounds = (clip_min, clip_max)

    def build(self, clip_input_name: str) -> str:
        """Append the node and its bounds."""
        names = [
            "" if bound is None else append_constant(np.array(bound, np.float32), f"clip_{side}")
            for side, bound in zip(("min", "max"), self._bounds, strict=True)
        ]
        return append_node("Clip", [clip_input_name, *names])


class PassThrough(Block):
    """The inputs, unchanged."""

    def __init__(self, keepdims: bool = True) -> None:
        """Accept the arguments of the reductions, which this block can replace."""
        super().__init__()

    def build(self, *input_names: str) -> Any:
        """Return the names, a single one by itself."""
        return input_names[0] if len(input_names) == 1 else input_names


class InputLike(Block):
    """A new input with the type and shape of another input or output."""

    def __init__(self, like: str) -> None:
        """Name the input or output."""
        super().__init__()
        self._like = like

    def build(self, input_name: str | None = None) -> str:
        """Append the input, and return its name."""
        made = described(self._like)
        made.name = input_name or new_name("input")
        current().graph.input.append(made)
        return made.name


class LabelEncoder(Block):
    """The operator LabelEncoder of ai.onnx.ml, for models that no board has to run."""

    def __init__(
        self,
        default_float: float = 0.0,
        default_int64: int = -1,
        default_string: str = "_Unused",
        keys_floats: list[float] | None = None,
        keys_int64s: list[int] | None = None,
        keys_strings: list[str] | None = None,
        values_floats: list[float] | None = None,
        values_int64s: list[int] | None = None,
        values_strings: list[str] | None = None,
    ) -> None:
        """Choose the value for each key."""
        super().__init__()
        keys = {"keys_floats": keys_floats, "keys_int64s": keys_int64s, "keys_strings": keys_strings}
        values = {"values_floats": values_floats, "values_int64s": values_int64s, "values_strings": values_strings}
        defaults = {"default_float": default_float, "default_int64": default_int64, "default_string": default_string}
        self._attributes = {**defaults, **{k: v for k, v in {**keys, **values}.items() if v is not None}}

    def build(self, label_encoder_input_name: str) -> str:
        """Append the node."""
        return append_node("LabelEncoder", [label_encoder_input_name], "ai.onnx.ml", **self._attributes)


class Linear(Block):
    """A layer y = alpha x W + beta b with random weights."""

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, alpha: float = 1.0, beta: float = 1.0
    ) -> None:
        """Choose the sizes, whether there is a bias, and the two factors."""
        super().__init__()
        self._shape, self._bias = (in_features, out_features), bias
        self._factors: dict[str, Any] = {"alpha": alpha, "beta": beta}

    def build(self, linear_input_name: str) -> str:
        """Append the node and its weights, from numpy's global generator."""
        shapes = {"linear.weight": self._shape, **({"linear.bias": self._shape[1:]} if self._bias else {})}
        weights = [append_constant(np.random.randn(*s).astype(np.float32), name) for name, s in shapes.items()]
        return append_node("Gemm", [linear_input_name, *weights], **self._factors)
