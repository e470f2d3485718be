"""Write gradmote.jar, with the native libraries of this computer, and gradmote.aar for Android."""

from __future__ import annotations

import platform
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path
from typing import Any

#: The oldest Java release for the classes; Android needs core library desugaring.
RELEASE = "11"


def find_jdk() -> Path | None:
    """Return the folder of a JDK with the headers of JNI, or None if there is none."""
    compiler = shutil.which("javac")
    folder = Path(compiler).resolve().parents[1] if compiler else None
    return folder if folder and (folder / "include" / "jni.h").exists() else None


def write_jar(target: Any, source: Any, env: Any) -> None:
    """Compile the .java sources, and pack their classes with the .so sources."""
    del env
    paths = [Path(str(path)) for path in source]
    with tempfile.TemporaryDirectory() as folder:
        compile_classes([path for path in paths if path.suffix == ".java"], Path(folder))
        natives = [path for path in paths if path.suffix == ".so"]
        pack(Path(str(target[0])), entries(Path(folder), natives))


def write_aar(target: Any, source: Any, env: Any) -> None:
    """Write an archive for Android: the manifest, classes.jar, and the libraries in a folder for each ABI."""
    del env
    paths = [Path(str(path)) for path in source]
    with tempfile.TemporaryDirectory() as folder:
        classes, jar = Path(folder) / "classes", Path(folder) / "classes.jar"
        compile_classes([path for path in paths if path.suffix == ".java"], classes)
        pack(jar, entries(classes, []))
        manifest = next(path for path in paths if path.suffix == ".xml")
        native = {f"jni/{path.parent.name}/{path.name}": path for path in paths if path.suffix == ".so"}
        pack(Path(str(target[0])), {"AndroidManifest.xml": manifest, "classes.jar": jar, **native})


def compile_classes(sources: list[Path], folder: Path) -> None:
    """Compile Java sources into a folder. Raises CalledProcessError."""
    command = ["javac", "-Xlint:all", "-Werror", "--release", RELEASE, "-d", str(folder)]
    subprocess.run([*command, *map(str, sources)], check=True)


def entries(classes: Path, natives: list[Path]) -> dict[str, Path]:
    """Return names in the archive -> files."""
    found = {path.relative_to(classes).as_posix(): path for path in sorted(classes.rglob("*.class"))}
    place = f"gradmote/natives/{platform.system().lower()}-{platform.machine()}"
    return found | {f"{place}/{path.name}": path for path in natives}


def pack(archive: Path, files: dict[str, Path]) -> None:
    """Write a reproducible zip archive of the files."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        for name, path in files.items():
            made.writestr(zipfile.ZipInfo(name), path.read_bytes(), zipfile.ZIP_DEFLATED)
