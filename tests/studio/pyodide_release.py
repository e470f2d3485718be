"""The release of Pyodide that the page is pinned to, as a local folder.

Its core is in the npm package. The wheels that the page needs of it, such as NumPy's, have only its
public address, from which they are fetched once, and checked. GRADMOTE_PYODIDE may name a folder
that has all of it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import urllib.request
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from studio.page import PAGE, built
from support.npm_package import BUILT

#: The npm package: the interpreter without any wheel.
CORE = BUILT / "tools" / "node_modules" / "pyodide"
FETCHED = BUILT / "pyodide"
#: A network that is there answers within so many seconds.
PATIENCE = 20


class Absent(Exception):
    """The release is not available here."""


def require() -> Path:
    """Return the folder of the whole release; skip the test if it is not available."""
    try:
        return release()
    except Absent as reason:
        pytest.skip(str(reason))


@cache
def release() -> Path:
    """Return the folder of the whole release. Raises Absent."""
    given = os.environ.get("GRADMOTE_PYODIDE")
    if given is not None:
        return Path(given)
    built()
    settings = json.loads((PAGE / "pyodide.json").read_text())
    shutil.copytree(CORE, FETCHED, dirs_exist_ok=True)
    lock = json.loads((CORE / "pyodide-lock.json").read_text())["packages"]
    for name in settings["packages"]:
        fetch(settings["base"], lock[name])
    return FETCHED


def fetch(base: str, package: dict[str, Any]) -> None:
    """Fetch a wheel of the release if it is not there yet. Raise Absent."""
    file = FETCHED / package["file_name"]
    if file.is_file() and is_right(file.read_bytes(), package):
        return
    try:
        with urllib.request.urlopen(base + file.name, timeout=PATIENCE) as answer:
            content = answer.read()
    except OSError as error:
        raise Absent(f"{file.name} cannot be fetched ({error}); GRADMOTE_PYODIDE names a folder that has it") from error
    assert is_right(content, package), f"{file.name} is not the file of the release"
    file.write_bytes(content)


def is_right(content: bytes, package: dict[str, Any]) -> bool:
    """Return whether a wheel is that of the release."""
    return hashlib.sha256(content).hexdigest() == package["sha256"]
