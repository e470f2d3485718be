"""Pictures, PNG or JPEG: bytes (samples, channels, height, width), in gray or RGB as the model takes them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError
from .class_folders import ClassFolder, FolderSamples
from .loaded import Array
from .quoting import dims, named
from .reading import Reading
from .size_limits import MOST, PIXELS, size_of

if TYPE_CHECKING:
    from PIL.Image import Image

GRAY, RGB = 1, 3
#: By default the bytes 0 .. 255 represent 0 .. 1.
SCALE = 1 / 255


@dataclass(frozen=True)
class Layout:
    """The pictures that a model takes.

    Attributes:
        channels: 1 for gray, 3 for RGB.
        height: Rows of pixels; None if the model only fixes the number of values.
        width: Columns of pixels.
        channels_last: Whether a pixel's channels are adjacent.
    """

    channels: int
    height: int | None
    width: int | None
    channels_last: bool = False


def read_pictures(folder: ClassFolder, reading: Reading) -> FolderSamples:
    """Return the pictures in a folder as bytes.

    Raises DataError, with the file, if one is damaged or has a different size.
    """
    require_pillow()
    first = open_picture(folder.files[0])
    layout = layout_of(folder.files[0], first, reading) or own_layout(folder.files)
    size = (layout.height or first.height, layout.width or first.width)
    count = len(folder.files) * layout.channels * size[0] * size[1]
    if count > MOST:
        raise DataError(f"{named(folder.path)} would take {count:,} bytes, and at most {MOST:,} are read", "--resize")
    found = np.empty((len(folder.files), layout.channels, *size), np.uint8)
    changes = {"resized": 0, "turned gray": 0, "given three channels": 0}
    for number, path in enumerate(folder.files):
        picture = first if number == 0 else open_picture(path)
        picture = resized(path, picture, size, reading, changes)
        found[number] = channels_of(picture, layout.channels, changes)
    notes = [f"{count:,} of {len(found):,} pictures are {what}" for what, count in changes.items() if count]
    shaped = np.ascontiguousarray(found.transpose(0, 2, 3, 1)) if layout.channels_last else found
    noted = tuple(f"{named(folder.path)}: {note} ({dims((layout.channels, *size))})" for note in notes)
    return FolderSamples(shaped, range(len(found)), noted)


# ---- The model's layout ---------------------------------------------------------------------------------------------


def layout_of(path: Path, first: Image, reading: Reading) -> Layout | None:
    """Return the layout of a model's input; None without a model, to use the pictures' own layout.

    The shape of a sample is (channels, height, width), (height, width, channels), (height, width), or
    only the number of pixels. Raises DataError if it does not fit pictures.
    """
    shape = reading.sample_shape()
    if shape is None:
        return None
    channels_last = len(shape) == 3 and shape[2] in (GRAY, RGB)
    if len(shape) == 3 and shape[0] in (GRAY, RGB) and not (channels_last and shape[:2] == (first.height, first.width)):
        return Layout(shape[0], shape[1], shape[2])
    if len(shape) == 3 and shape[2] in (GRAY, RGB):
        return Layout(shape[2], shape[0], shape[1], channels_last=True)
    if len(shape) == 2:
        return Layout(GRAY, shape[0], shape[1])
    if len(shape) == 1:
        return flat_layout(shape[0], path, first, reading.resize)
    raise DataError(f"the model takes samples of {dims(shape)}, which are not pictures", "give arrays in an .npz")


def flat_layout(count: int | None, path: Path, first: Image, resize: bool) -> Layout:
    """Return the layout of pictures for an input that is a row of `count` numbers."""
    pixels = first.width * first.height
    if count is None or count in (pixels, RGB * pixels):
        return Layout(RGB if count == RGB * pixels else GRAY, None, None)
    side = round(count**0.5)
    if not resize or side * side != count:
        hint = "add --resize" if side * side == count else "that is not a square: resize the pictures first"
        raise DataError(f"{named(path)} has {first.width} x {first.height} pixels, the model takes {count:,}", hint)
    return Layout(GRAY, side, side)


def own_layout(files: Sequence[Path]) -> Layout:
    """Return gray if all pictures are gray, otherwise RGB, in their own size."""
    return Layout(RGB if any(not is_gray(open_picture(path, load=False).mode) for path in files) else GRAY, None, None)


# ---- One picture ----------------------------------------------------------------------------------------------------


def require_pillow() -> None:
    """Raise DataError if Pillow is not installed."""
    try:
        import PIL.Image  # noqa: F401  (only whether it is there)
    except ImportError as error:
        raise DataError("pictures need Pillow, which is not installed", "pip install pillow") from error


def open_picture(path: Path, load: bool = True) -> Image:
    """Return a picture, rotated as its camera recorded; without `load` only its mode and size.

    Raises DataError, with the file.
    """
    size_of(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return decoded(path, load)
    except Exception as error:  # decoders of damaged pictures raise errors of many kinds
        said = named(error) or type(error).__name__
        raise DataError(f"cannot read {named(path)} ({said})", "give PNG or JPEG files that are whole") from error


def decoded(path: Path, load: bool) -> Image:
    """Return a picture. Raises ValueError if it is too large, or not opaque."""
    from PIL import Image, ImageOps

    with Image.open(path, formats=("PNG", "JPEG")) as file:
        if file.width * file.height > PIXELS:
            raise ValueError(f"it claims {file.width:,} x {file.height:,} pixels, and at most {PIXELS:,} are read")
        if not load:
            return file
        file.load()
        require_opaque(file)
        return ImageOps.exif_transpose(file)


def resized(path: Path, picture: Image, size: tuple[int, int], reading: Reading, changes: dict[str, int]) -> Image:
    """Return the picture in that size, (height, width). Raises DataError unless resizing is on."""
    from PIL import Image

    height, width = size
    if (picture.height, picture.width) == size:
        return picture
    if not reading.resize:
        wanted = "the model takes" if reading.expected else "the first one has"
        raise DataError(
            f"{named(path)} is {picture.width} x {picture.height} pixels, {wanted} {width} x {height}",
            "add --resize, which stretches all pictures to one size",
        )
    changes["resized"] += 1
    return plain(picture).resize((width, height), Image.Resampling.BILINEAR)


def channels_of(picture: Image, channels: int, changes: dict[str, int]) -> Array:
    """Return the pixels, (channels, height, width), as bytes."""
    found = plain(picture)
    if channels == GRAY:
        changes["turned gray"] += found.mode != "L"
        return np.asarray(found.convert("L"))[np.newaxis]
    changes["given three channels"] += found.mode == "L"
    return np.asarray(found.convert("RGB")).transpose(2, 0, 1)


def plain(picture: Image) -> Image:
    """Return the picture as 8-bit gray or RGB. 16-bit pixels lose their lower half."""
    from PIL import Image

    if picture.mode.startswith("I"):
        return Image.fromarray((np.asarray(picture).astype(np.int64) >> 8).clip(0, 255).astype(np.uint8))
    return picture.convert("L" if is_gray(picture.mode) else "RGB")


def require_opaque(picture: Image) -> None:
    """Raise ValueError if some pixels are transparent, because the background is unknown."""
    if "A" in picture.getbands() or "transparency" in picture.info:
        alpha: Any = picture.convert("RGBA").getchannel("A").getextrema()
        if alpha[0] < 255:
            raise ValueError("parts of it are transparent: lay it over a background first")


def is_gray(mode: str) -> bool:
    """Return whether pictures with that mode have no colors. A palette counts as colors."""
    return mode in ("1", "L", "LA") or mode.startswith("I")
