"""Bounds on the memory that a file of samples may take.

A few kilobytes of a compressed file can claim terabytes. A file is read if its content is at most
256 MiB, or at most 100 times as large as the file, and in any case at most 4 GiB.
"""

from __future__ import annotations

import errno
import stat
from pathlib import Path

from ..errors import DataError
from .quoting import named

#: The most bytes of samples.
MOST = 4 << 30
#: Content up to this size is read from any file, however small the file is.
ALWAYS = 256 << 20
#: The most bytes of content for each byte of a file.
RATIO = 100
#: The most pixels of a picture.
PIXELS = 1 << 26


def require_size(path: Path, size: int, file_size: int) -> None:
    """Raise DataError if a file of `file_size` bytes claims to contain too many bytes of samples."""
    most = min(MOST, max(ALWAYS, RATIO * file_size))
    if size > most:
        raise DataError(
            f"{named(path)} claims {size:,} bytes of samples, and at most {most:,} are read of it",
            "give fewer samples, or smaller ones; a file of arrays that is stored without compression may be larger",
        )


def is_folder(path: Path) -> bool:
    """Return whether the path is a folder; False for a broken link. Raises DataError if that cannot be determined."""
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) == errno.ELOOP:
            return False
        raise unreadable(path, error) from error


def unreadable(path: Path, error: Exception) -> DataError:
    """Return the error for an inaccessible path."""
    return DataError(f"cannot read {named(path)} ({named(error)})", "check the path and its permissions")


def size_of(path: Path) -> int:
    """Return the size of a regular file in bytes.

    Raises DataError for a pipe or a device, which cannot be read twice, and if the file is
    inaccessible.
    """
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if not stat.S_ISREG(found.st_mode):
        raise DataError(f"cannot read {named(path)}: it is not a regular file", "write the samples into a file first")
    if found.st_size > MOST:
        raise DataError(f"{named(path)} has {found.st_size:,} bytes, and at most {MOST:,} are read", "split it")
    return found.st_size
