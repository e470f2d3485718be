"""The optimizers: sgd, adam, adamw, and adamw_ort, which gives onnxruntime-training's numbers."""

from __future__ import annotations

from collections.abc import Callable

from .adam import adam, adamw, adamw_ort
from .optimizer import Optimizer
from .quantized_steps import OPERATORS as QUANTIZED_OPERATORS
from .sgd import sgd
from .steps import OPERATORS as FLOAT_OPERATORS

OPERATORS = [*FLOAT_OPERATORS, *QUANTIZED_OPERATORS]

#: name on the command line -> factory
OPTIMIZERS: dict[str, Callable[..., Optimizer]] = {"sgd": sgd, "adam": adam, "adamw": adamw, "adamw_ort": adamw_ort}

__all__ = ["OPERATORS", "OPTIMIZERS", "Optimizer", "adam", "adamw", "adamw_ort", "sgd"]
