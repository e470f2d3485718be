"""Gradmote: trains ONNX models on microcontrollers, in fixed memory.

Importing this package is cheap: it loads neither numpy nor onnx. `gradmote.Session` runs a compiled image on this
computer, with the same bits as the board.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradmote_runtime import Session

__version__ = "0.1.0"

__all__ = ["Session", "__version__"]


def __getattr__(name: str) -> object:
    if name == "Session":
        from gradmote_runtime import Session

        return Session
    raise AttributeError(f"module 'gradmote' has no attribute '{name}'")


def __dir__() -> list[str]:
    """What is there, with what is imported only when it is asked for."""
    return sorted({*globals(), *__all__})
