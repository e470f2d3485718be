"""Write gradmote.jar, with the native libraries of this computer, and gradmote.aar for Android."""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runtime_sources import HANDLES, ROOT, RUNTIME

JAVA = ROOT / "bindings" / "java"
#: The oldest Java release for the classes; Android needs core library desugaring.
RELEASE = "11"


def find_jdk() -> Path | None:
    """Return the folder of a JDK with the headers of JNI, or None if there is none."""
    compiler = shutil.which("javac")
    folder = Path(compiler).resolve().parents[1] if compiler else None
    return folder if folder and (folder / "include" / "jni.h").exists() else None


def glue_sources() -> list[Path]:
    """Return the C sources of gradmote_jni, the library that the VM calls: the methods, and the texts of errors."""
    texts = [RUNTIME / "generated" / "gm_errors.c", HANDLES / "generated" / "gm_handle_errors.c"]
    return [JAVA / "jni" / "gradmote_jni.c", *texts]


def write_jar(target: Any, source: Any, env: Any) -> None:
    """Compile the .java sources, and pack their classes with the .so sources."""
    del env
    paths = [Path(str(path)) for path in source]
    with tempfile.TemporaryDirectory() as folder:
        compile_classes([path for path in paths if path.suffix == ".java"], Path(folder))
        natives = [path for path in paths if path.suffix == ".so"]
        here = f"{platform.system().lower().replace('darwin', 'macos')}-{platform.machine()}"
        packed = entries(Path(folder), {f"{here}/{path.name}": path for path in natives})
        write_zip(Path(str(target[0])), packed)


def write_aar(target: Any, source: Any, env: Any) -> None:
    """Write an archive for Android: the manifest, classes.jar, and the libraries in a folder for each ABI."""
    del env
    paths = [Path(str(path)) for path in source]
    with tempfile.TemporaryDirectory() as folder:
        classes, jar = Path(folder) / "classes", Path(folder) / "classes.jar"
        compile_classes([path for path in paths if path.suffix == ".java"], classes)
        write_zip(jar, entries(classes, {}))
        manifest = next(path for path in paths if path.suffix == ".xml")
        native = {f"jni/{path.parent.name}/{path.name}": path for path in paths if path.suffix == ".so"}
        files = {"AndroidManifest.xml": manifest, "classes.jar": jar, **native}
        write_zip(Path(str(target[0])), {name: path.read_bytes() for name, path in files.items()})


def compile_classes(sources: list[Path], folder: Path) -> None:
    """Compile Java sources into a folder. Raises CalledProcessError."""
    command = ["javac", "-Xlint:all", "-Werror", "--release", RELEASE, "-d", str(folder)]
    subprocess.run([*command, *map(str, sources)], check=True)


def entries(classes: Path, natives: Mapping[str, Path]) -> dict[str, bytes]:
    """Return names in the archive -> contents.

    natives: platform/name -> library. The class Library compares each with its SHA-256 in the file digests.
    """
    found = {path.relative_to(classes).as_posix(): path.read_bytes() for path in sorted(classes.rglob("*.class"))}
    libraries = {name: path.read_bytes() for name, path in natives.items()}
    digests = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in libraries.items())
    packed = libraries | ({"digests": digests.encode()} if libraries else {})
    return found | {f"gradmote/natives/{name}": content for name, content in packed.items()}


def write_zip(archive: Path, files: Mapping[str, bytes]) -> None:
    """Write a zip archive: the same files, in the same order, make the same bytes."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            made.writestr(entry, content)
