"""A float model as a QDQ model, made by onnxruntime's quantizer."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx

from ..errors import DataError, ModelError
from ..frontend import Source, fold_batch_norm, read_model
from ..frontend.branch_weights import rename
from ..frontend.free_batch import new_name
from ..ir.write import to_proto
from ..rewrite.batch_norm.fold import FOLDED

if TYPE_CHECKING:
    from onnxruntime.quantization import CalibrationDataReader

#: The types of activations.
ACTIVATIONS = ("int8", "uint8")
_QUANTIZED = "_quantized"
_INSTALL = "install the extra gradmote[quantize]"

Samples = np.ndarray | Mapping[str, np.ndarray]


def quantize_model(model: Source, samples: Samples, *, activations: str = "int8") -> onnx.ModelProto:
    """Return a QDQ model: weights are int8 with a scale for each output channel, batch norms are folded.

    samples: (N, ...) float32 for a model of one input, or arrays by input name. They show the ranges of
    activations, so they should resemble those that the model will see; a hundred are plenty.
    activations: int8, or uint8. Raises ModelError for a model that is already quantized or that
    onnxruntime cannot quantize, and if onnxruntime is missing; DataError for samples that do not fit
    the inputs.
    """
    if activations not in ACTIVATIONS:
        raise ModelError(f"activations are '{activations}'", f"choose {' or '.join(ACTIVATIONS)}")
    proto = folded(read_model(model))
    check_float(proto)
    feeds = feeds_of(proto, samples)
    return quantized(proto, feeds, activations)


def folded(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with its BatchNormalizations folded into the preceding weights; without any, unchanged."""
    has_any = any(node.op_type == "BatchNormalization" for node in proto.graph.node)
    return to_proto(fold_batch_norm(proto)) if has_any else proto


def check_float(proto: onnx.ModelProto) -> None:
    """Raise ModelError for a model that is already quantized."""
    if any(node.op_type == "DequantizeLinear" for node in proto.graph.node):
        raise ModelError("this model is quantized already", "compile it without --quantize")


def feeds_of(proto: onnx.ModelProto, samples: Samples) -> list[dict[str, np.ndarray]]:
    """Return the inputs of one run of the model for each batch of the samples.

    Raises DataError for arrays that do not fit the inputs.
    """
    inputs = {v.name: v for v in proto.graph.input if v.name not in {t.name for t in proto.graph.initializer}}
    arrays = dict(samples) if isinstance(samples, Mapping) else {next(iter(inputs)): samples}
    if set(arrays) != set(inputs):
        raise DataError(f"calibration samples for {', '.join(arrays)}", f"the model takes {', '.join(inputs)}")
    for name, array in arrays.items():
        check_samples(inputs[name], array)
    count = min(len(array) for array in arrays.values())
    batch = max(fixed_batch(value) for value in inputs.values())
    if count < batch:
        raise DataError(f"{count} calibration samples", f"the model takes batches of {batch}: give at least one")
    return [{n: a[at : at + batch] for n, a in arrays.items()} for at in range(0, count - batch + 1, batch)]


def fixed_batch(value: onnx.ValueInfoProto) -> int:
    """Return the batch that an input fixes, or 1."""
    dims = value.type.tensor_type.shape.dim
    return max(dims[0].dim_value, 1) if dims else 1


def check_samples(value: onnx.ValueInfoProto, array: np.ndarray) -> None:
    """Raise DataError unless an array is a finite batch for an input."""
    dims = [d.dim_value for d in value.type.tensor_type.shape.dim]
    dtype = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
    shape = list(array.shape)
    fits = len(shape) == len(dims) and all(d in (0, s) for d, s in zip(dims[1:], shape[1:], strict=True))
    if not fits or array.dtype != dtype:
        wanted = ["N", *(d or "?" for d in dims[1:])]
        raise DataError(
            f"calibration samples for '{value.name}' are {array.dtype} {shape}", f"it takes {dtype} {wanted}"
        )
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise DataError(
            f"calibration samples for '{value.name}' are not all finite", "leave out what is NaN or infinite"
        )


def quantized(proto: onnx.ModelProto, feeds: list[dict[str, np.ndarray]], activations: str) -> onnx.ModelProto:
    """Return the model as onnxruntime's quantize_static() writes it, for these inputs.

    Raises ModelError for a model that it does not support, and if it is not installed.
    """
    try:
        from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
    except ImportError as error:
        raise ModelError(f"onnxruntime, which quantizes models, is missing: {error}", _INSTALL) from error
    kinds = {"int8": QuantType.QInt8, "uint8": QuantType.QUInt8}
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "float.onnx"), Path(folder, "quantized.onnx")
        onnx.save(proto, before)
        settings = {"quant_format": QuantFormat.QDQ, "per_channel": True, "weight_type": QuantType.QInt8}
        try:
            with quiet():
                quantize_static(before, after, reader(feeds), activation_type=kinds[activations], **settings)
        except Exception as error:  # onnxruntime has no common base for its errors
            raise ModelError(
                f"onnxruntime cannot quantize this model: {error}", "quantize it with another tool, and compile that"
            ) from error
        return with_own_names(onnx.load(after))


def with_own_names(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with the float model's names of weights and biases.

    onnxruntime appends `_quantized` to them, and folding batch norms its own suffix.
    """
    graph = proto.graph
    del graph.value_info[:]  # their names may now belong to other values
    for tensor in list(graph.initializer):
        own = tensor.name.removesuffix(_QUANTIZED).removesuffix(FOLDED)
        if tensor.name.endswith(_QUANTIZED) and all(other.name != own for other in graph.initializer):
            if any(own in node.output for node in graph.node):  # a bias's DequantizeLinear takes its name
                rename(graph, own, new_name(graph, f"{own}_real"))
            rename(graph, tensor.name, own)
    return proto


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress onnxruntime's advice on pre-processing: batch norms are folded here."""
    before = logging.root.manager.disable
    logging.disable(max(before, logging.WARNING))
    try:
        yield
    finally:
        logging.disable(before)


def reader(feeds: list[dict[str, np.ndarray]]) -> CalibrationDataReader:
    """Return onnxruntime's reader of calibration data over these inputs."""
    from onnxruntime.quantization import CalibrationDataReader

    class Reader(CalibrationDataReader):
        """The inputs, one after another."""

        def __init__(self) -> None:
            self.rest: Iterator[dict[str, Any]] = iter(feeds)

        def get_next(self) -> dict[str, Any] | None:
            """Return the next inputs, or None after the last."""
            return next(self.rest, None)

    return Reader()
