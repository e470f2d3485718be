"""The two extension modules of a target, compiled and linked by ziglang's clang."""

from __future__ import annotations

import hashlib
import shutil
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from importlib.metadata import version
from io import StringIO
from pathlib import Path

from runtime_sources import (
    BINDING,
    INCLUDES,
    PROFILES,
    ROOT,
    RUNTIME,
    THREADS,
    extension_digest,
    extension_flags,
    runtime_sources,
)

from .commands import WORK, ZIG, run
from .python_library import import_library
from .targets import Target

sys.path.insert(0, str(BINDING))
from build_runtime import digest_source, wrapper

JOBS = 2
#: The files here that the modules depend on.
MAKERS = ("modules.py", "pyconfig.h", "python_library.py")
#: Sources that kernels call, or that call kernels.
HOT = ("execute", "gm_threads", "loops", "numerics", "split")
#: Export only the function that Python looks up; nothing unwinds C's stack. Windows has its own means for both.
SMALL = ("-fPIC", "-fvisibility=hidden", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables")


def build_modules(target: Target) -> list[Path]:
    """Return the paths of _fused and _strict. Compiles them if a source, a flag or zig has changed."""
    folder = WORK / "modules" / target.name
    modules = [folder / f"_{profile}{target.suffix}" for profile in PROFILES]
    stamp = folder / "made-of"
    current = made_of(target)
    if not (stamp.exists() and stamp.read_text() == current):
        shutil.rmtree(folder, ignore_errors=True)
        for profile, module in zip(PROFILES, modules):
            link(target, compile_all(target, profile, folder / profile), module)
            shutil.rmtree(folder / profile)
        stamp.write_text(current)
    return modules


def made_of(target: Target) -> str:
    """Return a digest of everything that the modules of a target are made from."""
    own = b"".join((Path(__file__).parent / name).read_bytes() for name in MAKERS)
    versions = [f"{name} {version(name)}" for name in ("ziglang", "cffi")]
    return " ".join([hashlib.sha256(own).hexdigest(), extension_digest(), repr(target), *versions, sys.version])


def compile_all(target: Target, profile: str, folder: Path) -> list[Path]:
    """Compile the runtime, its threads and the wrapper, and return the objects."""
    folder.mkdir(parents=True)
    wrapping = folder / f"_{profile}.c"
    with redirect_stdout(StringIO()):  # cffi prints what it writes
        wrapper(profile, more_c=digest_source()).emit_c_code(str(wrapping))
    sources = [*runtime_sources(), THREADS / "gm_threads.c", wrapping]
    flags = [*extension_flags(profile, target.machine), *([] if target.suffix == ".pyd" else SMALL)]
    flags += ["-DPy_LIMITED_API=0x030a0000", *(f"-I{path}" for path in (*INCLUDES, THREADS, python_headers()))]

    def compile_one(source: Path) -> Path:
        level = [] if is_hot(source) else ["-Os"]
        name = source.name if source == wrapping else source.relative_to(ROOT).as_posix().replace("/", "-")
        made = folder / f"{name}.o"
        run([*ZIG, "cc", "-target", target.zig, *flags, *level, "-c", source, "-o", made])
        return made

    with ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(compile_one, sources))


def is_hot(source: Path) -> bool:
    """Return whether training spends its time in this source. The others are optimized for size."""
    return RUNTIME / "kernels" in source.parents or source.stem in HOT


def python_headers() -> Path:
    """Return a folder of this Python's headers with the configuration of any platform."""
    folder = WORK / "python-headers"
    if not (folder / "Python.h").exists():
        shutil.copytree(sysconfig.get_paths()["include"], folder, dirs_exist_ok=True)
    shutil.copy(Path(__file__).with_name("pyconfig.h"), folder)
    return folder


def link(target: Target, objects: list[Path], module: Path) -> None:
    """Link a module, without symbols for debuggers."""
    libraries = [import_library(module.parent)] if target.suffix == ".pyd" else []
    named = [f"-Wl,-install_name,@rpath/{module.name}"] if "macos" in target.zig else []
    run([*ZIG, "cc", "-target", target.zig, "-shared", "-s", *target.link, *named, *objects, *libraries, "-o", module])
    if "musl" in target.zig:
        name_of_musl(module, target.machine)


def name_of_musl(module: Path, machine: str) -> None:
    """Make a module load musl's library by the name that distributions use, which zig does not know."""
    import lief

    parsed = lief.parse(str(module))
    for entry in parsed.dynamic_entries:
        if entry.tag == lief.ELF.DynamicEntry.TAG.NEEDED and entry.name == "libc.so":
            entry.name = f"libc.musl-{machine}.so.1"
    parsed.write(str(module))
