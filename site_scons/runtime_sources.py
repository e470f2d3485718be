"""List the C runtime's sources, flags and numerics profiles.

SConstruct, firmware/SConscript and the Python binding all build from this list.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNTIME = ROOT / "runtime_c"

#: The public headers, then the headers that the runtime's own files share.
INCLUDES = [RUNTIME / "include", RUNTIME / "src"]

#: Bits depend on these flags: no contraction beyond what the source asks for, and sqrtf/fmaf inlined as instructions.
NUMERICS_FLAGS = ["-std=c99", "-ffp-contract=off", "-fno-math-errno"]
#: -Wdouble-promotion and -Wpointer-arith are in MicroPython's flags, which also compile the runtime. Without -Wundef a
#: file that lacks an opcode's header would silently leave out its kernel, because GM_WITH_<opcode> is 0 there.
WARNING_FLAGS = ["-Wall", "-Wextra", "-Wconversion", "-Wdouble-promotion", "-Wpointer-arith", "-Wundef", "-Wvla",
                 "-Werror"]  # fmt: skip

PROFILES = ("fused", "strict")

#: The threads of the Python extension, and the code that wraps the runtime for Python.
THREADS = ROOT / "bindings" / "threads"
BINDING = ROOT / "bindings" / "python"
#: Sessions by number, for the languages that call the runtime as a shared library.
HANDLES = ROOT / "bindings" / "shared"
#: The folder of a checkout's compiled extension modules.
MODULES = BINDING / "gradmote_runtime"
#: Precedes the digest of its sources in a compiled extension module.
DIGEST_MARK = "gradmote_runtime of sources "

#: Cortex-M4 with FPU, the part in the size report.
CORTEX_M4_FLAGS = ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]

#: Any 32-bit Arm with fused multiply-add: Cortex-A5, A7, A15 and later, so Raspberry Pi 2, 3, 4 and 5. The compilers of
#: Debian and Raspberry Pi OS target older ones by default. NEON would flush subnormals.
ARMV7_FUSED_FLAGS = ["-march=armv7-a", "-mfpu=vfpv4-d16"]


#: Folders of kernels for boards, which are empty on processors of these names.
OF_BOARDS = ("arm_m", "helium", "riscv", "soft_float")
NO_BOARDS = ("x86_64", "amd64", "i386", "i686", "aarch64", "arm64")


def runtime_sources() -> list[Path]:
    """Return every .c file of the runtime as an absolute path, in the same order everywhere."""
    return sorted(path for part in ("src", "kernels", "generated") for path in (RUNTIME / part).rglob("*.c"))


def extension_sources(machine: str | None = None) -> list[Path]:
    """Return the absolute paths of the runtime's .c files that a Python extension module needs.

    machine: the processor, by default this computer's.
    """
    if (machine or host_machine()) not in NO_BOARDS:
        return runtime_sources()
    kernels = RUNTIME / "kernels" / "arch"
    return [path for path in runtime_sources() if not any(kernels / arch in path.parents for arch in OF_BOARDS)]


def handle_sources() -> list[Path]:
    """Return the .c files of a library for other languages, besides the runtime's."""
    return sorted(HANDLES.rglob("*.c"))


def extension_flags(profile: str, machine: str | None = None) -> list[str]:
    """Return the flags for every C source of a Python extension module.

    machine: the processor, by default this computer's.
    """
    own = ["-O3", "-pthread", "-DGM_THREADS=1", "-DGM_ASK_CPU"]
    return [*own, *NUMERICS_FLAGS, *profile_flags(machine or host_machine(), profile)]


def msvc_flags(profile: str, compiler: str = "cl", target: str = "") -> list[str]:
    """Return the flags for Microsoft's compiler ("cl"), or for clang with the same options ("clang-cl").

    /fp:precise keeps the order of operations. Before Visual Studio 2022 it also contracts a product and a sum to one
    operation, which runtime_c/src/msvc.h forbids. cl allows the fused profile's instruction without a flag.
    """
    flags = ["/O2", "/fp:precise", "/DGM_THREADS=1", f"/DGM_FUSED={int(profile == 'fused')}"]
    if compiler == "cl":
        return flags
    fused = [] if target.startswith("aarch64") else [f"/clang:{flag}" for flag in machine_flags("x86_64", profile)]
    return [*flags, "/clang:-ffp-contract=off", *fused]


def extension_digest() -> str:
    """Return a digest of all files that the Python extension modules are made from."""
    found = [*(path for path in RUNTIME.rglob("*.[ch]")), *THREADS.glob("*.[ch]")]
    found += [BINDING / "host.c", BINDING / "build_runtime.py", Path(__file__)]
    total = hashlib.sha256()
    for path in sorted(found):
        name, content = path.relative_to(ROOT).as_posix(), path.read_bytes()
        total.update(f"{name} {len(content)}\n".encode() + content)
    return total.hexdigest()


def stale_modules(folder: Path) -> list[str]:
    """Return the names of extension modules that are missing in `folder`, or were made from other files than these."""
    current = f"{DIGEST_MARK}{extension_digest()}".encode()
    names = [f"_{profile}" for profile in PROFILES]
    return [name for name in names if not any(current in path.read_bytes() for path in folder.glob(f"{name}.*"))]


def host_machine() -> str:
    """Return the processor that this computer's programs are compiled for: "x86_64", "aarch64", "armv7l", ...

    A 64-bit kernel may run 32-bit programs.
    """
    machine = platform.machine().lower()
    if sys.maxsize > 2**32:
        return machine
    return {"x86_64": "i686", "amd64": "i686", "aarch64": "armv7l"}.get(machine, machine)


def host_profile_flags(profile: str) -> list[str]:
    """Return the flags that select a numerics profile ("fused" or "strict") on this computer."""
    return profile_flags(host_machine(), profile)


def profile_flags(machine: str, profile: str) -> list[str]:
    """Return the flags that select a numerics profile on this processor."""
    return [f"-DGM_FUSED={int(profile == 'fused')}", *machine_flags(machine, profile)]


def machine_flags(machine: str, profile: str) -> list[str]:
    """Return the flags that make a compiler for this processor use the profile's instructions."""
    if machine in ("i386", "i686"):
        return ["-msse2", "-mfpmath=sse", *(["-mfma"] if profile == "fused" else [])]  # x87 would round to 80 bits
    if profile == "strict":
        return []
    if machine in ("x86_64", "amd64"):
        return ["-mfma"]
    return ARMV7_FUSED_FLAGS if machine.startswith("arm") and machine != "arm64" else []


def host_runs_fused() -> bool:
    """Return whether this computer runs programs of the fused profile. True if it does not say."""
    cpu_info = Path("/proc/cpuinfo")
    machine = host_machine()
    needed = "fma" if machine in ("x86_64", "amd64", "i386", "i686") else "vfpv4" if machine.startswith("armv") else ""
    return not needed or not cpu_info.exists() or needed in cpu_info.read_text().split()
