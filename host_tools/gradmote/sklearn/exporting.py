"""An estimator or a pipeline as an ONNX model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import onnx
import onnx_ir as ir
from sklearn.pipeline import Pipeline

from ..errors import ModelError
from ..frontend.model_classes import text
from ..ir.graph import Builder
from ..ir.metadata import CLASSES
from ..ir.write import to_proto
from . import predictors, transformers
from .predictors import Predictor

_OPSET, _IR_VERSION = 18, 8


def exported(estimator: Any) -> tuple[onnx.ModelProto, Predictor]:
    """Return a fitted estimator's model, and its last step.

    Its input x is (batch, features), its output scores or predictions (batch, outputs). Raises ModelError for a step
    that is not fitted or not taken.
    """
    steps = taken_steps(estimator)
    predictor = predictors.predictor_of(steps[-1][1])
    graph = ir.Graph([], [], nodes=[], opset_imports={"": _OPSET}, name=predictor.name)
    builder = Builder(graph)
    x = builder.input("x", ir.DataType.FLOAT, ["batch", int(steps[0][1].n_features_in_)])
    for name, step in steps[:-1]:
        x = transformers.transformed(builder, name, step, x)
    result = predictor.append(builder, x)
    result.dtype = ir.DataType.FLOAT
    result.shape = ir.Shape(["batch", predictor.outputs])
    graph.outputs.append(result)
    model = ir.Model(graph, ir_version=_IR_VERSION)
    if predictor.classes is not None:
        CLASSES.write(model, [text(label) for label in predictor.classes.tolist()])
    return to_proto(model), predictor


def taken_steps(estimator: Any) -> list[tuple[str, Any]]:
    """Return the steps with their names; the last one predicts.

    Raises ModelError for one that is not taken, or not fitted.
    """
    steps = list(steps_of(estimator))
    if not steps:
        raise ModelError("the pipeline has no steps", "end it with a predictor")
    predictors.require_taken(steps[-1][1])
    for name, step in steps[:-1]:
        transformers.require_taken(name, step)
    for name, step in steps:
        if not hasattr(step, "n_features_in_"):
            what = f"the step '{name}' ({type(step).__name__})" if name else type(step).__name__
            raise ModelError(f"{what} is not fitted", "call fit() first")
    return steps


def steps_of(estimator: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the steps of a pipeline and of those in it, without "passthrough"; or the estimator itself."""
    if isinstance(estimator, Pipeline):
        for own, step in estimator.steps:
            yield from steps_of(step, own)
    elif estimator is not None and not isinstance(estimator, str):
        yield name, estimator
