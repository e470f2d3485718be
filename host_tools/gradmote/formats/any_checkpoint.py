"""Checkpoints of either kind: Gradmote's own, and those of onnxruntime-training."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import CheckpointError
from . import checkpoint, records
from .onnxruntime import as_checkpoint, is_ort_checkpoint, read_ort_checkpoint


def load_any(path: str | os.PathLike[str]) -> checkpoint.Checkpoint:
    """Return the contents of a checkpoint of Gradmote or of onnxruntime-training.

    Raises CheckpointError.
    """
    if Path(path).is_dir():
        raise CheckpointError(
            f"{os.fspath(path)} is a folder, as checkpoints before onnxruntime 1.15 were",
            "save it with onnxruntime-training 1.17 or newer, as one file",
        )
    try:
        data = records.read_file(path)
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror}", "check the path") from error
    return as_checkpoint(read_ort_checkpoint(path, data)) if is_ort_checkpoint(data) else checkpoint.unpack(data)
