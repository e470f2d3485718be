"""Gradmote's own wheel for the compiler in the page, made from the files of this installation or checkout.

So the page compiles exactly like the installed command line, including any changes in a checkout.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from ..version import __version__
from .wheel_file import wheel_bytes

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
