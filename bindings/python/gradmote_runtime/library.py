"""Load the extension module of a numerics profile."""

from __future__ import annotations

import threading
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from gradmote.errors import GradmoteError

PROFILES = ("fused", "strict")

#: Held while a module is being found and loaded, because other threads could see it half loaded.
_loading = threading.RLock()

_NOT_BUILT = "install the package again (`pip install .`), which compiles it"
_NOT_THERE = "this gradmote was installed without the compiled runtime, which is the twin"
_WITHOUT = (
    "boards learn without it: --on PORT or --on qemu:BOARD; to get it, install the wheel for this system, "
    "or a checkout on a computer with a C compiler: pip install ."
)


def load(profile: str) -> ModuleType:
    """Return the module with `ffi` and `lib` for "fused" or "strict".

    Raises GradmoteError if the name is unknown, the module is missing or does not load, or this CPU lacks fused
    multiply-add.
    """
    if profile not in PROFILES:
        raise GradmoteError(f"there is no numerics profile '{profile}'", "use profile='fused' or profile='strict'")
    if profile == "fused" and not cpu_has_fma():
        raise GradmoteError(
            "this CPU has no fused multiply-add, which profile='fused' computes with", "use profile='strict'"
        )
    with _loading:
        return _load(profile)


def is_there() -> bool:
    """Return whether the compiled runtime is installed; the pure wheel lacks it."""
    with _loading:
        return any(find_spec(f"gradmote_runtime._{profile}") is not None for profile in PROFILES)


def cpu_has_fma() -> bool:
    """Return whether this CPU can run the fused profile."""
    with _loading:
        return bool(_load("strict").lib.gm_host_has_fma())


def limit_vectors(profile: str, widest: int) -> int:
    """Limit the vectors of this process to `widest` bits in kernels of a profile: 0, 256 or 512.

    All widths give the same bits; this is for tests and measurements. Returns the bits of the widest vectors from now
    on, or -1 if the processor has no choice. Raises GradmoteError for other widths.
    """
    if widest not in (0, 256, 512):
        raise GradmoteError(f"there are no vectors of {widest} bits", "use 0, 256 or 512")
    return int(load(profile).lib.gm_host_limit_vectors(widest))


@cache
def _load(profile: str) -> ModuleType:
    if not is_there():
        raise GradmoteError(_NOT_THERE, _WITHOUT)
    try:
        module = import_module(f"gradmote_runtime._{profile}")
    except ImportError as error:
        raise GradmoteError(f"the runtime for profile '{profile}' does not load ({error})", _NOT_BUILT) from error
    return module
