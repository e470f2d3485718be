"""The site of the studio: the built page, Gradmote's own wheel, and Pyodide if a folder has it.

python -m gradmote.studio.own_site PAGE

writes the server's generated files next to a built page, for servers that can only serve files.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from ..errors import GradmoteError
from ..formats.files import write_atomically
from ..version import __version__
from .own_wheel import NAME, own_wheel, version_of_files
from .site import Site

# ---- The folder of the built page: the checkout's build/studio, or the package gradmote-studio -----------------------

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


# ---- The file pyodide.json: the address of Pyodide's files, and the wheels for the compiler --------------------------

#: The path at which a local folder of Pyodide is served.
LOCAL = "pyodide/"


def settings(page: Path, local: bool) -> bytes:
    """Return the page's pyodide.json with the wheel of this Gradmote.

    local: whether Pyodide comes from this server instead of its public address.
    """
    written = json.loads((page / "pyodide.json").read_text())
    others = [wheel for wheel in written["wheels"] if not wheel.startswith("gradmote-")]
    changed = {**written, "wheels": [*others, NAME], **({"base": LOCAL} if local else {})}
    return json.dumps(changed).encode()


def check_folder(folder: Path) -> Path:
    """Return the folder after checking that it contains Pyodide. Raises GradmoteError."""
    if not (folder / "pyodide.mjs").is_file():
        raise GradmoteError(
            f"{folder} has no pyodide.mjs", "name the folder of a release of Pyodide, or of its npm package"
        )
    return folder


# ---- The site --------------------------------------------------------------------------------------------------------


def studio_site(page: Path, pyodide: Path | None = None) -> Site:
    """Return the site of a built page. Raises GradmoteError if the folder does not contain Pyodide."""
    folders = {"": page} if pyodide is None else {"": page, LOCAL: check_folder(pyodide)}
    made = {NAME: _made_once(version_of_files, own_wheel)}
    if (page / "pyodide.json").is_file():
        made["pyodide.json"] = lambda: settings(page, pyodide is not None)
    return Site(folders, made)


def _made_once(version: Callable[[], object], make: Callable[[], bytes]) -> Callable[[], bytes]:
    """Return a function that calls `make` again only if the version has changed."""
    kept: tuple[object, bytes] | None = None

    def made() -> bytes:
        nonlocal kept
        now = version()
        if kept is None or kept[0] != now:
            kept = (now, make())
        return kept[1]

    return made


# ---- Files next to the page ------------------------------------------------------------------------------------------


def write_beside(page: Path) -> None:
    """Write Gradmote's wheel into the page's folder, and its name into the page's settings."""
    write_atomically(page / NAME, own_wheel())
    if (page / "pyodide.json").is_file():
        write_atomically(page / "pyodide.json", settings(page, local=False))


if __name__ == "__main__":
    write_beside(Path(sys.argv[1]))
