"""The runtime's objects for a target and a profile, compiled by ziglang's clang: Python's modules and libraries share them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from itertools import filterfalse
from pathlib import Path

from joined_sources import join
from runtime_sources import INCLUDES, RUNTIME, THREADS, extension_flags, extension_sources

from .commands import WORK, ZIG, run
from .targets import Target

JOBS = 2
#: Sources that kernels call, or that call kernels.
HOT = ("execute", "loops", "numerics", "split")
#: Export only the functions that are looked up; nothing unwinds C's stack. Windows has its own means for both.
SMALL = ("-g0", "-fPIC", "-fvisibility=hidden", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables")
#: The flags of a runtime with threads.
THREADED = ("-pthread", "-DGM_THREADS=1")


def runtime_objects(target: Target, profile: str) -> list[Path]:
    """Return the objects of the runtime and its threads. Compiles them if a source, a flag or zig has changed."""
    folder = WORK / "objects" / target.name / profile
    sources = extension_sources(target.machine)
    flags = [*flags_of(target, profile), *(f"-I{path}" for path in (*INCLUDES, THREADS))]
    files = [*sources, *RUNTIME.rglob("*.h"), *THREADS.glob("*.[ch]"), Path(__file__)]
    parts = {"hot": (filter(is_hot, sources), []), "rest": (filterfalse(is_hot, sources), ["-Os"])}
    with remade(folder, files, repr(target), *flags) as stale:
        if stale:
            jobs = [(join(found, folder / f"{part}.c"), [*flags, *level]) for part, (found, level) in parts.items()]
            threads = [(THREADS / "gm_threads.c", flags)] if target.threads else []
            compile_all(target, [(source, words, folder / f"{source.stem}.o") for source, words in (*jobs, *threads)])
    return sorted(folder.glob("*.o"))


def flags_of(target: Target, profile: str) -> list[str]:
    """Return the flags of setup.py, and those that hide names."""
    flags = [flag for flag in extension_flags(profile, target.machine) if target.threads or flag not in THREADED]
    return [*flags, *target.flags, *([] if target.windows else SMALL)]


def is_hot(source: Path) -> bool:
    """Return whether training spends its time in this source. The others are optimized for size."""
    return RUNTIME / "kernels" in source.parents or source.stem in HOT


def compile_all(target: Target, jobs: Iterable[tuple[Path, list[str], Path]]) -> None:
    """Compile sources with flags to objects."""

    def compile_one(job: tuple[Path, list[str], Path]) -> None:
        source, flags, made = job
        run([*ZIG, "cc", "-target", target.zig, *flags, "-c", source, "-o", made])

    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(compile_one, jobs))


class remade:
    """A folder that is emptied if it was made from other files or words than these; `stale` says so.

    The folder counts as made when the `with` block ends without an exception.
    """

    def __init__(self, folder: Path, files: Iterable[Path], *words: str) -> None:
        total = hashlib.sha256("\0".join([version("ziglang"), *words]).encode())
        for path in sorted(files):
            total.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
        self.folder, self.stamp, self.current = folder, folder / "made-of", total.hexdigest()

    def __enter__(self) -> bool:
        stale = not (self.stamp.exists() and self.stamp.read_text() == self.current)
        if stale:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
        return stale

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.stamp.write_text(self.current)


def link_shared(target: Target, words: Iterable[object], made: Path) -> None:
    """Link a shared library, without symbols for debuggers."""
    named = [f"-Wl,-install_name,@rpath/{made.name}"] if "macos" in target.zig else []
    run([*ZIG, "cc", "-target", target.zig, "-shared", "-s", *named, *words, "-o", made])
    if target.name.startswith("musl"):  # Android also has its library as libc.so
        name_of_musl(made, target.machine)


def name_of_musl(made: Path, machine: str) -> None:
    """Make a library load musl's by the name that distributions use, which zig does not know."""
    import lief

    parsed = lief.parse(str(made))
    for entry in parsed.dynamic_entries:
        if entry.tag == lief.ELF.DynamicEntry.TAG.NEEDED and entry.name == "libc.so":
            entry.name = f"libc.musl-{machine}.so.1"
    parsed.write(str(made))
