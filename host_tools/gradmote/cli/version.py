"""The option `gradmote --version`."""

from __future__ import annotations

import typer

from ..version import __version__
from .output import say


def show(wanted: bool) -> None:
    """Print the versions and exit, if `wanted`."""
    if wanted:
        say("\n".join(lines()))
        raise typer.Exit


def lines() -> list[str]:
    """Return the versions of the tools, and of the compiled runtime with its profile on this computer."""
    from ..errors import GradmoteError

    try:
        return [f"gradmote {__version__}", runtime()]
    except GradmoteError as error:
        return [f"gradmote {__version__}", f"runtime: {error}"]


def runtime() -> str:
    """Return the runtime's version, its image format, and the profile on this computer."""
    from gradmote_runtime.library import cpu_has_fma, load

    lib = load("strict").lib
    version = f"{lib.GM_VERSION_MAJOR}.{lib.GM_VERSION_MINOR}.{lib.GM_VERSION_PATCH}"
    profiles = "fused (and strict)" if cpu_has_fma() else "strict (this processor has no fused multiply-add)"
    return f"runtime {version}, image format {lib.GM_FORMAT_VERSION}, profile {profiles}"
