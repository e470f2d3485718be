"""The samples that a model takes, read from its image or its ONNX file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ImageError

if TYPE_CHECKING:
    from ..formats.image import Image

#: The names of dtypes: for images, and for ONNX's numbers.
_DTYPES = {
    "f32": "float32", "i32": "int32", "i8": "int8", "u8": "uint8", "i16": "int16",
    1: "float32", 2: "uint8", 3: "int8", 6: "int32", 7: "int32", 9: "int32",
}  # fmt: skip


@dataclass(frozen=True)
class ExpectedTensor:
    """An input or label of a model.

    Attributes:
        name: Its name in the model.
        role: "input" or "label".
        index: Its index among tensors with the same role.
        dtype: "float32", "int32", "int8" or "uint8".
        shape: The shape of one sample; None for a dimension that the model leaves open.
        classes: For labels that are class indices, the number of classes; otherwise None.
        ignored: The label that does not count; None if there is none.
    """

    name: str
    role: str
    index: int
    dtype: str
    shape: tuple[int | None, ...]
    classes: int | None = None
    ignored: int | None = None

    @property
    def size(self) -> int | None:
        """The number of values in one sample; None if a dimension is open."""
        return None if None in self.shape else math.prod(d for d in self.shape if d is not None)

    @property
    def array(self) -> str:
        """The name of the array for it: x, y, or its own name."""
        return self.name if self.index else {"input": "x", "label": "y"}[self.role]


@dataclass(frozen=True)
class Expected:
    """The samples that a model takes, and what it gives.

    Attributes:
        name: The file's name.
        batch: The number of samples in one step; None if the model leaves it open.
        tensors: The inputs, then the labels; an ONNX model has no labels yet.
        outputs: The shape of one sample's result by the output's name.
        programs: The programs of an image; none for an ONNX model.
        classes: The names of the model's classes in the order of its scores; empty if it has none.
    """

    name: str
    batch: int | None
    tensors: tuple[ExpectedTensor, ...]
    outputs: Mapping[str, tuple[int | None, ...]]
    programs: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()

    def rebuilds(self) -> bool:
        """Return whether the first label has the type and shape of the first input, as in an autoencoder."""
        first, label = self.tensor("input", 0), self.tensor("label", 0)
        return first is not None and label is not None and (first.dtype, first.shape) == (label.dtype, label.shape)

    def class_count(self) -> int | None:
        """Return the number of classes that the model distinguishes; None if it is unknown."""
        label = self.tensor("label", 0)
        if label is not None or len(self.outputs) != 1:
            return label.classes if label is not None else None
        (shape,) = self.outputs.values()
        return shape[0] if len(shape) == 1 else None

    def tensor(self, role: str, index: int) -> ExpectedTensor | None:
        """Return the input or label with that index; None if there is none."""
        return next((t for t in self.tensors if (t.role, t.index) == (role, index)), None)

    def further(self) -> list[ExpectedTensor]:
        """Return the inputs and labels after the first ones, which take arrays with their names."""
        return [tensor for tensor in self.tensors if tensor.index]

    @property
    def is_compiled(self) -> bool:
        """Whether it is an image, whose labels are known."""
        return bool(self.programs)


def expected_of(path: Path) -> Expected:
    """Return what the model in an image (.mote) or an ONNX file takes.

    Raises ImageError or ModelError.
    """
    if path.suffix.lower() == ".onnx":
        return expected_of_onnx(path)
    try:
        return expected_of_image(path.read_bytes(), path.name)
    except OSError as error:
        raise ImageError(f"cannot read {path} ({error})", "give what gradmote compile wrote, or an .onnx") from error


# ---- Images ---------------------------------------------------------------------------------------------------------


def expected_of_image(data: bytes, name: str = "the model") -> Expected:
    """Return what the model in an image takes. Raises ImageError."""
    from ..formats.image import read_image

    image = read_image(data)
    batch = int(image.header["batch"])
    outputs = {t["name"]: _sample(t, batch) for t in image.tensors if t["role"] == "output"}
    programs = tuple(program["kind"] for program in image.programs)
    return Expected(name, batch, tuple(_of_image(image, batch)), outputs, programs, image.classes)


def _of_image(image: Image, batch: int) -> Iterator[ExpectedTensor]:
    for role in ("input", "label"):
        for index, tensor in enumerate(_distinct(image, role)):
            classes, ignored = _classes(image, tensor) if role == "label" else (None, None)
            shape, dtype = _sample(tensor, batch), _DTYPES[tensor["dtype"]]
            yield ExpectedTensor(tensor["name"], role, index, dtype, shape, classes, ignored)


def _distinct(image: Image, role: str) -> list[dict[str, Any]]:
    """Return the tensors with that role in the program that has the most of them."""
    found = [t for t in image.tensors if t["role"] == role]
    kinds = {kind for tensor in found for kind in tensor["programs"]}
    lists = [[t for t in found if kind in t["programs"]] for kind in sorted(kinds)]
    return max(lists, key=len, default=[])


def _sample(tensor: Mapping[str, Any], batch: int) -> tuple[int, ...]:
    """Return the shape of one sample in a tensor with a batch of them."""
    shape = tuple(tensor["shape"])
    return shape[1:] if shape[:1] == (batch,) else (math.prod(shape) // batch,)


def _classes(image: Image, label: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Return the number of classes of a label, and the label that its losses ignore."""
    instructions = [i for program in image.programs for i in program["instructions"]]
    address = f"arena+{label['offset']}"
    found = [i["params"] for i in instructions if i["operands"].get("labels") == address and "classes" in i["params"]]
    classes = min((params["classes"] for params in found), default=None)
    ignored = {params["ignore_index"] for params in found if "ignore_index" in params}
    return classes, ignored.pop() if len(ignored) == 1 else None


# ---- ONNX -----------------------------------------------------------------------------------------------------------


def expected_of_onnx(path: Path) -> Expected:
    """Return what an ONNX model takes. Raises ModelError."""
    from ..frontend.model_classes import class_names
    from ..frontend.read import read_model, to_ir
    from ..frontend.samples_first import sample_axes

    model = read_model(path)
    graph, classes = model.graph, tuple(class_names(to_ir(model)))
    weights, axes = {tensor.name for tensor in graph.initializer}, sample_axes(model)
    inputs = [value for value in graph.input if value.name not in weights]
    tensors = tuple(
        ExpectedTensor(v.name, "input", i, _DTYPES.get(v.type.tensor_type.elem_type, "float32"), _of_sample(v, axes))
        for i, v in enumerate(inputs)
    )
    return Expected(path.name, None, tensors, {v.name: _of_sample(v, axes) for v in graph.output}, (), classes)


def _of_sample(value: Any, axes: Mapping[str, int]) -> tuple[int | None, ...]:
    """Return the shape of one sample in an input or output. axes: those of samples that are not the first."""
    dims = [dim.dim_value or None for dim in value.type.tensor_type.shape.dim]
    axis = axes.get(value.name, 0)
    return tuple(dims[:axis] + dims[axis + 1 :])
