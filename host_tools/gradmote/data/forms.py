"""The file formats of samples. A path's format is detected from its first bytes, or else its name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import DataError
from . import csv_file
from .array_files import load_npy, load_npz
from .class_folders import parts_of, read_folder
from .classes import numbered
from .loaded import FilesOrigin, Loaded, Origin
from .numbers import converted, scaled
from .pictures import SCALE, read_pictures
from .quoting import listed, named
from .reading import Reading
from .size_limits import is_folder, size_of
from .sounds import read_sounds

_NPY, _NPZ = b"\x93NUMPY", b"PK"
_TEXT = (".csv", ".tsv", ".txt", ".data")
_FORMATS = (
    "give an .npz with arrays x and y, an .npy with --labels, a .csv whose last column is the label, or a folder with "
    "a folder of PNG, JPEG or WAV files for each class"
)


def load_samples(path: Path, reading: Reading) -> Loaded:
    """Return the arrays of a file or folder by name, in dtypes that boards support. Raises DataError."""
    with in_file(path):
        loaded = load_one(path, reading.labels, reading)
        if reading.test is not None:
            loaded = with_test(loaded, reading)
        elif reading.test_labels is not None:
            raise DataError(f"{named(reading.test_labels)} are labels without samples", "give the samples with --test")
        return with_own_targets(scaled(converted(path, numbered(path, loaded, reading)), reading), reading)


def with_own_targets(loaded: Loaded, reading: Reading) -> Loaded:
    """Return the arrays with the samples as their targets, if the model rebuilds them and no target is given.

    Labels of the samples to test on stay: they may mark anomalies.
    """
    x = loaded.arrays.get("x")
    if "y" in loaded.arrays or not reading.rebuilds() or x is None or x.dtype != np.float32:
        return loaded
    parts = [part for part in ("", "_test") if f"x{part}" in loaded.arrays and f"y{part}" not in loaded.arrays]
    targets = {f"y{part}": loaded.arrays[f"x{part}"] for part in parts}
    only = " to train on" if "y_test" in loaded.arrays else ""
    note = f"no labels are given{only}: the targets are the samples themselves, which the model rebuilds"
    origins = {name: loaded.origins[f"x{name[1:]}"] for name in targets if f"x{name[1:]}" in loaded.origins}
    arrays, notes = {**loaded.arrays, **targets}, (*loaded.notes, note)
    return replace(loaded, arrays=arrays, origins={**loaded.origins, **origins}, notes=notes)


@contextmanager
def in_file(path: Path) -> Iterator[None]:
    """Run the `with` body; an error in it names the file, and running out of memory is such an error."""
    try:
        yield
    except MemoryError as error:
        raise DataError(f"{named(path)} needs more memory than there is", "give fewer samples") from error


def with_test(loaded: Loaded, reading: Reading) -> Loaded:
    """Return the arrays with those of reading.test as x_test and y_test."""
    assert reading.test is not None
    if "x_test" in loaded.arrays:
        raise DataError(f"{named(reading.test)} is given, and there is an array x_test too", "give the test set once")
    with in_file(reading.test):
        test = load_one(reading.test, reading.test_labels, reading)
    names = {name: f"{name}_test" for name in test.arrays if name not in ("scale", "zero") and name[-5:] != "_test"}
    return replace(
        loaded,
        arrays={**loaded.arrays, **{new: test.arrays[name] for name, new in names.items()}},
        origins={**loaded.origins, **{new: test.origins[name] for name, new in names.items() if name in test.origins}},
        notes=(*loaded.notes, *test.notes),
    )


def load_one(path: Path, labels: Path | None, reading: Reading) -> Loaded:
    """Return the arrays of one file or folder unchanged, with the labels of a second file."""
    kind = kind_of(path)
    if reading.label is not None and (kind != "csv" or labels is not None):
        raise DataError(
            f"{named(path)}: a column of labels goes with a .csv and without a file of labels", "leave out one of them"
        )
    if kind == "folder":
        loaded = load_folder(path, reading)
    elif kind == "csv":
        loaded = csv_file.load_table(path, replace(reading, labels=labels))
    else:
        arrays = load_npz(path) if kind == "npz" else {"x": load_npy(path)}
        loaded = Loaded(arrays, {name: Origin(path) for name in arrays})
    return loaded if labels is None else with_labels(path, loaded, labels, reading)


def with_labels(path: Path, loaded: Loaded, labels: Path, reading: Reading) -> Loaded:
    """Return the arrays with y from a separate file."""
    if "y" in loaded.arrays:
        raise DataError(f"{named(path)} has labels, and {named(labels)} is given too", "give the labels once")
    found = load_labels(labels, reading.header)
    origins = {**loaded.origins, "y": found.origins["y"]}
    return replace(loaded, arrays={**loaded.arrays, "y": found.arrays["y"]}, origins=origins)


def kind_of(path: Path) -> str:
    """Return "folder", "npz", "npy" or "csv", from the file's first bytes, or else its name."""
    if is_folder(path):
        return "folder"
    size_of(path)
    try:
        with path.open("rb") as file:
            start = file.read(len(_NPY))
    except OSError as error:
        raise DataError(f"cannot read {named(path)} ({named(error)})", _FORMATS) from error
    if start == _NPY:
        return "npy"
    if start.startswith(_NPZ):
        return "npz"
    if path.suffix.lower() in _TEXT:
        return "csv"
    raise DataError(f"cannot read {named(path)}: it is not an .npz, .npy or .csv file", _FORMATS)


def load_labels(path: Path, header: bool | None) -> Loaded:
    """Return y alone, from an .npy, a .csv with one label per row, or the array y of an .npz."""
    kind = kind_of(path)
    if kind == "csv":
        return csv_file.load_labels(path, header)
    if kind == "npy":
        return Loaded({"y": load_npy(path)}, {"y": Origin(path)})
    arrays = load_npz(path) if kind == "npz" else {}
    if "y" not in arrays:
        raise DataError(f"{named(path)} has no array y; it has {listed(sorted(arrays))}", "name it y")
    return Loaded({"y": arrays["y"]}, {"y": Origin(path)})


# ---- Folders --------------------------------------------------------------------------------------------------------


def load_folder(path: Path, reading: Reading) -> Loaded:
    """Return the samples of a folder, and of its parts to train and to test on."""
    found = Loaded({}, {})
    for ending, part in parts_of(path).items():
        folder = read_folder(part)
        samples = read_sounds(folder, reading) if folder.holds_sounds else read_pictures(folder, reading)
        origin = FilesOrigin(part, [folder.files[number] for number in samples.files])
        y = np.array([folder.classes[number] for number in samples.files], object)
        arrays = {**found.arrays, f"x{ending}": samples.x, f"y{ending}": y}
        if not folder.holds_sounds:
            arrays["scale"] = np.array(SCALE)
        origins = {**found.origins, f"x{ending}": origin, f"y{ending}": origin}
        found = Loaded(arrays, origins, notes=(*found.notes, *samples.notes, *folder.notes()))
    return found
