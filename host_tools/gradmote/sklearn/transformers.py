"""Fitted transformers as nodes whose constants do not train."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_ir as ir
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, RobustScaler, StandardScaler

from ..errors import ModelError
from ..ir.graph import Builder

#: A row with a smaller norm stays as it is, as in sklearn.preprocessing.normalize().
_SMALLEST_NORM = 10 * float(np.finfo(np.float64).eps)
#: The norm of a Normalizer -> its operator.
_NORMS = {"l1": "ReduceL1", "l2": "ReduceL2", "max": "ReduceMax"}


class Step:
    """A transformer with the builder that gets its nodes. name: its own in the pipeline."""

    def __init__(self, builder: Builder, name: str, transformer: Any) -> None:
        """Take what the functions of this module need."""
        self.builder, self.name, self.transformer = builder, name, transformer

    def op(self, op_type: str, *inputs: ir.Value, **attributes: Any) -> ir.Value:
        """Append a node, and return its output."""
        return self.builder.op(op_type, *inputs, name=f"{self.name}.{op_type.lower()}", **attributes)

    def constant(self, attribute: str, numbers: Any = None) -> ir.Value:
        """Return the transformer's attribute, or the given numbers, as a constant.

        Raises ModelError if it has NaN or infinite numbers.
        """
        array = np.asarray(getattr(self.transformer, attribute) if numbers is None else numbers, np.float32)
        if not np.isfinite(array).all():
            raise self.refusal(f"has NaN or infinite numbers in {attribute}", "fit it on data without them")
        return self.builder.constant(array, f"{self.name}.{attribute}")

    def clipped(self, x: ir.Value, low: float, high: float) -> ir.Value:
        """Return x within limits, if the transformer clips."""
        if not getattr(self.transformer, "clip", False):
            return x
        return self.op("Clip", x, self.constant("low", low), self.constant("high", high))

    def refusal(self, what: str, hint: str) -> ModelError:
        """Return the error that says what this step has."""
        return ModelError(f"the step '{self.name}' ({type(self.transformer).__name__}) {what}", hint)


def standardized(step: Step, x: ir.Value) -> ir.Value:
    """Append (x - mean) / scale."""
    if step.transformer.with_mean:
        x = step.op("Sub", x, step.constant("mean_"))
    return step.op("Div", x, step.constant("scale_")) if step.transformer.with_std else x


def to_range(step: Step, x: ir.Value) -> ir.Value:
    """Append (x - smallest) scale + low, which keeps more digits than x scale + min_."""
    low, high = step.transformer.feature_range
    x = step.op("Mul", step.op("Sub", x, step.constant("data_min_")), step.constant("scale_"))
    if low != 0:
        x = step.op("Add", x, step.constant("low", low))
    return step.clipped(x, low, high)


def by_largest(step: Step, x: ir.Value) -> ir.Value:
    """Append x / scale."""
    return step.clipped(step.op("Div", x, step.constant("scale_")), -1.0, 1.0)


def by_quantiles(step: Step, x: ir.Value) -> ir.Value:
    """Append (x - center) / scale."""
    if step.transformer.with_centering:
        x = step.op("Sub", x, step.constant("center_"))
    return step.op("Div", x, step.constant("scale_")) if step.transformer.with_scaling else x


def projected(step: Step, x: ir.Value) -> ir.Value:
    """Append (x - mean) components^T, with columns of variance 1 if the PCA whitens."""
    pca = step.transformer
    columns = np.asarray(pca.components_, np.float64).T
    if pca.whiten:
        smallest = np.finfo(pca.explained_variance_.dtype).eps
        columns = columns / np.maximum(np.sqrt(pca.explained_variance_), smallest)
    return step.op("MatMul", step.op("Sub", x, step.constant("mean_")), step.constant("components_", columns))


def normalized(step: Step, x: ir.Value) -> ir.Value:
    """Append x / |x| for each row; rows of zeros stay as they are."""
    kind = step.transformer.norm
    size = step.op("Abs", x) if kind == "max" else x
    norm = step.op(_NORMS[kind], size, step.builder.constant([1], f"{step.name}.axes"), keepdims=1)
    is_zero = step.op("Less", norm, step.constant("smallest", _SMALLEST_NORM))
    return step.op("Div", x, step.op("Where", is_zero, step.constant("one", 1.0), norm))


def imputed(step: Step, x: ir.Value) -> ir.Value:
    """Append a choice between x and what replaces missing values, which a finite number marks."""
    imputer, marker = step.transformer, step.transformer.missing_values
    if not isinstance(marker, int | float) or not np.isfinite(marker):
        raise step.refusal(
            f"replaces missing_values={marker}, but training takes finite inputs alone",
            "impute before, or mark missing values with a number, such as missing_values=-1",
        )
    if imputer.add_indicator:
        raise step.refusal("has add_indicator=True", "leave it out, or impute before")
    fills = np.asarray(imputer.statistics_, np.float64)
    if np.isnan(fills).any() and not imputer.keep_empty_features:
        raise step.refusal(
            f"drops feature {int(np.argmax(np.isnan(fills)))}, which had no values", "leave that feature out"
        )
    is_missing = step.op("Equal", x, step.constant("missing_values"))
    return step.op("Where", is_missing, step.constant("statistics_"), x)


TRANSFORMERS: dict[type, Callable[[Step, ir.Value], ir.Value]] = {
    StandardScaler: standardized,
    MinMaxScaler: to_range,
    MaxAbsScaler: by_largest,
    RobustScaler: by_quantiles,
    PCA: projected,
    Normalizer: normalized,
    SimpleImputer: imputed,
}


def require_taken(name: str, transformer: Any) -> None:
    """Raise ModelError for a transformer that is not taken."""
    if type(transformer) not in TRANSFORMERS:
        names = ", ".join(kind.__name__ for kind in TRANSFORMERS)
        raise ModelError(
            f"the step '{name}' ({type(transformer).__name__}) is not taken",
            f"apply it to the data before, or use one of {names}",
        )


def transformed(builder: Builder, name: str, transformer: Any, x: ir.Value) -> ir.Value:
    """Append the nodes of one fitted transformer."""
    return TRANSFORMERS[type(transformer)](Step(builder, name, transformer), x)
