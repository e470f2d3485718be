"""The folder of the built page: the checkout's build/studio, or the package gradmote-studio."""

from __future__ import annotations

from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from ..errors import GradmoteError
from ..version import __version__

_SAME = "install gradmote-studio in the version of gradmote"
_NOT_BUILT = ("the studio page is not built in this checkout", "build it: ./run scons studio")
_NOT_INSTALLED = ("the studio page is not installed: it is a package of its own", _SAME)
_CHECKOUT = Path(__file__).resolve().parents[3]


def find_page() -> Path:
    """Return the folder with the page's index.html.

    Raises GradmoteError if the page was not built, or its package is not installed or has another
    version.
    """
    if (_CHECKOUT / "SConstruct").is_file():
        return _checked(_CHECKOUT / "build" / "studio", _NOT_BUILT)
    found = find_spec("gradmote_studio")
    folder = Path(found.origin).parent / "page" if found is not None and found.origin else Path()
    return _of_this_version(_checked(folder, _NOT_INSTALLED))


def _checked(folder: Path, lacking: tuple[str, str]) -> Path:
    if not (folder / "index.html").is_file():
        raise GradmoteError(*lacking)
    return folder


def _of_this_version(folder: Path) -> Path:
    """Return the folder of the package's page after checking that it matches this version's images."""
    if (found := version("gradmote-studio")) != __version__:
        raise GradmoteError(f"the studio page is of version {found}, and gradmote is {__version__}", _SAME)
    return folder
