"""Artifacts of onnxruntime-training, imported.

The eval model has the user's model and the loss in plain ONNX, the optimizer model the optimizer,
the checkpoint the parameters and the state. The training model only supplies facts: what is trained,
and how BatchNormalization and Dropout behave; Gradmote differentiates the model itself.
"""

from __future__ import annotations

from .optimizer_node import read_optimizer
from .ort_models import is_ort_optimizer_model, is_ort_training_model, read_ort, shapes_of
from .take_over import take_over

__all__ = ["is_ort_optimizer_model", "is_ort_training_model", "read_optimizer", "read_ort", "shapes_of", "take_over"]
