"""The four ONNX files of a training, with the arguments of onnxruntime.training.artifacts.

The names in __all__ are imported when they are first used.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .build import (
        Artifacts,
        LossType,
        OptimType,
        build_artifacts,
        generate_artifacts,
        resolve_loss,
        resolve_optimizer,
    )
    from .files import load_artifacts

__all__ = [
    "Artifacts",
    "LossType",
    "OptimType",
    "build_artifacts",
    "generate_artifacts",
    "load_artifacts",
    "resolve_loss",
    "resolve_optimizer",
]

_MODULE_OF = {
    "Artifacts": "build",
    "LossType": "build",
    "OptimType": "build",
    "build_artifacts": "build",
    "generate_artifacts": "build",
    "load_artifacts": "files",
    "resolve_loss": "build",
    "resolve_optimizer": "build",
}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return resolve_name(f"{__name__}.{_MODULE_OF[name]}:{name}")
