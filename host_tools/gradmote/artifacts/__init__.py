"""The four ONNX files of a training, with the arguments of onnxruntime.training.artifacts.

The names in __all__ are imported on first use.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .artifacts import Artifacts
    from .build import build_artifacts
    from .files import load_artifacts
    from .generate import LossType, OptimType, generate_artifacts, resolve_loss, resolve_optimizer

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
    "Artifacts": "artifacts",
    "LossType": "generate",
    "OptimType": "generate",
    "build_artifacts": "build",
    "generate_artifacts": "generate",
    "load_artifacts": "files",
    "resolve_loss": "generate",
    "resolve_optimizer": "generate",
}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return resolve_name(f"{__name__}.{_MODULE_OF[name]}:{name}")
