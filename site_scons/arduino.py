"""The Arduino library: `scons arduino`. Sources in one file, the C++ header, examples."""

from __future__ import annotations

import shutil
from pathlib import Path

from amalgamate import one_header, one_source
from runtime_sources import ROOT, RUNTIME


def assemble(folder: Path) -> None:
    """Write the library into a folder. Arduino requires the name Gradmote."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "src").mkdir(parents=True)
    shutil.copy(ROOT / "arduino" / "library.properties", folder)
    for name in ("LICENSE", "README.md"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "arduino" / "examples", folder / "examples")
    (folder / "src" / "gradmote.h").write_text(one_header())
    (folder / "src" / "gradmote.c").write_text(one_source())
    shutil.copy(RUNTIME / "include" / "gradmote.hpp", folder / "src")


def write_library(target, source, env) -> None:
    """Write the library: an action of SCons."""
    del source, env
    assemble(Path(str(target[0])).parent)
