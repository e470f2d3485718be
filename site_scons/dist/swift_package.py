"""The package for Swift: what Package.swift names, as an archive, and with the description for CocoaPods."""

from __future__ import annotations

import json
import re
from pathlib import Path

from amalgamate import version
from java_package import write_zip
from runtime_sources import ROOT

from .commands import OUT, Failed
from .published import URL

PODSPEC = ROOT / "Gradmote.podspec.json"
#: The folders and files of the archive.
PARTS = ("Package.swift", "LICENSE", "README.md", "runtime_c", "bindings/shared", "bindings/threads", "bindings/swift",
         "bindings/objc")  # fmt: skip
ENDINGS = (".c", ".h", ".m", ".md", ".modulemap", ".swift", "LICENSE", "SConscript")


def package() -> Path:
    """Make the archive of the sources, with Gradmote.podspec.json, and return its path."""
    paths = [path for part in PARTS for path in (sorted((ROOT / part).rglob("*")) or [ROOT / part])]
    files = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths if path.name.endswith(ENDINGS)}
    made = OUT / f"Gradmote-{version()}-swift.zip"
    write_zip(made, {f"Gradmote/{name}": content for name, content in (files | {PODSPEC.name: podspec()}).items()})
    return made


def podspec() -> bytes:
    """Return the description for CocoaPods, with the project's address if there is one. Raises Failed."""
    spec = json.loads(PODSPEC.read_text())
    if spec["version"] != version():
        raise Failed(f"{PODSPEC.name} has version {spec['version']}, not {version()}")
    if URL:
        spec |= {"homepage": URL, "source": {"git": URL, "tag": version()}}
    return (json.dumps(spec, indent=2) + "\n").encode()


def named_paths(package: str) -> list[str]:
    """Return the paths that a Package.swift names."""
    lists = re.findall(r'sources: \[(.*?)\]', package, re.DOTALL)
    single = re.findall(r'(?:path|publicHeadersPath): "(bindings.*?)"|headerSearchPath\("([a-z].*?)"\)', package)
    return [*(name for found in lists for name in re.findall(r'"(.*?)"', found)), *(a or b for a, b in single)]
