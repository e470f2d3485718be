"""The exceptions that Gradmote raises on purpose.

    GradmoteError
    ├── ModelError            an ONNX model, or what was asked of it, cannot be used
    │   └── UnsupportedOperator
    ├── BudgetError           a model does not fit a budget, whatever is given up
    ├── ImageError            a .mote file cannot be read
    ├── CheckpointError       a .gmck file cannot be read, or belongs to another model
    ├── DataError             arrays of the wrong dtype, shape or range
    ├── OutputError           a result cannot be written to its file
    ├── RuntimeFault          the C runtime returned a negative code, on the twin or on a board
    └── DeviceError           no board, no answer, or an answer that makes no sense

Each message says what was wrong, where, and, after a dash, what to do about it.
"""

from __future__ import annotations

from .generated.errors import ERRORS


class GradmoteError(Exception):
    """The base of all errors that Gradmote raises on purpose. `hint` says what would help."""

    def __init__(self, message: str, hint: str = "") -> None:
        """Join the message and, if there is one, the hint with a dash."""
        super().__init__(f"{message} - {hint}" if hint else message)
        self.message = message
        self.hint = hint


class ModelError(GradmoteError):
    """An ONNX model, or what was asked of it, cannot be used. `node` is the name of the node, if known."""

    def __init__(self, message: str, hint: str = "", node: str = "") -> None:
        """Put the name of the node, if known, in front of the message."""
        super().__init__(f"node '{node}': {message}" if node else message, hint)
        self.node = node


class UnsupportedOperator(ModelError):
    """The model has an operator, or a form of one, that Gradmote cannot compile or differentiate."""


class BudgetError(GradmoteError):
    """A model does not fit the limits, whatever is given up."""


class ImageError(GradmoteError):
    """A .mote file cannot be read."""


class CheckpointError(GradmoteError):
    """A .gmck file cannot be read, or belongs to another model."""


class DataError(GradmoteError):
    """Arrays of the wrong dtype, shape or range."""


class OutputError(GradmoteError):
    """A result cannot be written to its file; the message says where it is kept, if anywhere."""


class RuntimeFault(GradmoteError):
    """The C runtime returned a negative code, on the twin or on a board.

    Parameters are unchanged.
    """

    def __init__(self, code: int, where: str = "") -> None:
        """Look up text and hint for the code; `where` names the call or the tensor."""
        name, text, hint = ERRORS.get(code, ("UNKNOWN", f"unknown error code {code}", ""))
        super().__init__(f"{where + ': ' if where else ''}{text} (GM_ERR_{name}, {code})", hint)
        self.code = code
        self.name = name


class DeviceError(GradmoteError):
    """No board, no answer, or an answer that makes no sense."""


def shorten(text: str, most: int, mark: str = "...") -> str:
    """Return a text of at most `most` characters: unchanged, or its beginning followed by the mark."""
    return text if len(text) <= most else text[: max(most - len(mark), 0)] + mark
