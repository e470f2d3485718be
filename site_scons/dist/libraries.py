"""The shared libraries of a target for other languages: the runtime in both profiles, and the glue of Java."""

from __future__ import annotations

from pathlib import Path

from java_package import JAVA, find_jdk, glue_sources
from runtime_sources import HANDLES, INCLUDES, PROFILES, THREADS, WARNING_FLAGS, handle_sources

from .commands import WORK, Missing
from .objects import SMALL, compile_all, link_shared, remade, runtime_objects
from .targets import Target

#: The flags of bindings/shared/SConscript: code that checks the CPU must run on any.
FLAGS = ("-std=c99", "-O2", *WARNING_FLAGS)


def runtime_libraries(target: Target, *system: object) -> list[Path]:
    """Return the paths of the target's libgradmote_fused and libgradmote_strict. system: what else they are linked with."""
    return [runtime_library(target, profile, *system) for profile in PROFILES]


def runtime_library(target: Target, profile: str, *system: object) -> Path:
    """Link the runtime of a profile, which exports the functions of gm_handle.h alone."""
    name, flags = f"gradmote_{profile}", handle_flags(target, profile)
    return library(target, name, handle_sources(), flags, runtime_objects(target, profile), *system)


def handle_flags(target: Target, profile: str) -> list[str]:
    """Return the flags of gm_handle.c."""
    threads = ["-DGM_THREADS=1"] if target.threads else []
    return [*own_flags(target, INCLUDES, [THREADS, HANDLES]), *threads, f"-DGM_FUSED={int(profile == 'fused')}"]


def glue_library(target: Target, *system: object) -> Path:
    """Link the functions that the Java VM calls. Raises Missing."""
    jdk = find_jdk()
    if jdk is None:
        raise Missing("javac")
    # jni.h is alike everywhere; jni_md.h of Linux also fits macOS.
    machine = JAVA / "jni" / "windows" if target.windows else jdk / "include" / "linux"
    flags = own_flags(target, INCLUDES[:1], [HANDLES, machine, jdk / "include"])
    return library(target, "gradmote_jni", glue_sources(), flags, [], *(system or ["-ldl"] * ("linux" in target.zig)))


def own_flags(target: Target, *includes: list[Path]) -> list[str]:
    folders = [f"-I{path}" for paths in includes for path in paths]
    return [*FLAGS, *target.flags, *([] if target.windows else SMALL), *folders]


def library(
    target: Target, name: str, sources: list[Path], flags: list[str], objects: list[Path], *system: object
) -> Path:
    """Compile sources and link them with objects, unless nothing has changed. Returns the library."""
    folder = WORK / "libraries" / target.name / name
    made = folder / target.library(name)
    headers = [path for part in (HANDLES, JAVA, *INCLUDES) for path in part.rglob("*.h")]
    makers = [Path(__file__), Path(__file__).with_name("objects.py")]
    words = [*flags, *map(str, system)]
    with remade(folder, [*sources, *headers, *objects, *makers], repr(target), *words) as stale:
        if stale:
            own = [folder / f"{source.stem}.o" for source in sources]
            compile_all(target, [(source, flags, to) for source, to in zip(sources, own, strict=True)])
            named = [f"-Wl,-soname,{made.name}"] if "linux" in target.zig else []
            link_shared(target, [*named, *own, *objects, *system], made)
    return made
