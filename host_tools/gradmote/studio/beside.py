"""Writes the server's generated files next to a built page, for servers that can only serve files.

python -m gradmote.studio.beside PAGE
"""

from __future__ import annotations

import sys
from pathlib import Path

from ..formats.files import write_atomically
from .own_wheel import NAME, own_wheel
from .pyodide import settings


def write_beside(page: Path) -> None:
    """Write Gradmote's wheel into the page's folder, and its name into the page's settings."""
    write_atomically(page / NAME, own_wheel())
    if (page / "pyodide.json").is_file():
        write_atomically(page / "pyodide.json", settings(page, local=False))


if __name__ == "__main__":
    write_beside(Path(sys.argv[1]))
