"""The folder of the built page: the checkout's build/studio, or the package gradmote-studio."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from ..errors import GradmoteError

_CHECKOUT = Path(__file__).resolve().parents[3]


def find_page() -> Path:
    """Return the folder that has the page's index.html.

    Raises GradmoteError where the page was not built, or its package is not installed.
    """
    if (_CHECKOUT / "SConstruct").is_file():
        built = _CHECKOUT / "build" / "studio"
        return _checked(built, "the studio page is not built in this checkout", "build it: ./run scons studio")
    found = find_spec("gradmote_studio")
    installed = Path(found.origin).parent / "page" if found is not None and found.origin else Path("page")
    lacking = "the studio page is not installed: it is a package of its own, gradmote-studio"
    return _checked(installed, lacking, "install it beside gradmote, in the same version, from where this one is from")


def _checked(folder: Path, lacking: str, hint: str) -> Path:
    if not (folder / "index.html").is_file():
        raise GradmoteError(lacking, hint)
    return folder
