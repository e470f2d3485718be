"""The compiler's side of the worker: bytes and texts in, bytes and texts out, and errors as their words."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gradmote_page import open_image, tell
from pyodide.ffi import to_js

from gradmote.errors import GradmoteError
from gradmote.frontend import trial
from gradmote.studio import page_compiler


class Inference:
    """An image that the page's own runtime infers with."""

    def __init__(self, image: bytes) -> None:
        """Open an image."""
        self._session = open_image(to_js(image))

    def inputs(self) -> list[dict[str, Any]]:
        """Return the name, dtype and shape of each input."""
        return json.loads(self._session.inputs())

    def outputs(self) -> list[dict[str, Any]]:
        """Return the name, dtype and shape of each output."""
        return json.loads(self._session.outputs())

    def infer(self, *arrays: np.ndarray) -> list[np.ndarray]:
        """Return the outputs, flat."""
        found = self._session.infer(*(to_js(np.ravel(array)) for array in arrays))
        return [np.asarray(view.to_py()) for view in found]

    def close(self) -> None:
        """Let go of the memory."""
        self._session.close()


def compile_onnx(name: str, onnx: Any, options: str) -> dict[str, Any]:
    """Return the image of a model, and its report."""
    image, analysis = page_compiler.compile_onnx(name, onnx.to_bytes(), options, tell)
    return {"image": image, "analysis": analysis}


def analyze(name: str, image: Any, boards: str) -> dict[str, Any]:
    """Return the report on an image."""
    return {"analysis": page_compiler.analyze_mote(name, image.to_bytes(), json.loads(boards))}


def export(image: Any, onnx: Any, checkpoint: Any) -> dict[str, Any]:
    """Return the model with what was learned."""
    return {"onnx": page_compiler.export_onnx(image.to_bytes(), onnx.to_bytes(), checkpoint.to_bytes())}


CALLS: dict[str, Callable[..., dict[str, Any]]] = {"compile": compile_onnx, "analyze": analyze, "export": export}


def attempt(call: str, values: Sequence[Any]) -> dict[str, Any]:
    """Return the value of a call, or its failure in words."""
    try:
        return {"value": CALLS[call](*values)}
    except GradmoteError as error:
        return {"failure": {"text": error.message, "hint": error.hint, "fatal": False}}
    except MemoryError:
        hint = "take a smaller batch, or compile with `gradmote compile` on a computer"
        return {"failure": {"text": "the page does not have enough memory for this model", "hint": hint, "fatal": True}}
    except Exception as error:
        text = f"the compiler failed ({type(error).__name__}: {error})"
        hint = "this is a fault of the compiler; please report it with the model"
        return {"failure": {"text": text, "hint": hint, "fatal": False}}


trial.open_image = Inference
