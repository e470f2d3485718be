"""The wheel of the checkout, made once for its contents and kept in build/own_wheels."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "own_wheels"
#: The contents of a wheel, and the files that decide how it is made.
SOURCES = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "MANIFEST.in", "host_tools",
           "bindings", "firmware", "runtime_c",
           "site_scons")  # fmt: skip
_ENDINGS = (".c", ".cpp", ".csv", ".h", ".ini", ".json", ".ld", ".md", ".py", ".syms", ".toml", ".typed", ".wasm")


def own_wheels() -> Path:
    """Return a folder that contains only the checkout's wheel for this Python."""
    folder = FOLDER / f"{digest()}-{sys.implementation.cache_tag}"
    if not folder.is_dir():
        FOLDER.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=FOLDER) as name:
            made = make(Path(name))
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            shutil.move(made, folder / made.name)
    return folder


def make(target: Path) -> Path:
    """Make the wheel from a copy of the sources, so that no build files remain in the checkout."""
    copy = target / "sources"
    copy.mkdir()
    for name in SOURCES:
        source = ROOT / name
        ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info", "node_modules", "build", ".pio")
        shutil.copytree(source, copy / name, ignore=ignored) if source.is_dir() else shutil.copy(source, copy / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    cached = {"CC": "ccache gcc"} if shutil.which("ccache") and shutil.which("gcc") else {}
    where = {"CCACHE_BASEDIR": str(target), "CCACHE_NOHASHDIR": "1"}
    environment = {**cached, **os.environ, **where}
    subprocess.run([*command, "--wheel-dir", str(target), str(copy)], env=environment, check=True)
    (wheel,) = target.glob("*.whl")
    return wheel


def digest() -> str:
    """Return a hash of everything that goes into a wheel."""
    found = hashlib.sha256()
    for name in SOURCES:
        for path in sorted((ROOT / name).rglob("*")) if (ROOT / name).is_dir() else [ROOT / name]:
            if path.is_file() and path.suffix in _ENDINGS and not {"__pycache__", "node_modules"} & {*path.parts}:
                found.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return found.hexdigest()[:16]
