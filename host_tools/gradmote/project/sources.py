"""What a project has of this repository: firmware, runtime, and what builds them, in the same folders as here.

The package carries a copy (setup.py), so that it makes projects where there is no checkout.
"""

from __future__ import annotations

from pathlib import Path

from ..files import copy_part

PARTS = (
    "LICENSE",
    "firmware/boards",
    "firmware/generated",
    "firmware/platform",
    "firmware/platformio.ini",
    "firmware/src",
    "runtime_c/generated",
    "runtime_c/include",
    "runtime_c/kernels",
    "runtime_c/src",
    "site_scons/boards.py",
    "site_scons/render/__init__.py",
    "site_scons/render/spec.py",
    "site_scons/runtime_sources.py",
)
_PACKAGED = Path(__file__).parent / "sources"
_CHECKOUT = Path(__file__).resolve().parents[3]


def origin() -> Path:
    """The package's copy; in a checkout, the checkout."""
    return _PACKAGED if _PACKAGED.is_dir() else _CHECKOUT


def copy_sources(target: Path) -> None:
    """Copies PARTS into a folder. Raises OutputError."""
    for part in PARTS:
        copy_part(origin() / part, target / part)
