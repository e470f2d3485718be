"""The compiler from differentiated ONNX graphs to one image: lowering, passes, memory plan.

The names in __all__ are imported on first use, so that importing the package is cheap.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .compile import Result, compile_image, compile_model
    from .options import Options

__all__ = ["Options", "Result", "compile_image", "compile_model"]

_MODULE_OF = {"Options": "options", "Result": "compile", "compile_image": "compile", "compile_model": "compile"}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return resolve_name(f"{__name__}.{_MODULE_OF[name]}:{name}")
