"""The models that a test can use: files, bytes, compiled results, or ONNX models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import onnx

from ..compiler.compile import Result, compile_model
from ..errors import ModelError
from ..formats.image.read import load
from ..generated.records import IMAGE_MAGIC

#: A .mote or .onnx file, the bytes of either, a result of compile_model(), or an ONNX model.
Model = str | os.PathLike[str] | bytes | Result | onnx.ModelProto

_MAGIC = IMAGE_MAGIC.to_bytes(4, "little")


def image_of(model: Model, **options: Any) -> bytes:
    """Return the .mote image of a model; an uncompiled one is compiled with `options`.

    The options are those of compile_model().
    """
    image = _compiled(model)
    if image is None:
        assert not isinstance(model, Result)
        return compile_model(model, **options).image
    if options:
        raise ModelError(
            f"{name_of(model)} is compiled already and takes no {', '.join(options)}", "give the ONNX model instead"
        )
    return image


def _compiled(model: Model) -> bytes | None:
    """Return the image if the model is one, else None."""
    if isinstance(model, Result):
        return model.image
    if isinstance(model, bytes):
        return model if model.startswith(_MAGIC) else None
    if isinstance(model, onnx.ModelProto) or Path(model).suffix != ".mote":
        return None
    return load(model)


def name_of(model: Model) -> str:
    """Return the name of the model for messages."""
    return Path(model).name if isinstance(model, (str, os.PathLike)) else "the model"
