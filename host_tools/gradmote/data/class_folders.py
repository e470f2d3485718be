"""A folder of samples by class: FOLDER/CLASS/FILE, or FOLDER/train/CLASS/FILE and FOLDER/test/CLASS/FILE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import DataError
from .loaded import Array
from .quoting import named, quoted
from .size_limits import is_folder, size_of

#: The suffixes of pictures and of recordings.
PICTURES = (".png", ".jpg", ".jpeg")
SOUNDS = (".wav",)
#: The names of the folders to train and to test on.
_TRAIN, _TEST = ("train", "training"), ("test", "testing", "val", "valid", "validation")
_LAYOUT = "put each file into a folder that is named after its class: FOLDER/CLASS/FILE.png, or .jpg, or .wav"


@dataclass(frozen=True)
class ClassFolder:
    """The files in a folder, sorted by name.

    Attributes:
        path: The folder.
        files: All files, class by class.
        classes: The name of each file's class.
        left_out: How many files have other suffixes.
    """

    path: Path
    files: Sequence[Path]
    classes: Sequence[str]
    left_out: int

    @property
    def holds_sounds(self) -> bool:
        """Whether the files are recordings."""
        return _is_sound(self.files[0])

    def notes(self) -> tuple[str, ...]:
        """Return a sentence about the entries that were left out, if any."""
        if not self.left_out:
            return ()
        return (f"{named(self.path)}: {self.left_out:,} entries are left out: they are not PNG, JPEG or WAV files",)


@dataclass(frozen=True)
class FolderSamples:
    """The samples of a folder.

    Attributes:
        x: The samples, (samples, ...).
        files: The index of each sample's file.
        notes: Sentences about changes made to them.
    """

    x: Array
    files: Sequence[int]
    notes: tuple[str, ...]


def parts_of(folder: Path) -> dict[str, Path]:
    """Return the folders to train and to test on, by the suffix of their arrays' names: "" and "_test"."""
    parts = {path.name.lower(): path for path in entries(folder) if is_folder(path)}
    train, test = ([path for name, path in parts.items() if name in names] for names in (_TRAIN, _TEST))
    if len(parts) == 2 and len(train) == len(test) == 1:
        return {"": train[0], "_test": test[0]}
    return {"": folder}


def read_folder(folder: Path) -> ClassFolder:
    """Return the files in a folder by class. Raises DataError if the layout differs."""
    files, classes, left_out = list[Path](), list[str](), 0
    for path in entries(folder):
        if is_folder(path):
            found, others = samples_in(path)
            files += found
            classes += [path.name] * len(found)
            left_out += others
        elif path.suffix.lower() in (*PICTURES, *SOUNDS) or path.is_symlink():
            raise DataError(f"{named(path)} is not in the folder of a class", _LAYOUT)
        else:
            left_out += 1
    if not files:
        raise DataError(f"{named(folder)} has no classes", _LAYOUT)
    require_one_kind(files)
    return ClassFolder(folder, files, classes, left_out)


def samples_in(folder: Path) -> tuple[list[Path], int]:
    """Return the samples of one class, and how many other files there are. Raises DataError without samples."""
    found, others = list[Path](), 0
    for path in entries(folder):
        if path.suffix.lower() not in (*PICTURES, *SOUNDS):
            if is_folder(path) and found:
                raise DataError(f"{named(path)} is a folder inside a class", _LAYOUT)
            others += 1
        else:
            size_of(path)
            found.append(path)
    if not found:
        raise DataError(f"class {quoted(folder.name)} has no PNG, JPEG or WAV file in {named(folder)}", _LAYOUT)
    return found, others


def entries(folder: Path) -> list[Path]:
    """Return the entries of a folder, sorted by name, without hidden ones. Raises DataError."""
    try:
        shown = [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError as error:
        raise DataError(
            f"cannot read {named(folder)} ({named(error)})", "check the path and its permissions"
        ) from error
    return sorted(shown, key=lambda path: path.name)


def require_one_kind(files: Sequence[Path]) -> None:
    """Raise DataError if pictures and recordings are mixed."""
    other = next((path for path in files if _is_sound(path) != _is_sound(files[0])), None)
    if other is not None:
        raise DataError(
            f"{named(other)} is {_kind(other)}, and {named(files[0])} {_kind(files[0])}", "give a folder of one kind"
        )


def _is_sound(path: Path) -> bool:
    return path.suffix.lower() in SOUNDS


def _kind(path: Path) -> str:
    return "a recording" if _is_sound(path) else "a picture"
