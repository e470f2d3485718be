"""The archives for other tools: Arduino's library, PlatformIO's library and the package for npm."""

from __future__ import annotations

import json
import shutil
import tarfile
import zipfile
from pathlib import Path

from amalgamate import version
from arduino import assemble
from runtime_sources import ROOT

from .commands import OUT, WORK, run

NPM = ROOT / "bindings" / "js"


def arduino() -> Path:
    """Make the library for Arduino's library manager, and return its path."""
    folder, made = WORK / "arduino" / "Gradmote", OUT / f"Gradmote-{version()}.zip"
    assemble(folder)
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder.parent))
    return made


def platformio() -> Path:
    """Make the library for PlatformIO: the files that library.json exports. Returns its path."""
    made = OUT / f"Gradmote-{version()}-platformio.tar.gz"
    parts = json.loads((ROOT / "library.json").read_text())["export"]["include"]
    with tarfile.open(made, "w:gz") as archive:
        for part in parts:
            archive.add(ROOT / part, part, filter=without_caches)
    return made


def without_caches(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if "__pycache__" in entry.name else entry


def npm() -> Path:
    """Make the package for npm, which SCons builds and packs, and return its path."""
    run([ROOT / "run", "scons", "-s", "npm"])
    return Path(shutil.copy(max((ROOT / "build" / "js").glob("gradmote-*.tgz"), key=lambda path: path.stat().st_mtime), OUT))
