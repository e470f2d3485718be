"""The files of onnxruntime-training that are not ONNX models: its checkpoints, which are flatbuffers."""

from __future__ import annotations

from .ort_checkpoint import OrtCheckpoint, OrtTensor, is_ort_checkpoint, read_ort_checkpoint
from .ort_state import as_checkpoint, with_shapes

__all__ = ["OrtCheckpoint", "OrtTensor", "as_checkpoint", "is_ort_checkpoint", "read_ort_checkpoint", "with_shapes"]
