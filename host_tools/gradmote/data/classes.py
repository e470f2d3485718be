"""Labels that are names: each becomes the number of its class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import DataError
from .loaded import Array, Loaded
from .wording import listed, named, quoted


def numbered(path: Path, loaded: Loaded, given: tuple[str, ...] | None) -> Loaded:
    """Return the labels as the numbers of their classes.

    given: the names of the classes in the order of the model's outputs. By default names that are
    whole numbers are the classes' numbers, and others are numbered as they are sorted. Raises
    DataError for a label that none of them is.
    """
    arrays = {name: _names(array) if name in ("y", "y_test") else array for name, array in loaded.arrays.items()}
    named_labels = [name for name in ("y", "y_test") if name in arrays and arrays[name].dtype == object]
    if not named_labels and given is None:
        return loaded
    if given is None and all(_are_numbers(arrays[name]) for name in named_labels):
        return replace(loaded, arrays={**arrays, **{name: arrays[name].astype(np.int64) for name in named_labels}})
    if "y" not in named_labels and given is None:
        raise DataError(f"{named(path)}: the labels to train on are numbers, those to test on names", "name both")
    classes = given or tuple(sorted(set(arrays["y"].tolist())))
    require_several(loaded, arrays["y"], classes)
    for name in ("y", "y_test"):
        if name in arrays:
            arrays[name] = _numbers(loaded, name, arrays[name], classes)
    counted = listed([f"{number} = {quoted(name)}" for number, name in enumerate(classes)])
    note = f"{named(path.name)}: labels are names; the classes are {counted}"
    return replace(loaded, arrays=arrays, classes=classes, notes=(*loaded.notes, note))


def require_several(loaded: Loaded, labels: Array, classes: Sequence[str]) -> None:
    """Raise DataError where there is only one class, which nothing can be told from."""
    if len(classes) < 2:
        where = loaded.place("y", (0,))
        raise DataError(
            f"{where}: {quoted(str(labels.flat[0]))} is no number, and it is the only class of {len(labels):,} samples",
            "number the classes from 0, or give samples of another class too; --classes A,B names those of the model",
        )


def _names(labels: Array) -> Array:
    """Return labels of text as objects, others as they are."""
    if labels.dtype.kind == "S":
        labels = np.char.decode(labels, "utf-8", "replace")
    return labels.astype(object) if labels.dtype.kind == "U" else labels


def _are_numbers(labels: Array) -> bool:
    """Return whether all names are whole numbers that a class may have."""
    return all(name.isascii() and name.isdigit() and len(name) < 10 for name in set(labels.reshape(-1).tolist()))


def _numbers(loaded: Loaded, name: str, labels: Array, classes: Sequence[str]) -> Array:
    number_of = {label: number for number, label in enumerate(classes)}
    texts = [str(label) for label in labels.reshape(-1).tolist()]
    unknown = next((index for index, text in enumerate(texts) if text not in number_of), None)
    if unknown is not None:
        where = loaded.place(name, tuple(map(int, np.unravel_index(unknown, labels.shape))))
        raise DataError(
            f"{where}: {quoted(texts[unknown])} is none of the classes {listed(classes)}",
            "write all names alike; --classes A,B,C gives the classes in the order of the model's outputs",
        )
    return np.array([number_of[text] for text in texts], np.int32).reshape(labels.shape)
