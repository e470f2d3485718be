"""The comparison of an image's gradients: with the training model's in an engine, and with differences."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import onnx

from ..artifacts.artifacts import Artifacts
from .checked import FLOOR, Checked, Row, relative
from .differences import STEPS, DoubleLoss, along
from .engine import Arrays, run

#: The largest relative errors: of a gradient; of one computed from bfloat16 or int16, whose values may each be off by
#: 2^-9; and of a derivative in float64, which a kink near the point may change a little.
GRADIENTS, ROUNDED, DIFFERENCES = 1e-3, 3e-2, 2e-2
#: How closely the loss in float64 must match the engine's; otherwise differences are not compared.
SAME_LOSS = 1e-4
#: Up to this many parameters are checked one at a time; beyond that, each random direction spans all of them.
EACH = 16


@dataclass(frozen=True)
class Trained:
    """An image's gradients by parameter. feeds: the step's inputs and labels. loss: the engine's, in evaluation."""

    made: Artifacts
    feeds: Arrays
    loss: float
    gradients: Arrays


def compare_gradients(found: Checked, trained: Trained, is_quantized: bool, has_bf16: bool) -> None:
    """Add a comparison of each gradient with the engine's, and with differences unless the model is quantized.

    has_bf16: whether they are computed from bfloat16 values, whose errors may add up to something that is negligible
    only beside other gradients.
    """
    made = trained.made
    assert made.training is not None and made.evaluation is not None
    expected, scale = run(made.training, trained.feeds), made.loss_scale()
    wanted = {name: expected[f"{name}_grad"] / scale for name in trained.gradients}
    limit, least = ROUNDED if is_quantized or has_bf16 else GRADIENTS, FLOOR
    if has_bf16:
        least = max(float(np.abs(array).max(initial=0.0)) for array in wanted.values())
    for name, gradient in trained.gradients.items():
        found.rows.append(Row("gradients", name, relative(gradient, wanted[name], least), limit))
    if is_quantized:
        found.notes.append("no differences, as gradients go straight through the rounding to integers")
    elif made.statistics:  # training has those of the batch, evaluation running ones
        loss = float(next(iter(expected.values())))
        compare_differences(found, replace(trained, loss=loss), made.training, max(limit, DIFFERENCES), has_bf16)
    else:
        compare_differences(found, trained, made.evaluation, max(limit, DIFFERENCES), has_bf16)


def compare_differences(found: Checked, trained: Trained, model: onnx.ModelProto, limit: float, has_bf16: bool) -> None:
    """Add comparisons of the gradients with differences of a model's loss in float64, one by one or all at once.

    has_bf16: as for compare_gradients().
    """
    point = {name: array.astype(np.float64) for name, array in trained.made.parameters.items()}
    double = double_loss(model, trained.feeds, point, trained.loss)
    if double is None:
        found.notes.append("no differences, as onnx's reference does not compute this loss in float64")
        return
    rng, names = np.random.default_rng(1), list(trained.gradients)
    least = max(float(np.linalg.norm(g)) for g in trained.gradients.values()) if has_bf16 else FLOOR
    for group in [[name] for name in names] if len(names) <= EACH else [names] * 4:
        found.rows.append(compare_along(double, point, {n: trained.gradients[n] for n in group}, limit, rng, least))


def double_loss(model: onnx.ModelProto, feeds: Arrays, point: Arrays, loss: float) -> DoubleLoss | None:
    """Return the loss in float64; None if onnx's reference cannot compute it, or gives another one at the point."""
    try:
        double = DoubleLoss(model, feeds)
        return double if math.isclose(double(point), loss, rel_tol=SAME_LOSS, abs_tol=SAME_LOSS) else None
    except Exception:  # its errors have no common base class
        return None


def compare_along(
    double: DoubleLoss, point: Arrays, gradients: Arrays, limit: float, rng: np.random.Generator, least: float
) -> Row:
    """Return the comparison of gradients along a random direction, in which all parameters count equally.

    A gradient whose norm is below `least` counts by its part of that.
    """
    norms = {n: float(np.linalg.norm(g)) for n, g in gradients.items()}
    direction = {n: np.asarray(rng.normal(size=g.shape)) / max(norms[n], least) for n, g in gradients.items()}
    reported = sum(float((gradients[n] * d).sum()) for n, d in direction.items())
    errors = (abs(along(double, point, direction, step) - reported) / math.sqrt(len(gradients)) for step in STEPS)
    error = math.inf
    while error > limit and (found := next(errors, None)) is not None:
        error = min(error, found)
    return Row("differences", next(iter(gradients)) if len(gradients) == 1 else "all", error, limit)
