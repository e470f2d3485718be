"""Gradmote: trains ONNX models on microcontrollers, in fixed memory.

Importing this package is cheap: it loads neither numpy nor onnx. `gradmote.Session` runs a compiled image on this
computer, bitwise equal to the board; `gradmote.compile_model` makes the image.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .version import __version__

if TYPE_CHECKING:
    from gradmote_runtime import Session

    from . import artifacts, losses, onnxblock, optimizers, sklearn, torch
    from .artifacts.quantize import quantize_model
    from .compiler.compile import compile_model
    from .compiler.options import Options
    from .device.target_factory import open_target
    from .report import analyze

__all__ = [
    "Options",
    "Session",
    "__version__",
    "analyze",
    "artifacts",
    "compile_model",
    "losses",
    "onnxblock",
    "open_target",
    "optimizers",
    "quantize_model",
    "sklearn",
    "torch",
]

#: name -> module, or module:attribute
_FOUND_IN = {
    "Options": "gradmote.compiler.options:Options",
    "Session": "gradmote_runtime:Session",
    "analyze": "gradmote.report.analyze",
    "artifacts": "gradmote.artifacts",
    "compile_model": "gradmote.compiler.compile:compile_model",
    "losses": "gradmote.losses",
    "onnxblock": "gradmote.onnxblock",
    "open_target": "gradmote.device.target_factory:open_target",
    "optimizers": "gradmote.optimizers",
    "quantize_model": "gradmote.artifacts.quantize:quantize_model",
    "sklearn": "gradmote.sklearn",
    "torch": "gradmote.torch",
}


def __getattr__(name: str) -> object:
    """Load the requested name."""
    if name not in _FOUND_IN:
        raise AttributeError(f"module 'gradmote' has no attribute '{name}'")
    path, _, attribute = _FOUND_IN[name].partition(":")
    module = import_module(path)  # not resolve_name(): it would hide that a dependency is missing
    return getattr(module, attribute) if attribute else module


def __dir__() -> list[str]:
    """Return the names of the package, including those that are not loaded yet."""
    return sorted({*globals(), *__all__})
