"""Which sample has the label that a model refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from gradmote.errors import DataError, RuntimeFault

from .dataset import Array
from .target import Target

#: Samples that are named; of the others there is a number.
_NAMED = 3


@contextmanager
def wrong_labels_told(target: Target, y: Array | None, rows: Array, name: str) -> Iterator[None]:
    """Around a run on these rows: where the model refuses a label, DataError says which sample has it."""
    try:
        yield
    except RuntimeFault as fault:
        if fault.name != "LABEL_OUT_OF_RANGE" or y is None:
            raise
        raise _error(y, np.unique(rows), name, _classes(target)) from fault


def _classes(target: Target) -> int | None:
    """How many the model tells apart, where its outputs say that."""
    for program in ("infer", "eval"):
        output = target.describe(program, "output", 0) if program in target.info().programs else None
        if output is not None and len(output.shape) > 1:
            return int(output.shape[1])
    return None


def _error(y: Array, rows: Array, name: str, classes: int | None) -> DataError:
    labels = y[rows]
    if classes is None:
        return DataError(
            f"a label of {name}, samples {_listed(rows)}, is no class: they lie in {labels.min()} .. {labels.max()}",
            "labels are class indices from 0 on",
        )
    wrong = np.argwhere((labels < 0) | (labels >= classes))
    places = [(int(rows[place[0]]), *map(int, place[1:])) for place in wrong]
    named = ", ".join(f"{name}[{', '.join(map(str, place))}] is {y[place]}" for place in places[:_NAMED])
    more = f", and {len(places) - _NAMED} more in this batch" if len(places) > _NAMED else ""
    return DataError(
        f"{named}{more}: labels lie in 0 .. {classes - 1}",
        "number the classes from 0 on, or compile the model with as many outputs as there are classes; a label that is "
        "to count nothing is told by --ignore-index",
    )


def _listed(rows: Array) -> str:
    return ", ".join(map(str, rows[:_NAMED])) + (" ..." if len(rows) > _NAMED else "")
