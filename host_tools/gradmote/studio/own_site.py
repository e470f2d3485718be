"""The site of the studio: the built page, Gradmote's own wheel, and Pyodide if a folder has it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .own_wheel import NAME, own_wheel, version_of_files
from .pyodide import LOCAL, check_folder, settings
from .site import Site


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
