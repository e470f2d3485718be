"""Check packages for other languages: their descriptions, what their libraries load, and the size of each part."""

from __future__ import annotations

import hashlib
import io
import plistlib
import re
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .apple import PARTS, PROCESSORS
from .commands import Failed
from .maven import DIGESTS
from .targets import TARGETS

if TYPE_CHECKING:
    import lief

#: The maximum size of a package, in bytes.
LIMIT = 8_000_000
#: What libraries may load, by the platform that their path names.
LOADED = {
    "linux": r"libc\.so\.6|libm\.so\.6|libpthread\.so\.0|libdl\.so\.2|ld-linux-(x86-64\.so\.2|aarch64\.so\.1)",
    "musl": r"libc\.musl-x86_64\.so\.1",
    "win": r"kernel32\.dll|api-ms-win-crt-.*\.dll",
    "osx": r"/usr/lib/libSystem\.B\.dylib",
    "jni": r"libc\.so|libm\.so|libdl\.so",
}
#: The functions that libraries take from Android's C library.
OF_ANDROID = {"calloc", "dlopen", "dlsym", "fmaf", "free", "malloc", "memcmp", "memcpy", "memmove", "memset",
              "snprintf", "sqrtf", "strcmp", "strcpy", "strlen", "strncpy"}  # fmt: skip
#: The least alignment of segments: Android's pages may have 16 KB.
ANDROIDS_PAGE = 16384
#: What a POM of Maven Central and a description for NuGet must have.
OF_POM = ("groupId", "artifactId", "version", "packaging", "name", "description", "licenses")
OF_NUSPEC = ("id", "version", "authors", "description", "license", "readme", "dependencies")

Files = dict[str, bytes]


def audit(path: Path) -> str:
    """Return the results of the checks in a few words. Raises Failed."""
    if path.stat().st_size > LIMIT:
        raise Failed(f"{path.name} has {path.stat().st_size:,} bytes, more than {LIMIT:,}")
    checks: dict[str, Callable[[Files], str]] = {
        "-maven.zip": repository, ".nupkg": nuget, ".xcframework.zip": xcframework,
    }  # fmt: skip
    check = next((check for ending, check in checks.items() if path.name.endswith(ending)), None)
    return check(contents(path.read_bytes())) if check else ""


def contents(archive: bytes) -> Files:
    """Return the files of an archive. Raises Failed if one has another time than the first of 1980."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        if any(entry.date_time != (1980, 1, 1, 0, 0, 0) for entry in opened.infolist()):
            raise Failed("a file in the archive has a time")
        return {name: opened.read(name) for name in opened.namelist()}


def repository(files: Files) -> str:
    """Check a repository of Maven: checksums, the POM, and the libraries of the JAR or AAR."""
    for name, content in files.items():
        stem, _, kind = name.rpartition(".")
        if kind in DIGESTS and DIGESTS[kind](files[stem]).hexdigest().encode() != content:
            raise Failed(f"{name} is not the checksum of {stem}")
    description = next(name for name in files if name.endswith(".pom"))
    has_elements(files[description], OF_POM)
    archive = next(name for name in files if re.search(r"-[\d.]+\.(jar|aar)$", name))
    inside = contents(files[archive])
    check = android_libraries if archive.endswith(".aar") else jar_libraries
    return f"POM, checksums; {check(inside)}; {archive.rpartition('/')[2]} has {len(files[archive]):,} bytes"


def has_elements(description: bytes, names: tuple[str, ...]) -> None:
    """Check that an XML description has these elements, and each has something in it. Raises Failed."""
    try:
        root = ElementTree.fromstring(description)
    except ElementTree.ParseError as error:
        raise Failed(f"a description is not XML: {error}") from error
    found = {element.tag.rpartition("}")[2] for element in root.iter() if (element.text or "").strip() or len(element)}
    if lacking := sorted(set(names) - found):
        raise Failed(f"a description lacks {', '.join(lacking)}")


def jar_libraries(files: Files) -> str:
    """Check that the JAR has the libraries of all targets, each with its digest."""
    place = "gradmote/natives/"
    digests = dict(reversed(line.split("  ")) for line in files[f"{place}digests"].decode().splitlines())
    for target in TARGETS:
        for name in ("gradmote_jni", "gradmote_fused", "gradmote_strict"):
            packed = f"{target.name}/{target.library(name)}"
            if hashlib.sha256(files[place + packed]).hexdigest() != digests.get(packed):
                raise Failed(f"{packed} is not the file in digests")
            loads(target.rid.replace("linux-musl", "musl"), packed, files[place + packed])
    return f"libraries of {len(TARGETS)} platforms"


def nuget(files: Files) -> str:
    """Check the package for NuGet: the description, the assembly, and the libraries of all targets."""
    has_elements(files["Gradmote.nuspec"], OF_NUSPEC)
    assembly = files["lib/netstandard2.0/Gradmote.dll"]
    if b"netstandard" not in assembly or b"mscorlib" in assembly:
        raise Failed("the assembly refers to something else than netstandard")
    sizes = []
    for target in TARGETS:
        libraries = [target.library(f"gradmote_{profile}") for profile in ("fused", "strict")]
        names = [f"runtimes/{target.rid}/native/{library}" for library in libraries]
        for name in names:
            loads(target.rid.replace("linux-musl", "musl"), name, files[name])
        sizes.append(f"{target.rid} {sum(len(files[name]) for name in names):,}")
    return f"nuspec, netstandard 2.0; unpacked: {', '.join(sizes)} bytes"


def loads(platform: str, name: str, content: bytes) -> None:
    """Check what a library loads. Raises Failed."""
    import lief

    parsed = parse(name, content)
    allowed = re.compile(LOADED[platform.partition("-")[0]], re.IGNORECASE)
    loaded = parsed.imports if isinstance(parsed, lief.PE.Binary) else parsed.libraries
    names = [entry if isinstance(entry, str) else str(entry.name) for entry in loaded]
    own = name.rpartition("/")[2]
    strange = [entry for entry in names if not allowed.fullmatch(entry) and entry != f"@rpath/{own}"]
    if strange:
        raise Failed(f"{name} loads {strange}")


def parse(name: str, content: bytes) -> lief.Binary:
    import lief

    lief.logging.disable()  # it complains about fields that zig leaves empty
    parsed = lief.parse(list(content))
    if parsed is None:
        raise Failed(f"{name} is not a library")
    return parsed


def android_libraries(files: Files) -> str:
    """Check that libraries take only known functions, of Android's C library, and fit pages of 16 KB."""
    import lief

    libraries = {name: content for name, content in files.items() if name.endswith(".so")}
    for name, content in libraries.items():
        loads("jni", name, content)
        parsed = parse(name, content)
        taken = {str(symbol.name) for symbol in parsed.imported_symbols if symbol.name}
        aligned = [segment.alignment for segment in parsed.segments if segment.type == lief.ELF.Segment.TYPE.LOAD]
        if not taken <= OF_ANDROID or min(aligned) < ANDROIDS_PAGE:
            raise Failed(f"{name} takes {sorted(taken - OF_ANDROID)} and is aligned to {min(aligned)}")
    if {"AndroidManifest.xml", "classes.jar", "R.txt", "proguard.txt"} - set(files) or len(libraries) != 6:
        raise Failed(f"the AAR has {sorted(files)}")
    return f"{len(libraries)} libraries for Android"


def xcframework(files: Files) -> str:
    """Check that Info.plist names the libraries, that these are for its processors, and that headers are there."""
    root = "CGradmote.xcframework"
    sizes = []
    for entry in plistlib.loads(files[f"{root}/Info.plist"])["AvailableLibraries"]:
        folder = f"{root}/{entry['LibraryIdentifier']}"
        library = files[f"{folder}/{entry['LibraryPath']}"]
        wanted = [PROCESSORS[name][0] for name in entry["SupportedArchitectures"]]
        if processors(library) != wanted or f"{folder}/{entry['HeadersPath']}/module.modulemap" not in files:
            raise Failed(f"{folder} is not for {entry['SupportedArchitectures']}, or has no module")
        sizes.append(f"{entry['LibraryIdentifier']} {len(library):,}")
    if len(sizes) != len(PARTS):
        raise Failed(f"Info.plist has {sizes}")
    return f"Info.plist; unpacked: {', '.join(sizes)} bytes"


def processors(library: bytes) -> list[int]:
    """Return the types of the processors that a static library is for, in their order."""
    if library[:4] != b"\xca\xfe\xba\xbe":
        return [processor(library)]
    count = int.from_bytes(library[4:8], "big")
    entries = [library[8 + 20 * i : 28 + 20 * i] for i in range(count)]
    starts = [int.from_bytes(entry[8:12], "big") for entry in entries]
    return [processor(library[start:]) for start in starts]


def processor(archive: bytes) -> int:
    """Return the type of the processor of the first object of an archive."""
    if not archive.startswith(b"!<arch>\n"):
        raise Failed("a static library is not an archive")
    at = archive.find(b"\xcf\xfa\xed\xfe")
    return int.from_bytes(archive[at + 4 : at + 8], "little")
