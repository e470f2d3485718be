"""Tables of samples: their arrays, their classes, and how a model uses them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..data.check import arrays_of, problems
from ..data.dataset import Array, Dataset
from ..data.expected import Expected, ExpectedTensor
from ..data.quoting import dims
from ..terminal.printable import Bar, Rows

#: The most distinct whole numbers in labels that are still counted as classes.
_MOST_CLASSES = 1000


def as_dict(path: Path, data: Dataset, expected: Expected | None) -> dict[str, Any]:
    """Return everything known about the samples, and whether they fit the model, for JSON."""
    return {
        "file": str(path),
        "arrays": [_array_dict(data, name, array) for name, array in named_arrays(data)],
        "scale": data.scale,
        "zero": data.zero,
        "classes": [
            {"class": number, "name": name, "samples": count, "test_samples": tested}
            for number, name, count, tested in classes_of(data)
        ],
        "notes": [*data.notes, *data.converted],
        "model": None if expected is None else _model_dict(data, expected),
    }


def _model_dict(data: Dataset, expected: Expected) -> dict[str, Any]:
    found = [error.message for error in problems(data, expected)]
    tensors = [
        {"name": t.name, "role": t.role, "array": t.array, "dtype": t.dtype, "shape": t.shape, "classes": t.classes}
        for t in expected.tensors
    ]
    outputs = {name: list(shape) for name, shape in expected.outputs.items()}
    return {
        "name": expected.name, "batch": expected.batch, "takes": tensors, "outputs": outputs, "fits": not found,
        "problems": found,
    }  # fmt: skip


# ---- Arrays ---------------------------------------------------------------------------------------------------------


def named_arrays(data: Dataset) -> Iterator[tuple[str, Array]]:
    """Yield the arrays of the data with their names."""
    given = {"x": data.x, "y": data.y, "x_test": data.x_test, "y_test": data.y_test}
    yield from ((name, array) for name, array in given.items() if array is not None)
    yield from data.more.items()
    yield from ((f"{name}_test", array) for name, array in data.more_test.items())


def array_table(path: Path, data: Dataset) -> tuple[str, Rows]:
    """Return a row for each array: its samples, their shape, dtype and range."""
    columns = ("array", "samples#", "of shape", "dtype", "least#", "largest#", "mean#", "not finite#")
    rows = []
    for name, array in named_arrays(data):
        least, largest, mean, bad = _range(data, name, array)
        figures = ("" if value is None else f"{value:.6g}" for value in (least, largest, mean))
        rows.append((name, f"{len(array):,}", dims(array.shape[1:]), _dtype(data, name, array), *figures, f"{bad:,}"))
    return str(path), (columns, rows)


def _array_dict(data: Dataset, name: str, array: Array) -> dict[str, Any]:
    least, largest, mean, bad = _range(data, name, array)
    return {
        "name": name, "samples": len(array), "shape": list(array.shape[1:]), "dtype": str(array.dtype),
        "least": least, "largest": largest, "mean": mean, "not_finite": bad,
    }  # fmt: skip


def _dtype(data: Dataset, name: str, array: Array) -> str:
    """Return the dtype; for bytes, with the numbers that they represent."""
    if array.dtype != np.uint8 or name not in ("x", "x_test") or (data.scale, data.zero) == (1, 0):
        return str(array.dtype)
    minus = f"(byte - {data.zero:g})" if data.zero else "byte"
    return f"uint8, {minus} x {data.scale:.6g}"


def _range(data: Dataset, name: str, array: Array) -> tuple[float | None, float | None, float | None, int]:
    """Return the least, largest and mean number as the model gets them, and how many are not finite."""
    finite = array[np.isfinite(array)]
    bad = array.size - finite.size
    if not finite.size:
        return None, None, None, bad
    figures = [float(finite.min()), float(finite.max()), float(finite.mean(dtype=np.float64))]
    if array.dtype == np.uint8 and name in ("x", "x_test"):
        figures = [(figure - data.zero) * data.scale for figure in figures]
    return min(figures[:2]), max(figures[:2]), figures[2], bad


# ---- Classes --------------------------------------------------------------------------------------------------------


def classes_of(data: Dataset) -> list[tuple[int, str, int, int]]:
    """Return each class with its name, its samples and its test samples; none if labels are not classes."""
    if data.y is None or data.y.dtype.kind not in "iu" or data.y.ndim != 1:
        return []
    labels, counts = np.unique(data.y, return_counts=True)
    tested = {} if data.y_test is None else dict(zip(*np.unique(data.y_test, return_counts=True)))
    known = {int(label): int(count) for label, count in zip(labels, counts)}
    numbers = range(len(data.classes)) if data.classes else sorted({*known, *map(int, tested)})
    if len(numbers) > _MOST_CLASSES:
        return []
    names = dict(enumerate(data.classes or ()))
    return [(n, names.get(n, ""), known.get(n, 0), int(tested.get(n, 0))) for n in numbers]


def class_table(data: Dataset) -> tuple[str, Rows] | None:
    """Return a row for each class; None if labels are not classes."""
    found = classes_of(data)
    if not found:
        return None
    largest = max(count for _, _, count, _ in found)
    has_test = data.y_test is not None
    columns = ("class#", "name", "samples#", "", *(("to test on#",) if has_test else ()))
    rows = [
        (str(number), name, f"{count:,}", Bar(count, largest), *((f"{tested:,}",) if has_test else ()))
        for number, name, count, tested in found
    ]
    return f"{len(found):,} classes", (columns, rows)


# ---- The model ------------------------------------------------------------------------------------------------------


def model_table(data: Dataset, expected: Expected) -> tuple[str, Rows]:
    """Return a row for each input and label: what the model takes, and the array for it."""
    rows = [row for tensor in expected.tensors for row in _rows_of(data, tensor)]
    batch = f" batches of {expected.batch}" if expected.batch else ""
    outputs = ", ".join(f"{name} {dims(shape)}" for name, shape in expected.outputs.items())
    title = f"{expected.name} takes{batch or ' samples'}, and gives {outputs or 'a loss'}"
    return title, (("model's", "role", "dtype", "of shape", "classes#", "array", "of shape"), rows)


def _rows_of(data: Dataset, tensor: ExpectedTensor) -> Iterator[tuple[str, ...]]:
    takes = (tensor.name, tensor.role, tensor.dtype, dims(tensor.shape), str(tensor.classes or ""))
    for name, array, _ in arrays_of(data, tensor):
        yield (*takes, name, "missing" if array is None else dims(array.shape[1:]))


def verdict(data: Dataset, expected: Expected) -> str:
    """Return a sentence about samples that fit the model."""
    batch = expected.batch or 1
    steps = f": {len(data.x) // batch:,} updates in an epoch" if expected.is_compiled else ""
    return f"The data fits {expected.name}{steps}."
