"""Objects of C sources, each compiled once for all tests: they are kept in build/objects, and reused if the compiler,
its flags, the source and all of its headers are unchanged."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from runtime_sources import INCLUDES, NUMERICS_FLAGS, RUNTIME, WARNING_FLAGS, host_profile_flags

from .firmware import run_scons

KEPT = Path(__file__).resolve().parents[2] / "build" / "objects"
#: Seconds for which an object is kept after its last use.
KEPT_FOR = 7 * 24 * 3600


def command_for_host(compiler: str, level: str, profile: str) -> list[str]:
    """Return the command that compiles the runtime for this computer, always the same so that objects are shared."""
    flags = [*NUMERICS_FLAGS, "-std=c11", *WARNING_FLAGS, *host_profile_flags(profile)]
    return [compiler, level, *flags, *(f"-I{path}" for path in INCLUDES)]


def host_library(profile: str) -> Path:
    """Return the runtime of the Python extension module, already compiled. Programs linked with it use its flags."""
    run_scons("host")
    return KEPT.parent / "host" / profile / "libgradmote.a"


def build(command: Sequence[str], sources: Iterable[Path], program: Path, *link_flags: str) -> None:
    """Compile and link. command: the compiler and the flags for both steps."""
    run([*command, *map(str, objects(command, sources)), *link_flags, "-o", str(program)])


def objects(command: Sequence[str], sources: Iterable[Path]) -> list[Path]:
    """Return the object of each source. command: the compiler and its flags. Raises AssertionError with its output."""
    KEPT.mkdir(parents=True, exist_ok=True)
    forget_unused()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda source: _known(tuple(command), source), sources))


@cache
def forget_unused() -> None:
    """Remove the objects that no test has used for a long time."""
    for kept in KEPT.glob("*.o"):
        if time.time() - kept.stat().st_mtime > KEPT_FOR:
            kept.with_suffix(".json").unlink(missing_ok=True)
            kept.unlink()


def run(command: Sequence[str]) -> str:
    """Run a command and return its standard output. Raises AssertionError if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return done.stdout


def has_library(compiler: str, *flags: str) -> bool:
    """Return whether the compiler's own library is installed, for 32 bits if a flag is -m32."""
    libgcc = Path(run([compiler, *flags, "-print-libgcc-file-name"]).strip())
    return libgcc.is_file() and ("-m32" not in flags or libgcc.parent.name == "32")  # else gcc names the 64-bit one


def _known(command: tuple[str, ...], source: Path) -> Path:
    """Return an object. The runtime's sources do not change during tests; others may include files a test writes."""
    return _object_of_runtime(command, source) if source.is_relative_to(RUNTIME) else _object(command, source)


@cache
def _object_of_runtime(command: tuple[str, ...], source: Path) -> Path:
    return _object(command, source)


def _object(command: Sequence[str], source: Path) -> Path:
    """Compile unless there is a current object. Processes that would compile the same source at once take turns."""
    found = KEPT / f"{source.stem}-{_digest(command, source)}.o"
    with source.open() as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not _is_current(found):
            made, named = found.with_suffix(".new"), found.with_suffix(".d")
            run([*command, "-MD", "-MF", str(named), "-c", str(source), "-o", str(made)])
            read = {name: _digest_of_file(Path(name)) for name in _prerequisites(named.read_text())}
            assert all(read.values()), f"{named} names files that are not there"
            named.unlink()
            found.with_suffix(".json").write_text(json.dumps(read))
            made.rename(found)
    found.touch()
    return found


def _digest(command: Sequence[str], source: Path) -> str:
    """Return a digest of compiler, flags and the source's path."""
    compiler = Path(shutil.which(command[0]) or command[0]).stat()
    flags = [flag for flag in command if not (source.is_relative_to(RUNTIME) and _is_foreign(flag))]
    parts = (compiler.st_mtime_ns, compiler.st_size, *flags, source)
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:32]


def _is_foreign(flag: str) -> bool:
    """Return whether a flag names a test's folder, whose headers the runtime never includes."""
    return flag.startswith("-I") and not Path(flag[2:]).is_relative_to(KEPT.parents[1])


def _is_current(found: Path) -> bool:
    """Return whether an object exists, and was compiled from the current files."""
    named = found.with_suffix(".json")
    if not found.exists() or not named.exists():
        return False
    return all(_digest_of_file(Path(path)) == digest for path, digest in json.loads(named.read_text()).items())


def _prerequisites(rule: str) -> list[str]:
    """Return the prerequisites in a make rule written by a compiler."""
    names = re.findall(r"(?:\\ |\S)+", rule.partition(": ")[2].replace("\\\n", " "))
    return [re.sub(r"\\([ #])", r"\1", name).replace("$$", "$") for name in names]


def _digest_of_file(path: Path) -> str:
    """Return a digest of a file's current contents, "" if it is gone."""
    return _digest_at(path, path.stat().st_mtime_ns) if path.exists() else ""


@cache
def _digest_at(path: Path, _time: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
