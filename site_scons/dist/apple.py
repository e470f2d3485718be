"""The XCFramework of the C interface, experimental: nobody has linked it on a Mac. It is made without Apple's SDK.

It has a static library for each platform, of the profile that Package.swift has there: fused on arm64, otherwise strict.
"""

from __future__ import annotations

import plistlib
import struct
from pathlib import Path

from amalgamate import version
from java_package import write_zip
from runtime_sources import HANDLES, RUNTIME, handle_sources

from .commands import OUT, WORK, ZIG, run
from .libraries import handle_flags
from .objects import compile_all, remade, runtime_objects
from .targets import TARGETS, Target

FOLDER = WORK / "apple"
#: zig has the headers of macOS's C library, which it does not offer for iOS; what the runtime takes of them is the same.
DARWIN = ("-isystem", str(Path(ZIG[0]).parent / "lib" / "libc" / "include" / "any-darwin-any"))
ON_MACOS = [target for target in TARGETS if "macos" in target.zig]
ON_IOS = [Target("ios-arm64", "aarch64-ios.13.0", "arm64", flags=DARWIN)]
SIMULATED = [
    Target("ios-arm64-simulator", "aarch64-ios.13.0-simulator", "arm64", flags=DARWIN),
    Target("ios-x86_64-simulator", "x86_64-ios.13.0-simulator", "x86_64", flags=DARWIN),
]
#: The folder of each library -> its targets, the platform and its variant.
PARTS = {
    "ios-arm64": (ON_IOS, "ios", ""),
    "ios-arm64_x86_64-simulator": (SIMULATED, "ios", "simulator"),
    "macos-arm64_x86_64": (ON_MACOS, "macos", ""),
}
NAME = "libCGradmote.a"
MODULE = 'module CGradmote {\n    header "bindings/shared/gm_handle.h"\n    export *\n}\n'
#: Mach-O's numbers of processors: their type and subtype.
PROCESSORS = {"arm64": (0x0100000C, 0), "x86_64": (0x01000007, 3)}
#: The logarithm of the alignment of an archive in a file for several processors.
ALIGNMENT = 3


def package() -> Path:
    """Make the archive of the XCFramework and return its path."""
    framework = "CGradmote.xcframework"
    files = {f"{framework}/Info.plist": plistlib.dumps(description())}
    for folder, (targets, _, _) in PARTS.items():
        files[f"{framework}/{folder}/{NAME}"] = library(targets)
        files |= {f"{framework}/{folder}/Headers/{name}": content for name, content in headers().items()}
    made = OUT / f"CGradmote-{version()}-experimental.xcframework.zip"
    write_zip(made, files)
    return made


def description() -> dict[str, object]:
    """Return Info.plist."""
    libraries = [
        {
            "LibraryIdentifier": folder,
            "LibraryPath": NAME,
            "HeadersPath": "Headers",
            "SupportedArchitectures": [target.machine for target in targets],
            "SupportedPlatform": platform,
            **({"SupportedPlatformVariant": variant} if variant else {}),
        }
        for folder, (targets, platform, variant) in PARTS.items()
    ]
    return {"AvailableLibraries": libraries, "CFBundlePackageType": "XFWK", "XCFrameworkFormatVersion": "1.0"}


def headers() -> dict[str, bytes]:
    """Return the headers by the paths under which they include each other, and the module of C."""
    root = RUNTIME.parent
    found = [HANDLES / "gm_handle.h", *(HANDLES / "generated").glob("*.h")]
    found += [*(RUNTIME / "include").glob("*.h"), *(RUNTIME / "generated").glob("*.h")]
    texts = {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(found)}
    return {"module.modulemap": MODULE.encode(), **texts}


def library(targets: list[Target]) -> bytes:
    """Return a static library for one processor or several."""
    archives = [(PROCESSORS[target.machine], archive(target).read_bytes()) for target in targets]
    return archives[0][1] if len(archives) == 1 else universal(archives)


def universal(archives: list[tuple[tuple[int, int], bytes]]) -> bytes:
    """Return a file for several processors. archives: type and subtype of each, and the file for it."""
    head, body = struct.pack(">II", 0xCAFEBABE, len(archives)), b""
    start = 8 + 20 * len(archives)
    for (kind, subkind), content in archives:
        body += bytes(-(start + len(body)) % 2**ALIGNMENT)
        head += struct.pack(">iiIII", kind, subkind, start + len(body), len(content), ALIGNMENT)
        body += content
    return head + body


def archive(target: Target) -> Path:
    """Return the static library of a target: the runtime and gm_handle.h's functions."""
    profile = "fused" if target.machine == "arm64" else "strict"
    flags, objects = handle_flags(target, profile), runtime_objects(target, profile)
    folder = FOLDER / target.name
    made, own = folder / NAME, [folder / f"{source.stem}.o" for source in handle_sources()]
    with remade(folder, [*objects, *HANDLES.rglob("*.[ch]"), Path(__file__)], *flags) as stale:
        if stale:
            compile_all(target, [(source, flags, to) for source, to in zip(handle_sources(), own, strict=True)])
            run([*ZIG, "ar", "rcsD", made, *own, *objects])
    return made
