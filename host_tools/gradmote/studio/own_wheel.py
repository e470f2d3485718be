"""Wheels as files, and Gradmote's own for the compiler in the page.

A wheel is an archive whose RECORD has the hash of each file; equal contents give equal bytes. Gradmote's own is made
from the files of this installation or checkout. So the page compiles exactly like the installed command line,
including any changes in a checkout.
"""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from ..version import __version__

# ---- Wheels ----------------------------------------------------------------------------------------------------------

#: The time of all files, so that the same sources make the same bytes.
TIME = (1980, 1, 1, 0, 0, 0)


def wheel_bytes(files: Mapping[str, bytes], record: str) -> bytes:
    """Return a wheel of these files with a fresh RECORD, which comes last, under the name `record`."""
    contents = {name: content for name, content in files.items() if name != record}
    rows = [f"{name},sha256={_digest(content)},{len(content)}" for name, content in contents.items()]
    contents[record] = "\n".join([*rows, f"{record},,", ""]).encode()
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, content)
    return made.getvalue()


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")


# ---- Gradmote's own --------------------------------------------------------------------------------------------------

_FOLDER = Path(__file__).resolve().parents[1]
_CHECKOUT = _FOLDER.parents[1]
#: The suffixes of the files that the page needs: no compiled module, and no archive of firmware sources.
_ENDINGS = (".py", ".json", ".typed", ".toml", ".h", ".c")
NAME = f"gradmote-{__version__}-py3-none-any.whl"
_ABOUT = f"gradmote-{__version__}.dist-info"


def own_wheel() -> bytes:
    """Return the wheel; its file is called NAME."""
    files = {name: path.read_bytes() for name, path in sorted(_sources())}
    about = {
        f"{_ABOUT}/METADATA": _metadata().encode(),
        f"{_ABOUT}/WHEEL": b"Wheel-Version: 1.0\nGenerator: gradmote\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    return wheel_bytes({**files, **about}, f"{_ABOUT}/RECORD")


def version_of_files() -> tuple[tuple[str, int, int], ...]:
    """Return a key that changes with the wheel's files: their names, modification times and sizes."""
    found = ((name, path.stat()) for name, path in sorted(_sources()))
    return tuple((name, about.st_mtime_ns, about.st_size) for name, about in found)


def _sources() -> Iterator[tuple[str, Path]]:
    """Yield the name in the wheel and the path of each file."""
    for package in _packages():
        for path in package.rglob("*"):
            if path.suffix in _ENDINGS and path.is_file():
                yield path.relative_to(package.parent).as_posix(), path


def _packages() -> list[Path]:
    """Return the folders of the packages: next to each other if installed, separate in a checkout."""
    beside = _FOLDER.parent / "gradmote_runtime"
    return [_FOLDER, beside if beside.is_dir() else _CHECKOUT / "bindings" / "python" / "gradmote_runtime"]


def _metadata() -> str:
    """Return the metadata of the installation, or the minimum for a wheel if nothing is installed."""
    try:
        found = distribution("gradmote").read_text("METADATA")
    except PackageNotFoundError:
        found = None
    return found or f"Metadata-Version: 2.1\nName: gradmote\nVersion: {__version__}\n"
