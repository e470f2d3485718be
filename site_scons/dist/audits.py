"""Check products with twine, auditwheel and abi3audit, and the libraries that macOS and Windows modules load."""

from __future__ import annotations

import re
import sys
import zipfile
from pathlib import Path

import lief

from . import package_audits
from .commands import MUSL, WORK, Failed, python, run
from .wheels import PACKAGE

#: The maximum size of a wheel with the runtime, in bytes.
LIMIT = 1_500_000
#: The libraries that modules may link to: Windows' own, and Python's of any version.
OF_WINDOWS = re.compile(r"python3\.dll|kernel32\.dll|api-ms-win-crt-.*\.dll", re.IGNORECASE)
OF_MACOS = ("/usr/lib/libSystem.B.dylib",)
MACOS = (11, 0)


def audit(path: Path) -> str:
    """Return the results of the checks in a few words. Raises Failed."""
    if path.suffix in (".zip", ".nupkg", ".pack"):
        return package_audits.audit(path) or "-"
    found = [] if path.suffix == ".tgz" or "platformio" in path.name else [twine(path)]
    if "abi3" in path.name:
        found += [size(path), abi3(path)]
    if "linux" in path.name:
        found.append(auditwheel(path))
    if "macosx" in path.name or "win_" in path.name:
        found += sorted({libraries(module) for module in modules_of(path)})
    return ", ".join(found) or "-"


def twine(path: Path) -> str:
    python("-m", "twine", "check", "--strict", path)
    return "twine"


def size(path: Path) -> str:
    if path.stat().st_size > LIMIT:
        raise Failed(f"{path.name} has {path.stat().st_size:,} bytes, more than {LIMIT:,}")
    return f"under {LIMIT / 1e6} MB"


def abi3(path: Path) -> str:
    run([Path(sys.executable).with_name("abi3audit"), "--strict", path], XDG_CACHE_HOME=str(WORK / "cache"))
    return "abi3audit"


def auditwheel(path: Path) -> str:
    """Check that the oldest system that auditwheel reports is that of the tag."""
    libraries = {"LD_LIBRARY_PATH": str(MUSL)} if "musl" in path.name else {}  # otherwise it finds glibc's libc.so
    said = " ".join(python("-m", "auditwheel", "show", path, **libraries).split())
    tag = next(iter(re.findall(r'following platform tag: "?([\w]+)"?', said)), "none")
    if tag not in path.name:
        raise Failed(f"auditwheel takes {path.name} for {tag}:\n{said}")
    return f"auditwheel {tag}"


def modules_of(path: Path) -> list[Path]:
    """Unpack the modules of a wheel and return their paths."""
    folder = WORK / "audit" / path.stem
    with zipfile.ZipFile(path) as wheel:
        names = [name for name in wheel.namelist() if name.startswith(f"{PACKAGE}/_") and not name.endswith(".py")]
        return [Path(wheel.extract(name, folder)) for name in names]


def libraries(module: Path) -> str:
    """Check which libraries a module of macOS or Windows loads."""
    lief.logging.disable()  # it complains about fields that zig leaves empty
    parsed = lief.parse(str(module))
    if isinstance(parsed, lief.PE.Binary):
        return windows_libraries(parsed, module.name)
    return macos_libraries(parsed, module.name)


def windows_libraries(parsed: lief.PE.Binary, name: str) -> str:
    strange = [library.name for library in parsed.imports if not OF_WINDOWS.fullmatch(str(library.name))]
    exports = [entry.name for entry in parsed.get_export().entries]
    if strange or f"PyInit_{Path(name).stem}" not in exports:
        raise Failed(f"{name} loads {strange} and exports {exports}")
    return "loads python3.dll"


def macos_libraries(parsed: lief.MachO.Binary, name: str) -> str:
    """Check the oldest macOS, the libraries, and that the process provides undefined Python names."""
    oldest = tuple(parsed.build_version.minos[:2])
    strange = [library.name for library in parsed.libraries if library.name not in (*OF_MACOS, f"@rpath/{name}")]
    signed = parsed.has_code_signature or parsed.header.cpu_type != lief.MachO.Header.CPU_TYPE.ARM64  # else not loaded
    if oldest != MACOS or strange or not signed:
        raise Failed(f"{name} is for macOS {oldest}, loads {strange}, signed: {signed}")
    return f"macOS {oldest[0]}.{oldest[1]}, loads libSystem"
