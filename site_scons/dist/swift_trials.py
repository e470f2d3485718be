"""Use the package for Swift as a project does, if there is a compiler; anywhere, compare it with what it names."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from runtime_sources import ROOT, host_machine

from .commands import WORK, Failed, Missing, run
from .compared import compared
from .swift_package import PODSPEC, named_paths

PROGRAM = ROOT / "tests" / "bindings" / "programs" / "SameState.swift"
FOLDER = WORK / "swift-trials"
PROJECT = """// swift-tools-version:5.5
import PackageDescription

let package = Package(
    name: "Trial",
    dependencies: [.package(name: "Gradmote", path: "../Gradmote")],
    targets: [.executableTarget(name: "SameState", dependencies: ["Gradmote"])]
)
"""


def planned(archive: Path) -> list[tuple[str, Callable[[], str]]]:
    """Return the trials of the package."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    shutil.unpack_archive(archive, FOLDER)
    folder = FOLDER / "Gradmote"
    return [
        ("paths of Package.swift", partial(has_its_paths, folder)),
        ("paths of the podspec", partial(has_its_pods_paths, folder)),
        ("swift build", partial(by_swift, folder)),
    ]


def has_its_paths(folder: Path) -> str:
    """Check that what Package.swift names is in the archive. Raises Failed."""
    paths = named_paths((folder / "Package.swift").read_text())
    lacking = [path for path in paths if not (folder / path).exists()]
    if lacking or not paths:
        raise Failed(f"Package.swift names {lacking or 'nothing'}, which the archive lacks")
    return f"{len(paths)} there"


def has_its_pods_paths(folder: Path) -> str:
    """Check that each pattern of the podspec matches, and that its C sources are Package.swift's. Raises Failed."""
    spec = json.loads((folder / PODSPEC.name).read_text())
    patterns = [*spec["source_files"], *spec["preserve_paths"], spec["public_header_files"]]
    empty = [pattern for pattern in patterns if not matches(folder, pattern)]
    taken = {path for pattern in spec["source_files"] for path in matches(folder, pattern) if path.suffix == ".c"}
    parts = [folder / path for path in named_paths((folder / "Package.swift").read_text())]
    wanted = {path for part in parts for path in (part.rglob("*.c") if part.is_dir() else [part])}
    wanted = {path for path in wanted if path.suffix == ".c"}
    if empty or taken != wanted:
        others = f"other C sources than Package.swift: {taken ^ wanted}"
        raise Failed(f"the podspec matches nothing by {empty}, and {others}")
    return f"{len(taken)} sources"


def matches(folder: Path, pattern: str) -> set[Path]:
    """Return the files that a pattern of CocoaPods matches: {a,b} has alternatives."""
    found = re.search(r"\{(.*?)\}", pattern)
    if found:
        return {path for part in found[1].split(",") for path in matches(folder, pattern.replace(found[0], part, 1))}
    return {path for path in folder.glob(pattern) if path.is_file()}


def by_swift(folder: Path) -> str:
    """Build a project that depends on the package, and train. The state is that of the profile of this processor."""
    build, project = builder(), FOLDER / "Trial"
    sources = project / "Sources" / "SameState"
    sources.mkdir(parents=True)
    (project / "Package.swift").write_text(PROJECT)
    shutil.copy(PROGRAM, sources / "main.swift")
    run([*build, "-c", "release"], project)
    return compared(partial(trained, project), ["fused" if host_machine() in ("arm64", "aarch64") else "strict"])


def builder() -> list[str]:
    """Return the command that builds a package. Debian has `swift-build` and no `swift`. Raises Missing."""
    if shutil.which("swift"):
        return ["swift", "build"]
    if shutil.which("swift-build"):
        return ["swift-build"]
    raise Missing("swift; Debian 13 has it in swiftlang")


def trained(project: Path, model: Path, steps: int, _profile: str) -> str:
    checkpoint = project / "state.gmck"
    run([project / ".build" / "release" / "SameState", model, steps, checkpoint])
    return hashlib.sha256(checkpoint.read_bytes()).hexdigest()
