"""Quantizes a float model before it is compiled, for --quantize."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ModelError
from . import options as o

if TYPE_CHECKING:
    import numpy as np
    import onnx

    from ..data import Dataset, Expected


def check(quantize: bool, calibrate: Path | None, has_activations: bool) -> None:
    """Raise ModelError if --quantize has no --calibrate, or one of its options is given without it."""
    if quantize and calibrate is None:
        raise ModelError("--quantize without --calibrate", "give samples like those to come: --calibrate samples.npz")
    if calibrate is not None and not quantize:
        raise ModelError("--calibrate without --quantize", "give both, or neither for a model that is quantized")
    if has_activations and not quantize:
        raise ModelError("--activations without --quantize", "leave it out: the file says what its activations are")


@lru_cache(maxsize=1)
def quantized(model: Path, calibrate: Path, activations: str) -> onnx.ModelProto:
    """Return a float model quantized by onnxruntime. Raises ModelError or DataError."""
    from ..artifacts.quantize import quantize_model
    from ..data.expected import expected_of_onnx

    expected = expected_of_onnx(model)
    made = quantize_model(str(model), arrays(o.read_for(calibrate, expected), expected), activations=activations)
    o.tell(f"quantized by onnxruntime, calibrated on {calibrate}")
    return made


def arrays(samples: Dataset, expected: Expected) -> dict[str, np.ndarray]:
    """Return the samples of each input of the model, by its name."""
    inputs = [tensor.name for tensor in expected.tensors if tensor.role == "input"]
    more = {name: array for name, array in samples.more.items() if name in inputs}
    return {inputs[0]: samples.widened(), **more}


def beside(image: Path) -> Path:
    """Return the path of the quantized model, next to an image."""
    return image.with_suffix(".quantized.onnx")
