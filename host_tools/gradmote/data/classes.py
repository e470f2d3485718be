"""Labels that are names: each becomes the number of its class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import DataError
from .loaded import Array, Loaded
from .quoting import listed, named, quoted
from .reading import Reading


def numbered(path: Path, loaded: Loaded, reading: Reading) -> Loaded:
    """Return the labels as the numbers of their classes.

    The names of the classes come from the model, or else from `reading`, in the order of the model's outputs. Without
    both, whole numbers as names are the classes' numbers, and other names are numbered in sorted order. Raises
    DataError for a label that is not among them.
    """
    arrays = {name: _names(array) if name in ("y", "y_test") else array for name, array in loaded.arrays.items()}
    known = names_of_model(path, reading, [array for name, array in arrays.items() if name in ("y", "y_test")])
    given = known or reading.classes
    named_labels = [name for name in ("y", "y_test") if name in arrays and arrays[name].dtype == object]
    if not named_labels and given is None:
        return loaded
    if not named_labels and known and not are_numbers(known):
        return replace(loaded, classes=known)
    if given is None and all(_are_numbers(arrays[name]) for name in named_labels):
        return replace(loaded, arrays={**arrays, **{name: arrays[name].astype(np.int64) for name in named_labels}})
    first = "y" if "y" in arrays else "y_test"
    if first not in named_labels and given is None:
        raise DataError(f"{named(path)}: the labels to train on are numbers, those to test on names", "name both")
    classes = given or tuple(sorted(set(arrays[first].tolist())))
    require_several(loaded, first, arrays[first], classes)
    for name in ("y", "y_test"):
        if name in arrays:
            arrays[name] = _numbers(loaded, name, arrays[name], classes)
    counted = listed([f"{number} = {quoted(name)}" for number, name in enumerate(classes)])
    source = "the model's classes are" if known else "the classes are"
    notes = [f"{named(path.name)}: labels are names; {source} {counted}", *_too_few(classes, given, reading)]
    return replace(loaded, arrays=arrays, classes=classes, notes=(*loaded.notes, *notes))


def names_of_model(path: Path, reading: Reading, labels: Sequence[Array]) -> tuple[str, ...] | None:
    """Return the names of the model's classes; None if it has none, or if the labels do not name classes.

    Raises DataError if different names are given.
    """
    known = reading.expected.classes if reading.expected is not None else ()
    if not known or any(array.dtype.kind == "f" for array in labels):
        return None
    if reading.classes is not None and reading.classes != known:
        raise DataError(
            f"{named(path)}: the classes {listed(reading.classes)} are given, and those of the model are "
            f"{listed(known)}",
            "leave --classes out: labels that are names go by the model's",
        )
    return known


def are_numbers(names: Sequence[str]) -> bool:
    """Return whether all names of classes are whole numbers."""
    return all(name.isascii() and name.removeprefix("-").isdigit() for name in names)


def _too_few(classes: Sequence[str], given: Sequence[str] | None, reading: Reading) -> list[str]:
    """Return a warning if the sorted names are fewer than the model's classes."""
    count = reading.expected.class_count() if reading.expected is not None else None
    if given is not None or count is None or len(classes) >= count:
        return []
    return [
        f"the model has {count} classes, and the labels have {len(classes)} names: numbered in "
        "sorted order they may differ from the classes that it was trained with; name all in order with --classes"
    ]


def require_several(loaded: Loaded, name: str, labels: Array, classes: Sequence[str]) -> None:
    """Raise DataError if there is only one class, from which nothing can be distinguished."""
    if len(classes) < 2:
        where = loaded.place(name, (0,))
        raise DataError(
            f"{where}: {quoted(str(labels.flat[0]))} is not a number, and it is the only class of "
            f"{len(labels):,} samples",
            "number the classes from 0, or give samples of another class too; --classes A,B names those of the model",
        )


def _names(labels: Array) -> Array:
    """Return text labels as objects, others unchanged."""
    if labels.dtype.kind == "S":
        labels = np.char.decode(labels, "utf-8", "replace")
    return labels.astype(object) if labels.dtype.kind == "U" else labels


def _are_numbers(labels: Array) -> bool:
    """Return whether all names are whole numbers that can be class numbers."""
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
