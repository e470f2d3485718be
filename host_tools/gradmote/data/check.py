"""Compares samples with what a model expects, before anything is built, sent or trained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..errors import DataError
from .dataset import Array, Dataset, quantized
from .expected import Expected, ExpectedTensor
from .loaded import Origin
from .quoting import dims, listed, named, quoted

#: How many samples a message names; it counts the others.
_NAMED = 3


def require_fit(data: Dataset, expected: Expected, micro_batches: int = 1) -> None:
    """Raise DataError for the first reason why the model cannot be trained on the data."""
    for problem in problems(data, expected, micro_batches):
        raise problem


def require_samples(data: Dataset, expected: Expected) -> None:
    """Raise DataError if the samples differ in shape from the model's first input."""
    tensor = expected.tensor("input", 0)
    for name, array, _ in arrays_of(data, tensor) if tensor else ():
        problem = None if array is None or tensor is None else _shape_problem(name, array, tensor)
        if problem is not None:
            raise _in_file(data, problem)


def problems(data: Dataset, expected: Expected, micro_batches: int = 1) -> Iterator[DataError]:
    """Yield the reasons why the model cannot be trained on the data."""
    for tensor in expected.tensors:
        for name, array, first in arrays_of(data, tensor):
            problem = _structure_problem(name, array, first, tensor)
            problem = problem or _quantized_problem(data, name, array, tensor)
            if problem is not None:
                yield _in_file(data, problem)
            elif array is not None and (wrong := _label_problem(data, name, array, tensor)) is not None:
                yield wrong
    if data.y is not None and expected.is_compiled and expected.tensor("label", 0) is None:
        yield DataError("the model takes no y", "compile it with a loss")
    if not expected.is_compiled:
        yield from _outputs_problem(data, expected)
    size = (expected.batch or 1) * micro_batches
    if len(data.x) < size:
        problem = DataError(f"{len(data.x)} samples do not fill a batch of {size}", "compile with a smaller --batch")
        yield _in_file(data, problem)


def _in_file(data: Dataset, problem: DataError) -> DataError:
    """Return the error with the file's path in front, if the samples come from a file."""
    origin = data.origins.get("x")
    return problem if origin is None else DataError(f"{named(origin.path)}: {problem.message}", problem.hint)


def _outputs_problem(data: Dataset, expected: Expected) -> Iterator[DataError]:
    """Yield an error if class labels exceed the outputs of a model that has no loss yet."""
    shape = next(iter(expected.outputs.values()), ())
    if data.y is None or data.y.dtype.kind not in "iu" or data.y.ndim != 1 or len(shape) != 1 or not shape[0]:
        return
    largest = int(data.y.argmax())
    if 1 < shape[0] <= data.y[largest]:
        yield DataError(
            f"{data.place('y', (largest,))} is {data.y[largest]}, and the model gives {shape[0]} scores, one per class",
            "number the classes from 0 on, or give the model as many outputs as there are classes",
        )


def arrays_of(data: Dataset, tensor: ExpectedTensor) -> Iterator[tuple[str, Array | None, Array]]:
    """Yield the name of each array for the tensor, the array, and the corresponding samples."""
    further = (data.more, data.more_test)
    first = {"input": (data.x, data.x_test), "label": (data.y, data.y_test)}[tensor.role]
    for test, samples in ((False, data.x), (True, data.x_test)):
        if samples is not None:
            array = further[test].get(tensor.name) if tensor.index else first[test]
            yield tensor.array + "_test" * test, array, samples


def _structure_problem(name: str, array: Array | None, x: Array, tensor: ExpectedTensor) -> DataError | None:
    if array is None:
        return _missing(name, tensor)
    if len(array) != len(x):
        return DataError(f"{name} has {len(array)} samples, x {len(x)}", "give a row of each for each sample")
    return _shape_problem(name, array, tensor)


def _missing(name: str, tensor: ExpectedTensor) -> DataError:
    if tensor.role == "label" and not tensor.index:
        return DataError(
            f"the model takes labels '{tensor.name}', and the data has none",
            f"add an array {name}, or a file with --labels",
        )
    return DataError(
        f"the model also takes the {tensor.role} '{tensor.name}', which is missing",
        f"add an array {name} with a row for each sample, or columns of a table called {name}.0, {name}.1, ...",
    )


# ---- Shapes ---------------------------------------------------------------------------------------------------------


def _shape_problem(name: str, array: Array, tensor: ExpectedTensor) -> DataError | None:
    given = array.shape[1:]
    count = int(np.prod(given, dtype=np.int64))
    if tensor.size is not None and count != tensor.size:
        return DataError(
            f"a sample of {name} has {_values(count)}, '{tensor.name}' takes {_size(tensor)}", _hint(array, tensor)
        )
    if _is_turned(given, tensor.shape):
        return DataError(
            f"a sample of {name} has the shape {dims(given)}, '{tensor.name}' takes {dims(tensor.shape)}",
            "there are as many numbers, but in another order: transpose them; pictures are (channels, rows, columns)",
        )
    return None


def _values(count: int) -> str:
    return f"{count} value{'s' * (count != 1)}"


def _size(tensor: ExpectedTensor) -> str:
    """Return the number of values in a sample, and its shape if it has several axes."""
    return f"{tensor.size} ({dims(tensor.shape)})" if len(tensor.shape) > 1 else f"{tensor.size}"


def _hint(array: Array, tensor: ExpectedTensor) -> str:
    if tensor.classes == array.shape[-1] and tensor.size == 1:
        return "give class indices instead of one-hot rows: y.argmax(axis=1)"
    if tensor.role == "label" and array.ndim == 1 and array.dtype.kind in "iu" and tensor.dtype == "float32":
        return (
            "give as many labels for each sample as the model was compiled for; an autoencoder trains without labels, "
            "and `gradmote evaluate` takes 0 and 1, which marks anomalies"
        )
    if tensor.role == "label":
        return "give as many labels for each sample as the model was compiled for"
    return "the data must have the shape of the ONNX model's input, without the batch"


def _is_turned(given: Sequence[int], wanted: Sequence[int | None]) -> bool:
    """Return whether both have several axes of the same lengths, in different order."""
    ours, theirs = ([dim or 0 for dim in shape if dim != 1] for shape in (given, wanted))
    return ours != theirs and sorted(ours) == sorted(theirs)


# ---- Quantized inputs -----------------------------------------------------------------------------------------------


def _quantized_problem(data: Dataset, name: str, array: Array | None, tensor: ExpectedTensor) -> DataError | None:
    """Return the error for samples that do not fit an int8 or uint8 input."""
    if array is None or tensor.role != "input" or tensor.dtype not in ("int8", "uint8"):
        return None
    try:
        quantized(data, array, tensor.name, tensor.dtype)
    except DataError as error:
        return DataError(f"{name}: {error.message}", error.hint)
    return None


# ---- Labels ---------------------------------------------------------------------------------------------------------


def _label_problem(data: Dataset, name: str, array: Array, tensor: ExpectedTensor) -> DataError | None:
    if tensor.dtype == "int32" and array.dtype.kind == "f":
        wrong = array != np.round(array)
        if wrong.any():
            return DataError(
                f"{_listed(data, name, array, wrong)}, and '{tensor.name}' takes whole numbers",
                "give class indices, or compile the model with a loss on numbers: --loss mse"
                if tensor.role == "label"
                else "the model takes indices here, such as the numbers of words",
            )
    if tensor.classes is not None:
        return _range_problem(data, name, array, tensor)
    if data.classes and tensor.role == "label" and not tensor.index and len(data.classes) > 2:
        return DataError(
            f"the labels of {name} are the names of {len(data.classes)} classes, and '{tensor.name}' takes numbers",
            "compile the model for classes: --loss cross_entropy",
        )
    return None


def _range_problem(data: Dataset, name: str, array: Array, tensor: ExpectedTensor) -> DataError | None:
    assert tensor.classes is not None
    wrong = (array < 0) | (array >= tensor.classes)
    if tensor.ignored is not None:
        wrong &= array != tensor.ignored
    if not wrong.any():
        return None
    if data.classes:
        return DataError(
            f"{_listed(data, name, array, wrong)}: the data has the classes {listed(data.classes)}, and the model "
            f"has only {tensor.classes}",
            "compile the model with as many outputs as there are classes",
        )
    return DataError(
        f"{_listed(data, name, array, wrong)}: labels must be in 0 .. {tensor.classes - 1}",
        "number the classes from 0 on, or compile the model with as many outputs as there are classes; to ignore a "
        "label, compile with --ignore-index",
    )


def _listed(data: Dataset, name: str, array: Array, wrong: Array) -> str:
    """Return the places and values of the first wrong numbers, and the count of the others.

    If the first place has the path of a file, only this one is listed.
    """
    count = int(np.count_nonzero(wrong))
    places = [tuple(map(int, index)) for index in np.argwhere(wrong)[:_NAMED]]
    if data.place(name, places[0]) != Origin().place(name, places[0]):
        places = places[:1]
    reported = ", ".join(f"{data.place(name, index)} is {_shown(data, array[index])}" for index in places)
    return reported + (f", and {count - len(places)} more" if count > len(places) else "")


def _shown(data: Dataset, value: np.generic) -> str:
    if isinstance(value, np.floating):
        return f"{value:g}"
    return quoted(data.classes[int(value)]) if data.classes else str(value)


# ---- Numbers that are not finite ------------------------------------------------------------------------------------


def not_finite(data: Dataset) -> list[str]:
    """Return a sentence on each array with NaN or infinity: the first such place, and the number of samples."""
    arrays = {"x": data.x, "y": data.y, "x_test": data.x_test, "y_test": data.y_test}
    arrays |= {**data.more, **{f"{name}_test": array for name, array in data.more_test.items()}}
    return [_not_finite(data, name, array) for name, array in arrays.items()
            if array is not None and array.dtype.kind == "f" and not np.isfinite(array).all()]  # fmt: skip


def _not_finite(data: Dataset, name: str, array: Array) -> str:
    bad = ~np.isfinite(array)
    place = tuple(map(int, np.unravel_index(int(bad.argmax()), bad.shape)))
    samples = int(bad.reshape(len(bad), -1).any(axis=1).sum())
    more = f", and {samples - 1:,} more samples are not finite" if samples > 1 else ""
    return f"{data.place(name, place)} is {array[place]:g}{more}: steps on such samples are skipped"
