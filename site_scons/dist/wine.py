"""Run a Python for Windows under wine.

No package has the embeddable Python. But Panda3D's wheels for Windows include CPython's own DLL and extension modules,
for use in games. This module adds the standard library of this Python, which is the same except for its patch level, a
python3.dll that only forwards to the DLL, and a program of one line that calls it.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import zipfile
from functools import cache
from pathlib import Path

from runtime_sources import INCLUDES, ROOT, THREADS, WARNING_FLAGS

from .commands import WORK, ZIG, Missing, python, run
from .foreign import install

PANDA3D = "panda3d==1.10.16"
FOLDER = WORK / "windows"
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
DLL = f"python{VERSION.replace('.', '')}"
#: Debian does not have the program in PATH.
WINE = shutil.which("wine64") or shutil.which("wine64", path="/usr/lib/wine")

MAIN = "int Py_Main(int argc, wchar_t **argv);\nint wmain(int argc, wchar_t **argv) { return Py_Main(argc, argv); }\n"


def run_wheel(wheel: Path, model: Path, steps: int, profile: str) -> str:
    """Train the wheel's twin, and return what it printed."""
    packages = install(wheel, FOLDER / "packages", VERSION, "win_amd64")
    program = Path(__file__).with_name("same_state.py")
    paths = [FOLDER / "Lib", packages, home()]
    (home() / f"{DLL}._pth").write_text("".join(f"{windows(path)}\n" for path in paths))
    return run_windows(home() / "python.exe", windows(program), windows(model), steps, profile)


def hammer_threads() -> str:
    """Compile the test of threads for Windows, run it, and return what it found. Raises Failed."""
    folder = FOLDER / "threads"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "hammer_threads.exe"
    sources = [ROOT / "tests" / "c" / "threads" / "hammer_threads.c", THREADS / "gm_threads.c"]
    flags = ["-O2", *WARNING_FLAGS, *(f"-I{path}" for path in (*INCLUDES, THREADS)), "-DGM_THREADS=1"]
    run([*ZIG, "cc", "-target", "x86_64-windows-gnu", *flags, *sources, "-o", program])
    return run_windows(program).strip()


def run_windows(*command: object, **environment: str) -> str:
    """Return what a program for Windows printed. Raises Missing and Failed."""
    if WINE is None:
        raise Missing("wine64")
    FOLDER.mkdir(parents=True, exist_ok=True)
    return run([WINE, *command], WORK, WINEPREFIX=str(FOLDER / "wine"), WINEDEBUG="-all", **environment)


def windows(path: Path) -> str:
    """Return a path as a program under wine sees it."""
    return "Z:" + str(path).replace(os.sep, "\\")


@cache
def home() -> Path:
    """Return a folder with python.exe and the files that it loads."""
    folder = FOLDER / "python"
    if not (folder / "python.exe").exists():
        folder.mkdir(parents=True, exist_ok=True)
        take_dlls(folder)
        standard = sysconfig.get_paths()["stdlib"]
        left_out = shutil.ignore_patterns("site-packages", "dist-packages", "test", "lib-dynload", "__pycache__")
        shutil.copytree(standard, FOLDER / "Lib", ignore=left_out, dirs_exist_ok=True)
        make_stable_dll(folder)
        make_program(folder)
    return folder


def take_dlls(folder: Path) -> None:
    """Fetch Panda3D's wheel and take Python's files from it."""
    options = ["--no-deps", "--platform", "win_amd64", "--python-version", VERSION, "--only-binary", ":all:"]
    python("-m", "pip", "download", "-q", *options, "-d", FOLDER, PANDA3D)
    with zipfile.ZipFile(next(FOLDER.glob("panda3d-*.whl"))) as wheel:
        for name in wheel.namelist():
            base = Path(name).name
            if name.startswith("deploy_libs/") and (base.startswith((DLL, "VCRUNTIME", "libffi")) or base.endswith(".pyd")):
                (folder / base).write_bytes(wheel.read(name))


def make_stable_dll(folder: Path) -> None:
    """Make python3.dll, which forwards its functions to the DLL of this version."""
    import lief

    parsed = lief.parse(str(folder / f"{DLL}.dll"))  # its entries live only as long as it does
    names = sorted(entry.name for entry in parsed.get_export().entries if entry.name.startswith(("Py", "_Py")))
    definitions, source, empty = folder / "python3.def", folder / "empty.c", folder / "empty.obj"
    definitions.write_text("\n".join(["LIBRARY python3.dll", "EXPORTS", *(f"{n}={DLL}.{n}" for n in names), ""]))
    source.write_text("\n")
    run([*ZIG, "cc", "-target", "x86_64-windows-gnu", "-c", source, "-o", empty])
    linked = ["/dll", "/noentry", "/machine:x64", f"/def:{definitions}", f"/out:{folder / 'python3.dll'}", empty]
    run([*ZIG, "lld-link", *linked])


def make_program(folder: Path) -> None:
    """Make python.exe."""
    definitions, library, source = folder / "main.def", folder / "libmain.a", folder / "main.c"
    definitions.write_text(f"LIBRARY {DLL}.dll\nEXPORTS\nPy_Main\n")
    run([*ZIG, "dlltool", "-m", "i386:x86-64", "-d", definitions, "-l", library])
    source.write_text(f"#include <wchar.h>\n{MAIN}")
    program = folder / "python.exe"
    run([*ZIG, "cc", "-target", "x86_64-windows-gnu", "-municode", source, library, "-o", program])
