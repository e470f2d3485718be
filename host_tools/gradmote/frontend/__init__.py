"""Reading, checking and simplifying an ONNX model before differentiation."""

from .inputs import Inputs
from .load import QuantizedConstant, fold_batch_norm, load_model, quantized_constants, read_untied
from .parameters import left_out
from .read import Source, read_model, to_ir
from .shapes import infer_shapes, set_batch

__all__ = [
    "Inputs",
    "QuantizedConstant",
    "Source",
    "fold_batch_norm",
    "infer_shapes",
    "left_out",
    "load_model",
    "quantized_constants",
    "read_model",
    "read_untied",
    "set_batch",
    "to_ir",
]
