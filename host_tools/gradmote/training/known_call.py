"""Calls of a Module whose arrays were checked: another one with arrays of the same form needs no check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .twin import Opened


class KnownCall:
    """A call with arrays of one form, and the session that takes them.

    opened: the session; whether it still has the state is for the caller to check.
    """

    def __init__(
        self, opened: Opened, program: str, names: Sequence[str], arrays: Sequence[np.ndarray], outputs: Sequence[str]
    ) -> None:
        """Remember the form of `arrays`, which were checked.

        program: "train" or "eval". names: those of the arrays in the caller's order. outputs: names of the
        results behind the loss.
        """
        self.opened = opened
        self._forms = [(array.dtype, array.shape) for array in arrays]
        self._step = opened.session.train_step if program == "train" else opened.session.eval_step
        order = [names.index(name) for name in opened.order]
        self._order = None if order == list(range(len(names))) else order
        self._outputs = opened.outputs(outputs, program)

    def fits(self, given: Sequence[Any]) -> bool:
        """Tell whether these are numpy arrays of the same dtypes and shapes."""
        if len(given) != len(self._forms):
            return False
        for array, (dtype, shape) in zip(given, self._forms):
            if type(array) is not np.ndarray or array.dtype is not dtype or array.shape != shape:
                return False
        return True

    def run(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Run the step, and return the loss and the outputs, as arrays of their own."""
        loss = self._step(*arrays) if self._order is None else self._step(*[arrays[i] for i in self._order])
        first = np.array(loss, np.float32)
        return [first, *map(np.array, self._outputs)] if self._outputs else [first]
