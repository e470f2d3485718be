"""The error that names the samples whose labels a model refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from gradmote.errors import DataError, RuntimeFault
from gradmote.formats.image import read_image

from ..data.dataset import Array
from .target import Target

#: A message names at most this many samples, and counts the others.
_NAMED = 3


@contextmanager
def explain_wrong_labels(target: Target, y: Array | None, rows: Array, name: str) -> Iterator[None]:
    """Run the `with` body, and turn the refusal of a label into an error that names its samples.

    Raises DataError instead of the runtime's LABEL_OUT_OF_RANGE. rows: the samples that the body
    runs on. name: the name of y in the data.
    """
    try:
        yield
    except RuntimeFault as fault:
        if fault.name != "LABEL_OUT_OF_RANGE" or y is None:
            raise
        raise _error(target, y, np.unique(rows), name) from fault


def _classes(target: Target) -> int | None:
    """Return how many classes the model distinguishes; None if its outputs do not show it."""
    for program in ("infer", "eval"):
        output = target.describe(program, "output", 0) if program in target.info().programs else None
        if output is not None and len(output.shape) > 1:
            return int(output.shape[1])
    return None


def _ignored(target: Target) -> set[int]:
    """Return the label that every loss on the first label ignores, if they agree on one."""
    image = read_image(target.image())
    operands = [f"arena+{tensor['offset']}" for tensor in image.tensors if tensor["role"] == "label"]
    instructions = [i for program in image.programs for i in program["instructions"]]
    found = {
        i["params"]["ignore_index"]
        for i in instructions
        if "ignore_index" in i["params"] and i["operands"]["labels"] == operands[0]
    }
    return found if len(found) == 1 else set()


def _error(target: Target, y: Array, rows: Array, name: str) -> DataError:
    labels, classes = y[rows], _classes(target)
    if classes is None:
        return DataError(
            f"a label of {name}, samples {_listed(rows)}, is not a class: they are in {labels.min()} .. {labels.max()}",
            "labels are class indices from 0 on",
        )
    outside = (labels < 0) | (labels >= classes)
    if len(np.unique(labels[outside])) > 1:  # if there is only one, it is the one that was refused
        outside &= ~np.isin(labels, list(_ignored(target)))
    wrong = np.argwhere(outside)
    positions = [(int(rows[index[0]]), *map(int, index[1:])) for index in wrong]
    named = ", ".join(f"{name}[{', '.join(map(str, index))}] is {y[index]}" for index in positions[:_NAMED])
    more = f", and {len(positions) - _NAMED} more in this batch" if len(positions) > _NAMED else ""
    return DataError(
        f"{named}{more}: labels must be in 0 .. {classes - 1}",
        "number the classes from 0 on, or compile the model with as many outputs as there are classes; to ignore a "
        "label, compile with --ignore-index",
    )


def _listed(rows: Array) -> str:
    return ", ".join(map(str, rows[:_NAMED])) + (" ..." if len(rows) > _NAMED else "")
