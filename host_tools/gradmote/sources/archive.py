"""The archive of sources in a wheel, and its unpacking.

In one archive, hundreds of small files take half the space that they take in a wheel, and bzip2, which sees further
back than a wheel's Deflate, needs a quarter less again.
"""

from __future__ import annotations

import bz2
import hashlib
import io
import os
import shutil
import zipfile
from pathlib import Path

from ..formats.files import make_build_folder

#: The time of all files, so that the same sources make the same archive.
_TIME = (1980, 1, 1, 0, 0, 0)


def pack(folder: Path, archive: Path) -> None:
    """Write the files in a folder to an archive: an uncompressed .zip, compressed as a whole."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as made:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            made.writestr(zipfile.ZipInfo(path.relative_to(folder).as_posix(), _TIME), path.read_bytes())
    archive.write_bytes(bz2.compress(whole.getvalue()))


def unpack(archive: Path) -> Path:
    """Return a folder with the archive's files, in gradmote's build folder.

    It is created once for each content, completely or not at all. Raises OutputError.
    """
    data = archive.read_bytes()
    name = hashlib.sha256(data).hexdigest()[:16]
    folder = make_build_folder("sources") / name
    if not folder.is_dir():
        partial = folder.with_name(f"{name}.{os.getpid()}")
        with zipfile.ZipFile(io.BytesIO(bz2.decompress(data))) as packed:
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
