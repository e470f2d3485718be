"""ONNX in: reading, checking and simplifying a model before anything is differentiated."""

from .load import fold_batch_norm, load_model, read_model, read_untied
from .parameters import choose_parameters
from .shapes import infer_shapes, set_batch

__all__ = [
    "choose_parameters",
    "fold_batch_norm",
    "infer_shapes",
    "load_model",
    "read_model",
    "read_untied",
    "set_batch",
]
