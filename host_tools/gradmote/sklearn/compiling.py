"""Compiles a fitted estimator to an image that trains its coefficients."""

from __future__ import annotations

from typing import Any

from ..compiler.compile import compile_model
from ..compiler.options import Options
from ..errors import ModelError
from ..losses.loss import Loss
from ..optimizers import Optimizer
from ..optimizers.optimizer import require_optimizer
from .exporting import exported
from .made import Made
from .objectives import own_loss, own_optimizer, penalties, with_penalties


def compile(
    estimator: Any,
    loss: Loss | None = None,
    optimizer: Optimizer | None = None,
    *,
    batch: int = 1,
    samples: int | None = None,
    penalty: bool = True,
    **options: Any,
) -> Made:
    """Compile a fitted estimator, or a pipeline, to an image that trains the coefficients of its last step.

    loss: one of gradmote.losses; the estimator's own by default. optimizer: one of gradmote.optimizers; by default
    the estimator's own, or Adam for estimators that solve their task at once. batch: samples of a step. samples: those
    of the whole set that it will train on, which LogisticRegression's C and Ridge's alpha refer to. penalty: whether
    the estimator's L2 penalty counts, whichever the optimizer. options: fields of gradmote.Options.

    Raises ModelError for a step that is not fitted or not taken, and for settings that have no counterpart.
    """
    if optimizer is not None:
        require_optimizer(optimizer)
    model, predictor = exported(estimator)
    settings = Options(batch=batch, **options)
    if settings.strip_names:
        raise ModelError("an image without names", "leave strip_names out: coefficients come back by their names")
    decays = penalties(predictor, batch, samples) if penalty else {}
    if decays and settings.accumulate and any(name.startswith("coefs_") for name in decays):
        raise ModelError(
            f"{predictor.name} divides alpha by the samples of an update, which accumulate=True leaves open",
            "pass penalty=False, and an optimizer with weight decay if you want one",
        )
    update = with_penalties(optimizer or own_optimizer(predictor), decays)
    result = compile_model(model, loss or own_loss(predictor), update, settings, train=predictor.parameters)
    return Made(model, result, tuple(predictor.parameters), predictor.classes)
