"""The parts of this repository that a project gets, in the same folders as here.

They are the firmware, the runtime, and the scripts that build them. The package carries a copy
(setup.py), so that it makes projects, and builds firmware, without a checkout.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from ..formats.files import copy_part

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
#: The further scripts of a build of the firmware, which measure its memory.
FOR_FIRMWARE = ("site_scons/footprint.py", "site_scons/stack_bound.py")
_PACKAGED = Path(__file__).parent / "sources"
_CHECKOUT = Path(__file__).resolve().parents[3]


def origin() -> Path:
    """Return the folder of the package's copy; in a checkout, the checkout."""
    return _PACKAGED if _PACKAGED.is_dir() else _CHECKOUT


def copy_sources(target: Path, parts: Iterable[str] = PARTS) -> None:
    """Copy these parts into a folder. Raises OutputError."""
    for part in parts:
        copy_part(origin() / part, target / part)


@cache
def build_module(name: str) -> ModuleType:
    """Return a module of site_scons, such as boards, which every build of the firmware uses."""
    folder = str(origin() / "site_scons")
    sys.path.insert(0, folder)
    try:
        return import_module(name)
    finally:
        sys.path.remove(folder)
