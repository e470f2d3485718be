"""The C runtime's sources, flags and numerics profiles: the one list that SConstruct, firmware/SConscript and the
Python binding build from."""

from __future__ import annotations

import platform
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNTIME = ROOT / "runtime_c"

#: The public headers; then those that the runtime's own files share.
INCLUDES = [RUNTIME / "include", RUNTIME / "src"]

#: Bits depend on these: no contraction beyond what the source asks for, and sqrtf/fmaf inlined as instructions.
NUMERICS_FLAGS = ["-std=c99", "-ffp-contract=off", "-fno-math-errno"]
WARNING_FLAGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]

PROFILES = ("fused", "strict")

#: Cortex-M4 with FPU: the part for which sizes are reported.
CORTEX_M4_FLAGS = ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]


def runtime_sources() -> list[Path]:
    """Every .c file of the runtime, absolute, in the same order everywhere."""
    return sorted(path for part in ("src", "kernels", "generated") for path in (RUNTIME / part).rglob("*.c"))


def host_profile_flags(profile: str) -> list[str]:
    """Flags that select a numerics profile ("fused" or "strict") on this computer."""
    flags = [f"-DGM_FUSED={int(profile == 'fused')}"]
    machine = platform.machine().lower()
    if profile == "fused" and machine in ("x86_64", "amd64"):
        flags.append("-mfma")
    if machine in ("i386", "i686"):
        flags += ["-msse2", "-mfpmath=sse"]  # x87 would round to 80 bits
    return flags


def host_runs_fused() -> bool:
    """Whether programs of the fused profile run on this computer. Where it does not tell, they are taken to."""
    cpu_info = Path("/proc/cpuinfo")
    if platform.machine().lower() not in ("x86_64", "amd64") or not cpu_info.exists():
        return True
    return " fma " in cpu_info.read_text()
