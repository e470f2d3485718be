"""The parts of this repository that a project gets, in the same folders as here.

They are the firmware, the runtime, and the scripts that build them. The package contains an archive
of them (setup.py), so that it can make projects, and build firmware, without a checkout.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from ..formats.files import copy_part
from .archive import unpack

PARTS = (
    "LICENSE",
    "firmware/boards",
    "firmware/generated",
    "firmware/platform",
    "firmware/platformio.ini",
    "firmware/signature",
    "firmware/src",
    "runtime_c/generated",
    "runtime_c/include",
    "runtime_c/kernels",
    "runtime_c/src",
    "site_scons/boards.py",
    "site_scons/monocypher.py",
    "site_scons/public_key.py",
    "site_scons/render/__init__.py",
    "site_scons/render/spec.py",
    "site_scons/runtime_sources.py",
)
#: Additional parts for building firmware: the replacement for a C library, and scripts that measure its
#: memory.
FOR_FIRMWARE = ("firmware/freestanding", "site_scons/footprint.py", "site_scons/stack_bound.py")
#: Additional parts for building WebAssembly modules.
FOR_WASM = ("bindings/wasm", "firmware/freestanding", "site_scons/wasm_module.py")
#: Additional parts for projects in C and C++: what `gradmote sources` writes, and writes with.
FOR_C = (
    "bindings/rust",
    "runtime_c/CMakeLists.txt",
    "runtime_c/Kconfig",
    "runtime_c/Kconfig.options",
    "runtime_c/cmake",
    "runtime_c/cmsis_pack",
    "runtime_c/idf_component.yml",
    "runtime_c/nuttx",
    "runtime_c/zephyr",
    "site_scons/amalgamate.py",
)
#: The suffixes of the files that a firmware is built from.
_SOURCES = (".c", ".cpp", ".csv", ".h", ".ini", ".ld", ".py", ".syms", ".toml")
_PACKED = Path(__file__).with_name("sources.zip.bz2")
_CHECKOUT = Path(__file__).resolve().parents[3]


@cache
def origin() -> Path:
    """Return the folder of the sources: the checkout, or the package's unpacked archive.

    Raises OutputError if it cannot be unpacked.
    """
    return unpack(_PACKED) if _PACKED.is_file() else _CHECKOUT


def copy_sources(target: Path, parts: Iterable[str] = PARTS) -> None:
    """Copy these parts into a folder, each once. Raises OutputError."""
    for part in dict.fromkeys(parts):
        copy_part(origin() / part, target / part)


def firmware_sources() -> list[Path]:
    """Return the files that firmware is built from, sorted by path."""
    parts = [origin() / part for part in (*PARTS, *FOR_FIRMWARE)]
    found = (path for part in parts for path in ([part] if part.is_file() else part.rglob("*")))
    return sorted(path for path in found if path.suffix in _SOURCES)


def digest_of_sources() -> str:
    """Return a hash of the names and contents of the firmware's sources, hexadecimal."""
    found = hashlib.sha256()
    for path in firmware_sources():
        found.update(f"{path.relative_to(origin()).as_posix()}\0".encode() + path.read_bytes())
    return found.hexdigest()


@cache
def build_module(name: str) -> ModuleType:
    """Return a module of site_scons, such as boards, which every build of the firmware uses."""
    folder = str(origin() / "site_scons")
    sys.path.insert(0, folder)
    try:
        return import_module(name)
    finally:
        sys.path.remove(folder)
