"""Assertions about the outputs of a model, and about its learning."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ..data.dataset import Array, Dataset
from ..data.expected import expected_of_image
from ..data.reading import Reading
from ..device.evaluation import Evaluation, evaluate, predict
from ..device.fitting import Fit, fit
from ..device.target import Target

__tracebackhide__ = True  # pytest shows the line of the test

#: A Dataset, its file or folder, or x and y.
Data = Dataset | str | os.PathLike[str] | tuple[Array, Array]


def assert_accuracy(target: Target, data: Data, at_least: float) -> Evaluation:
    """Assert that at least this share, 0 .. 1, of the data's test set is classified correctly.

    Uses x and y if the data has no test set.
    """
    samples = dataset_of(data, target)
    found = _evaluate(target, samples)
    if not found.accuracy >= at_least:
        raise AssertionError(
            f"accuracy {found.accuracy:.2%} is below {at_least:.2%}{_where(target, samples)}, loss {found.loss:.4g}"
        )
    return found


def assert_loss(target: Target, data: Data, at_most: float) -> Evaluation:
    """Assert that the mean loss over the full batches of the data's test set is at most this.

    Uses x and y if the data has no test set.
    """
    samples = dataset_of(data, target)
    found = _evaluate(target, samples)
    if not found.loss <= at_most:
        raise AssertionError(f"loss {found.loss:.6g} is above {at_most:.6g}{_where(target, samples)}{_accuracy(found)}")
    return found


def assert_learns(
    target: Target,
    data: Data,
    epochs: int = 1,
    *,
    to_accuracy: float | None = None,
    to_loss: float | None = None,
    seed: int = 0,
) -> Fit:
    """Train, assert the resulting figures, and return the result of fit().

    They are measured on the test set, or on x and y if there is none. Without `to_accuracy` and
    `to_loss`, the loss must be lower than before. `seed` determines the order of the samples.
    """
    samples = dataset_of(data, target)
    before = _evaluate(target, samples)
    trained = fit(target, samples.without_test(), epochs, seed)
    after = _evaluate(target, samples)
    missed = _missed(before, after, to_accuracy, to_loss)
    if missed:
        losses = " ".join(f"{epoch.loss:.4g}" for epoch in trained.epochs)
        raise AssertionError(
            f"training (epochs: {epochs}) did not bring {' and '.join(missed)}{_where(target, samples)}\n"
            f"  before: loss {before.loss:.4g}{_accuracy(before)}\n"
            f"  after:  loss {after.loss:.4g}{_accuracy(after)}\n"
            f"  training loss of each epoch: {losses}"
        )
    return trained


def _missed(before: Evaluation, after: Evaluation, accuracy: float | None, loss: float | None) -> list[str]:
    """Return in words the figures that were not reached."""
    if accuracy is None and loss is None:
        return [] if after.loss < before.loss else ["a lower loss"]
    missed = [f"an accuracy of {accuracy:.2%}"] if accuracy is not None and not after.accuracy >= accuracy else []
    return missed + ([f"a loss of {loss:.6g}"] if loss is not None and not after.loss <= loss else [])


def assert_outputs(target: Target, x: Array, expected: Array, *, rtol: float = 1e-5, atol: float = 1e-6) -> None:
    """Assert that the model's first output for x, (samples, ...), is `expected`.

    `expected` are the outputs from your framework. They may differ by atol + rtol |expected|.
    """
    found, wanted = predict(target, Dataset(x, None), x), np.asarray(expected)
    if found.shape != wanted.shape:
        raise AssertionError(f"{target.name} gives outputs of shape {found.shape}, expected {wanted.shape}")
    off = ~np.isclose(found, wanted, rtol=rtol, atol=atol)
    if off.any():
        difference = np.where(off, np.abs(found.astype(np.float64) - wanted), 0)
        at: tuple[Any, ...] = np.unravel_index(np.argmax(difference), off.shape)  # NaN counts as the largest
        raise AssertionError(
            f"{off.sum():,} of {off.size:,} outputs of {target.name} differ by more than {atol:g} + {rtol:g} |expected|"
            f"\n  most at {[int(i) for i in at]}: {found[at]:.9g}, expected {wanted[at]:.9g}"
        )


def dataset_of(data: Data, target: Target) -> Dataset:
    """Return the data as a Dataset; the target's model determines the form of a folder's pictures and recordings."""
    if isinstance(data, Dataset):
        return data
    if isinstance(data, tuple):
        return Dataset(*data)
    folder = Path(data).is_dir()
    return Dataset.read(Path(data), reading=Reading(expected=expected_of_image(target.image()) if folder else None))


def _evaluate(target: Target, samples: Dataset) -> Evaluation:
    if samples.x_test is None:
        return evaluate(target, samples, samples.x, samples.y, samples.more)
    return evaluate(target, samples)


def _where(target: Target, samples: Dataset) -> str:
    held_out = samples.x_test is not None
    count = len(samples.x_test if samples.x_test is not None else samples.x)
    return f" over {count:,} {'held-out ' if held_out else ''}samples on {target.name}"


def _accuracy(found: Evaluation) -> str:
    return "" if np.isnan(found.accuracy) else f", accuracy {found.accuracy:.2%}"
