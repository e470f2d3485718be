"""The two extension modules of a target: the runtime's objects, and Python's wrapper."""

from __future__ import annotations

import shutil
import sys
import sysconfig
from contextlib import redirect_stdout
from importlib.metadata import version
from io import StringIO
from pathlib import Path

from runtime_sources import BINDING, INCLUDES, PROFILES, THREADS, extension_digest

from .commands import WORK, ZIG, run
from .objects import compile_all, flags_of, link_shared, remade, runtime_objects
from .python_library import import_library
from .targets import Target

sys.path.insert(0, str(BINDING))
from build_runtime import digest_source, wrapper

#: The files here that the modules depend on, besides the objects'.
MAKERS = ("modules.py", "pyconfig.h", "python_library.py")


def build_modules(target: Target) -> list[Path]:
    """Return the paths of _fused and _strict. Links them if an object, the wrapper or a version has changed."""
    folder = WORK / "modules" / target.name
    modules = [folder / f"_{profile}{target.suffix}" for profile in PROFILES]
    objects = {profile: runtime_objects(target, profile) for profile in PROFILES}
    files = [*(Path(__file__).with_name(name) for name in MAKERS), *(path for made in objects.values() for path in made)]
    with remade(folder, files, extension_digest(), repr(target), version("cffi"), sys.version) as stale:
        for profile, module in zip(PROFILES, modules) if stale else ():
            link(target, [*objects[profile], compile_wrapper(target, profile, folder)], module)
    return modules


def compile_wrapper(target: Target, profile: str, folder: Path) -> Path:
    """Compile what cffi writes, and return the object."""
    source, made = folder / f"_{profile}.c", folder / f"_{profile}.o"
    with redirect_stdout(StringIO()):  # cffi prints what it writes
        wrapper(profile, more_c=digest_source()).emit_c_code(str(source))
    includes = [f"-I{path}" for path in (*INCLUDES, THREADS, python_headers())]
    compile_all(target, [(source, [*flags_of(target, profile), "-DPy_LIMITED_API=0x030a0000", "-Os", *includes], made)])
    return made


def python_headers() -> Path:
    """Return a folder of this Python's headers with the configuration of any platform."""
    folder = WORK / "python-headers"
    if not (folder / "Python.h").exists():
        shutil.copytree(sysconfig.get_paths()["include"], folder, dirs_exist_ok=True)
    shutil.copy(Path(__file__).with_name("pyconfig.h"), folder)
    return folder


def link(target: Target, objects: list[Path], module: Path) -> None:
    """Link a module, which finds Python's functions in the process or, on Windows, in python3.dll."""
    libraries = [import_library(module.parent)] if target.windows else []
    link_shared(target, [*target.link, *objects, *libraries], module)
