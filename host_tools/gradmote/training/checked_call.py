"""Calls of a Module with checked arrays: a further call with arrays of the same form needs no check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradmote_runtime.frequent_calls import loss_of, step_on_arrays_like

from .twin import Opened


class CheckedCall:
    """A call with arrays of one form, and the session for them.

    opened: the session; the caller checks whether it still has the state. fits(given): returns whether these are
    numpy arrays of the same dtypes and shapes. run(given): runs the step on such arrays, and returns the same as
    results(). results(): returns the loss, or (loss, outputs ...), of the last step, as separate arrays.
    """

    def __init__(
        self, opened: Opened, program: str, names: Sequence[str], arrays: Sequence[np.ndarray], outputs: Sequence[str]
    ) -> None:
        """Remember the form of `arrays`, which were checked, and run the step on them.

        program: "train" or "eval". names: the arrays' names in the caller's order. outputs: names of the
        results after the loss.
        """
        self.opened = opened
        self.fits = fitting(arrays)
        order = [names.index(name) for name in opened.order]
        session, ordered = opened.session, [arrays[i] for i in order]
        (session.train_step if program == "train" else session.eval_step)(*ordered)
        self.results = copying([np.asarray(view) for view in (loss_of(session), *opened.outputs(outputs, program))])
        step = step_on_arrays_like(session, program, ordered, self.results)
        self.run = step if order == list(range(len(names))) else lambda given: step([given[i] for i in order])


def copying(results: Sequence[np.ndarray]) -> Callable[[], Any]:
    """Return a function that copies the first array, or all of several as a tuple."""
    return results[0].copy if len(results) == 1 else lambda: tuple([result.copy() for result in results])


def fitting(arrays: Sequence[np.ndarray]) -> Callable[[Sequence[Any]], bool]:
    """Return a function that returns whether a sequence has numpy arrays of these dtypes and shapes."""
    if len(arrays) == 2:
        return _fitting_two(*arrays)
    forms = [(array.dtype, array.shape) for array in arrays]

    def fits(given: Sequence[Any]) -> bool:
        return len(given) == len(forms) and all(
            type(array) is np.ndarray and array.dtype is dtype and array.shape == shape
            for array, (dtype, shape) in zip(given, forms)
        )

    return fits


def _fitting_two(data: np.ndarray, labels: np.ndarray) -> Callable[[Sequence[Any]], bool]:
    """Return the function for data and labels: without a loop, it takes half the time."""
    x_dtype, x_shape, y_dtype, y_shape, ndarray = data.dtype, data.shape, labels.dtype, labels.shape, np.ndarray

    def fits(given: Sequence[Any]) -> bool:
        if len(given) != 2:
            return False
        x, y = given
        return (
            type(x) is ndarray
            and type(y) is ndarray
            and x.dtype is x_dtype
            and y.dtype is y_dtype
            and x.shape == x_shape
            and y.shape == y_shape
        )

    return fits
