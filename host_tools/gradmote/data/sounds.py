"""Recordings, WAV files of PCM: numbers from -1 to 1, (samples, length), one channel."""

from __future__ import annotations

import io
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import DataError
from .class_folders import ClassFolder, FolderSamples
from .loaded import Array
from .quoting import dims, named
from .reading import Reading
from .size_limits import MOST, size_of


@dataclass(frozen=True)
class Sound:
    """One recording: its numbers from -1 to 1, its rate in Hz, and the number of channels before mixing."""

    samples: Array
    rate: int
    channels: int


def read_sounds(folder: ClassFolder, reading: Reading) -> FolderSamples:
    """Return the samples of all recordings.

    A recording is cut into consecutive pieces of one length; a shorter rest is left out. A shorter
    recording is padded with silence. Raises DataError, with the file.
    """
    total = sum(map(size_of, folder.files))
    if total > MOST:
        raise DataError(f"{named(folder.path)} has {total:,} bytes, and at most {MOST:,} are read", "give fewer files")
    sounds = [read_sound(path) for path in folder.files]
    require_rate(folder.files, sounds, reading.rate)
    length = length_of(folder.files, sounds, reading)
    counts = [max(1, len(sound.samples) // length) for sound in sounds]
    if 4 * length * sum(counts) > MOST:
        raise DataError(f"{named(folder.path)} would take {4 * length * sum(counts):,} bytes", "give fewer recordings")
    found = np.zeros((sum(counts), length), np.float32)
    files = np.repeat(np.arange(len(sounds)), counts)
    for first, count, sound in zip(np.cumsum([0, *counts]), counts, sounds):
        used = sound.samples[: length * count]
        found[first : first + count].reshape(-1)[: len(used)] = used
    noted = tuple(f"{named(folder.path)}: {note}" for note in notes(sounds, length, len(found)))
    return FolderSamples(found, files.tolist(), noted)


def notes(sounds: Sequence[Sound], length: int, count: int) -> list[str]:
    """Return sentences about the rate, the samples, and the recordings that were changed."""
    mixed = sum(sound.channels > 1 for sound in sounds)
    short = sum(len(sound.samples) < length for sound in sounds)
    cut = sum(len(sound.samples) % length != 0 and len(sound.samples) > length for sound in sounds)
    found = [f"{len(sounds):,} recordings of {sounds[0].rate:,} Hz give {count:,} samples of {length:,} numbers"]
    found += [f"{mixed:,} recordings are mixed to one channel"] if mixed else []
    found += [f"{short:,} recordings are shorter, and filled up with silence"] if short else []
    return found + ([f"{cut:,} recordings have a rest that fills no sample, which is left out"] if cut else [])


def require_rate(files: Sequence[Path], sounds: Sequence[Sound], rate: int | None) -> None:
    """Raise DataError if a recording's sample rate differs from `rate`, or else from the first one's."""
    wanted = sounds[0].rate if rate is None else rate
    wrong = next((number for number, sound in enumerate(sounds) if sound.rate != wanted), None)
    if wrong is not None:
        other = "was asked for (--rate)" if rate is not None else f"is that of {named(files[0])}"
        raise DataError(
            f"{named(files[wrong])} has {sounds[wrong].rate:,} Hz, and {wanted:,} Hz {other}",
            "resample the recordings to the rate of those that the model was made for",
        )


def length_of(files: Sequence[Path], sounds: Sequence[Sound], reading: Reading) -> int:
    """Return the length of a sample: the given one, or else the model's, or else that of the recordings."""
    shape = reading.sample_shape()
    if shape is not None and sum(dim != 1 for dim in shape) > 1:
        raise DataError(
            f"the model takes samples of {dims(shape)}, and a recording is one row of numbers",
            "make the features first (spectra, for example), and give them as an .npz",
        )
    taken = None if shape is None else next((dim for dim in shape if dim != 1), 1)
    found = reading.length or taken
    if found is not None:
        return found
    lengths = [len(sound.samples) for sound in sounds]
    other = next((number for number, length in enumerate(lengths) if length != lengths[0]), None)
    if other is not None:
        raise DataError(
            f"{named(files[other])} has {lengths[other]:,} samples, and {named(files[0])} {lengths[0]:,}",
            "say how long a sample is: --length 16000, or --model model.onnx",
        )
    return lengths[0]


# ---- One recording --------------------------------------------------------------------------------------------------


def read_sound(path: Path) -> Sound:
    """Return a recording, its channels mixed. Raises DataError if it is damaged, cut off or empty."""
    size_of(path)
    try:
        with wave.open(io.BytesIO(plain_header(path.read_bytes())), "rb") as file:
            width, channels, rate, claimed = (
                file.getsampwidth(), file.getnchannels(), file.getframerate(), file.getnframes(),
            )  # fmt: skip
            data = file.readframes(claimed)
    except (wave.Error, EOFError, OSError, ValueError, OverflowError, MemoryError, RuntimeError) as error:
        said = named(error) or "it ends too soon"
        raise DataError(f"cannot read {named(path)} ({said})", "give WAV files of PCM: 8, 16, 24 or 32 bits") from error
    frame = width * channels
    if len(data) < claimed * frame:
        raise DataError(
            f"{named(path)} is cut off: it claims {claimed:,} samples and has {len(data) // frame:,}",
            "copy it again, or leave it out",
        )
    if not claimed or not 1 <= width <= 4 or not rate:
        what = "no sound" if not claimed else f"samples of {8 * width} bits at {rate:,} Hz"
        raise DataError(f"{named(path)} has {what}", "give WAV files of PCM: 8, 16, 24 or 32 bits")
    return Sound(numbers(data, width).reshape(-1, channels).mean(axis=1).astype(np.float32), rate, channels)


def plain_header(data: bytes) -> bytes:
    """Return a WAV file whose format code has 16 bits.

    The extensible format describes the same PCM in more bytes, which Python's wave reads from 3.12 on.
    """
    at = data.find(b"fmt ", 12) + 8
    is_extensible = data[at : at + 2] == b"\xfe\xff" and len(data) >= at + 26
    return data[:at] + data[at + 24 : at + 26] + data[at + 2 :] if is_extensible else data


def numbers(data: bytes, width: int) -> Array:
    """Return PCM as float64 from -1 to 1. Samples of one byte are unsigned, wider ones signed."""
    if width == 1:
        return (np.frombuffer(data, np.uint8).astype(np.float64) - 128) / 128
    if width == 3:
        wide = np.zeros((len(data) // 3, 4), np.uint8)
        wide[:, 1:] = np.frombuffer(data, np.uint8).reshape(-1, 3)
        return wide.reshape(-1).view("<i4") / 2.0**31
    return np.frombuffer(data, f"<i{width}") / 2.0 ** (8 * width - 1)
