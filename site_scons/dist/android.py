"""The archive for Android, experimental: nobody has loaded it on Android. It is made without Android's NDK.

Its libraries are compiled with musl's headers. They share no struct with the C library, because the runtime has no
threads there, and they take a dozen functions by name from Android's libc.so, libm.so and libdl.so. Empty libraries of
these names stand in for them when the libraries are linked.
"""

from __future__ import annotations

from pathlib import Path

from amalgamate import version
from java_package import JAVA, entries, write_zip

from . import maven
from .commands import OUT, WORK, ZIG, run
from .libraries import glue_library, runtime_libraries
from .targets import Target

#: ABI -> target.
ABIS = {
    "arm64-v8a": Target("android-arm64", "aarch64-linux-musl", "aarch64", threads=False, flags=("-mno-outline-atomics",)),
    "x86_64": Target("android-x86_64", "x86_64-linux-musl", "x86_64", threads=False),
}
#: Android 15 may have pages of 16 KB.
LINK = ("-nostdlib", "-Wl,-z,max-page-size=16384", "-Wl,--no-as-needed")
STANDS_FOR = ("c", "m", "dl")
ABOUT = "Gradmote for Android, experimental: never loaded on a device"
#: The VM finds native methods, and the libraries the exception, by their names.
KEPT = b"-keep class gradmote.** { *; }\n"


def package() -> Path:
    """Make a repository in Maven's layout with the AAR, and return its path."""
    name = f"gradmote-android-{version()}"
    files = {f"{name}.aar": aar(), f"{name}.pom": maven.pom("gradmote-android", "aar", ABOUT).encode()}
    return maven.repository(OUT / f"{name}-experimental-maven.zip", "gradmote-android", files)


def aar() -> bytes:
    """Return the archive: the manifest, the classes, what R8 must keep, and the libraries of each ABI."""
    natives = {f"jni/{abi}/{made.name}": made.read_bytes() for abi, target in ABIS.items() for made in libraries(target)}
    files = {
        "AndroidManifest.xml": (JAVA / "AndroidManifest.xml").read_bytes(),
        "classes.jar": maven.zipped("android-classes", entries(maven.classes(), {})),
        "proguard.txt": KEPT,
        "R.txt": b"",
    }
    made = WORK / "maven" / "gradmote.aar"
    write_zip(made, files | natives)
    return made.read_bytes()


def libraries(target: Target) -> list[Path]:
    """Return the glue, and the runtime in both profiles."""
    system = (*LINK, *empty_libraries(target))
    return [glue_library(target, *system), *runtime_libraries(target, *system)]


def empty_libraries(target: Target) -> list[Path]:
    """Make empty libraries with the names of Android's."""
    folder = WORK / "android" / target.name
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "empty.c"
    source.write_text("typedef int gm_nothing;\n")
    made = [folder / f"lib{name}.so" for name in STANDS_FOR]
    for path in made:
        named = f"-Wl,-soname,{path.name}"
        run([*ZIG, "cc", "-target", target.zig, "-shared", "-nostdlib", named, source, "-o", path])
    return made
