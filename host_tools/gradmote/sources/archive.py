"""The archive of sources in a wheel, and its unpacking.

In one archive, hundreds of small files take half the space that they take in a wheel.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
from pathlib import Path

from ..formats.files import make_build_folder

#: The time of all files, so that the same sources make the same archive.
_TIME = (1980, 1, 1, 0, 0, 0)


def pack(folder: Path, archive: Path) -> None:
    """Write the files in a folder to an archive, uncompressed: the wheel compresses it as a whole."""
    with zipfile.ZipFile(archive, "w") as made:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            made.writestr(zipfile.ZipInfo(path.relative_to(folder).as_posix(), _TIME), path.read_bytes())


def unpack(archive: Path) -> Path:
    """Return a folder with the archive's files, in gradmote's build folder.

    It is created once for each content, completely or not at all. Raises OutputError.
    """
    name = hashlib.sha256(archive.read_bytes()).hexdigest()[:16]
    folder = make_build_folder("sources") / name
    if not folder.is_dir():
        partial = folder.with_name(f"{name}.{os.getpid()}")
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(partial)
        _move(partial, folder)
    return folder


def _move(partial: Path, folder: Path) -> None:
    """Rename an unpacked folder, unless another process was faster."""
    try:
        partial.rename(folder)
    except OSError:
        shutil.rmtree(partial)
        if not folder.is_dir():
            raise
