"""The import library of python3.dll, which links a Windows module to any Python 3."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .commands import ZIG, run

if TYPE_CHECKING:
    from abi3info.models import Data, Function

#: The oldest Python that the wheels are for.
OLDEST = (3, 10)


def import_library(folder: Path) -> Path:
    """Write libpython3.a into a folder and return its path. It has Python's stable interface of OLDEST."""
    import abi3info

    definitions, library = folder / "python3.def", folder / "libpython3.a"
    functions = [name.name for name, found in abi3info.FUNCTIONS.items() if exported(found)]
    data = [f"{name.name} DATA" for name, found in abi3info.DATAS.items() if exported(found)]
    definitions.write_text("\n".join(["LIBRARY python3.dll", "EXPORTS", *functions, *data, ""]))
    run([*ZIG, "dlltool", "-m", "i386:x86-64", "-d", definitions, "-l", library])
    return library


def exported(found: Function | Data) -> bool:
    """Return whether every Python from OLDEST on has it."""
    return (found.added.major, found.added.minor) <= OLDEST
