"""Creates a project: sources, the model as a C array, a sensor to replace, and a README."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

from ..device.boards import Board, board
from ..errors import DataError, ImageError
from ..formats.c_header import c_header
from ..formats.files import make_folder, new_folder, write_part
from ..formats.image import read_image
from ..formats.kernel_selection import needs_of
from ..sources.parts import copy_sources
from .environment import environment
from .example import example_image

log = logging.getLogger(__name__)

TEMPLATES = Path(__file__).parent / "templates"
#: The file that each template becomes.
FILES = {
    "README.md": "README.md",
    "application.c": "src/application.c",
    "gitignore": ".gitignore",
    "platformio.ini": "platformio.ini",
    "sensor.c": "src/sensor.c",
    "sensor.h": "src/sensor.h",
}
#: The bytes of the templates' application, rounded up: 971 of flash with GCC -Os for a Cortex-M0.
APPLICATION = {"RAM": 256, "flash": 2048}
#: The number of situations that the simulated sensor shows to a model without classes.
SITUATIONS = 4


@dataclass(frozen=True)
class Shape:
    """The numbers that a model reads from a sensor.

    `values` and `labels` count the 4-byte numbers of one sample; `labels` is 0 if the model does not
    train. `counts` says whether labels are integers. `classes` is the number of a classifier's classes,
    otherwise SITUATIONS.
    """

    values: int
    labels: int
    counts: bool
    classes: int


def create(folder: Path, board_name: str, model: Path | None = None) -> Path:
    """Make a project for a board of firmware/boards, in a new or empty folder, and return its path.

    `model` is an image (.mote); without it, the project has a small example. If all kernels do not fit
    beside it, the project builds the model's alone, and a warning says so. Raises DeviceError for an unknown
    board, DataError for a non-empty folder, and ImageError for a file that is not an image, does not fit
    the board, or has more than one input. After an error, nothing has been written.
    """
    chosen = board(board_name)
    require_new(folder)
    image = model.read_bytes() if model is not None else example_image()
    shape = shape_of(image)
    flags = kernel_flags(chosen, image)
    target = folder.resolve()
    with new_folder(target) as made:
        write_project(made, chosen, image, shape, flags)
    if flags:
        log.warning("%s has no room for all kernels: the project builds those of this model alone", board_name)
    return target


def require_new(folder: Path) -> None:
    """Raise DataError unless the folder is missing or empty."""
    if os.path.lexists(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError(f"{folder} exists already, and is not empty", "name a new folder")


def shape_of(image: bytes) -> Shape:
    """Return the shape of the image's samples.

    Raises ImageError unless they have one float32 input and at most one label.
    """
    read = read_image(image)
    batch = read.header["batch"]
    inputs, labels = (tensors_of(read, role) for role in ("input", "label"))
    outputs = [t for t in tensors_of(read, "output") if "infer" in t["programs"]]
    if len(inputs) != 1 or inputs[0]["dtype"] != "f32" or len(labels) > 1:
        raise ImageError(
            f"the model has {described(inputs)} and {len(labels)} labels: a project has one sensor, of real numbers",
            "make the project without --model, then change its src/application.c for your model",
        )
    counts = bool(labels) and labels[0]["dtype"] == "i32"
    dims = outputs[0]["shape"] if outputs else []
    return Shape(
        values=inputs[0]["size"] // 4 // batch,
        labels=labels[0]["size"] // 4 // batch if labels else 0,
        counts=counts,
        classes=dims[1] if counts and len(dims) > 1 else SITUATIONS,
    )


def tensors_of(read: Any, role: str) -> list[dict[str, Any]]:
    """Return the tensors with a role that a program uses."""
    return [t for t in read.tensors if t["role"] == role and t["programs"]]


def described(inputs: list[dict[str, Any]]) -> str:
    """Return the inputs as text."""
    return ", ".join(f"{t['dtype']} input '{t['name']}'" for t in inputs) or "no input"


def kernel_flags(board: Board, image: bytes) -> list[str]:
    """Return the compiler's flags that leave all other kernels out; none if all kernels fit beside the model.

    Raises ImageError if the board cannot hold the model even without kernels.
    """
    if not lacks(board, image, board.code):
        return []
    if missing := lacks(board, image, board.code - board.code_parts["kernels"]):
        raise ImageError(
            f"the model does not fit {board.name}: it lacks {' and '.join(missing)}",
            f"gradmote analyze MODEL --board {board.name} says what takes it; gradmote compile --ram finds what fits",
        )
    return needs_of(image).flags()


def lacks(board: Board, image: bytes, code: int) -> list[str]:
    """Return as text how many bytes of RAM and flash are missing beside firmware with `code` bytes.

    The image is next to the code, in flash.
    """
    arena = read_image(image).header["arena_size"]
    wanted = [("RAM", arena, board.arena_available), ("flash", code + len(image), board.flash)]
    over = {kind: size + APPLICATION[kind] - there for kind, size, there in wanted}
    text = {"RAM": "of RAM", "flash": "of flash" if code == board.code else "of flash without any kernel"}
    return [f"{size:,} B {text[kind]}" for kind, size in over.items() if size > 0]


def write_project(folder: Path, board: Board, image: bytes, shape: Shape, flags: Sequence[str]) -> None:
    """Write all files of the project. flags: those of the model's kernels, if its firmware has no others."""
    copy_sources(folder / "gradmote")
    make_folder(folder / "src")
    write_part(folder / "model.mote", image)
    write_part(folder / "src" / "my_model.h", c_header(folder / "model.mote", "my_model").encode())
    words = {**words_of(shape), **environment(board, folder / "gradmote", flags)}
    for template, name in FILES.items():
        write_part(folder / name, Template((TEMPLATES / template).read_text()).substitute(words).encode())


def words_of(shape: Shape) -> dict[str, str | int]:
    """Return the values of the templates' placeholders that depend on the model."""
    if shape.counts:
        label = "(int32_t)situation"
    elif shape.labels == shape.values:
        label = "values[i]"
    else:
        label = "typical(situation, i) > 0.0f ? 1.0f : 0.0f"
    return {
        "values": shape.values,
        "labels": shape.labels,
        "label_type": "int32_t" if shape.counts else "float",
        "label": label,
        "classes": shape.classes,
    }
