"""The file pyodide.json next to the page: the address of Pyodide's files, and the wheels for the compiler."""

from __future__ import annotations

import json
from pathlib import Path

from ..errors import GradmoteError
from .own_wheel import NAME

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
