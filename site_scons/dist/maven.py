"""The package for Maven and Gradle: a repository in Maven's layout, as one archive.

It has the JAR with the native libraries of all targets, the POM, the sources and the documentation, with checksums.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

from amalgamate import version
from java_package import JAVA, RELEASE, compile_classes, entries, write_zip
from runtime_sources import ROOT

from .commands import OUT, WORK, Failed, run
from .libraries import glue_library, runtime_libraries
from .published import described
from .targets import TARGETS

FOLDER = WORK / "maven"
GROUP = "gradmote"
SOURCES = JAVA / "src" / "main" / "java"
#: The digests that a repository has beside each file: Maven Central asks for the first two.
DIGESTS: dict[str, Callable[..., hashlib._Hash]] = {"md5": hashlib.md5, "sha1": hashlib.sha1, "sha256": hashlib.sha256}


def package() -> Path:
    """Make the archive of the repository and return its path."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    name = f"gradmote-{version()}"
    files = {
        f"{name}.jar": jar(),
        f"{name}-sources.jar": zipped("sources", java_sources()),
        f"{name}-javadoc.jar": javadoc(),
        f"{name}.pom": pom("gradmote").encode(),
    }
    return repository(OUT / f"{name}-maven.zip", "gradmote", files)


def repository(made: Path, artifact: str, files: dict[str, bytes]) -> Path:
    """Write an archive with one version of an artifact, and return its path."""
    folder = f"{GROUP}/{artifact}/{version()}"
    sums = {
        f"{name}.{kind}": digest(content).hexdigest().encode()
        for name, content in files.items()
        for kind, digest in DIGESTS.items()
    }
    write_zip(made, {f"{folder}/{name}": content for name, content in sorted((files | sums).items())})
    return made


def jar() -> bytes:
    """Return the JAR of the classes and of all targets' libraries."""
    natives = {f"{t.name}/{made.name}": made for t in TARGETS for made in (*runtime_libraries(t), glue_library(t))}
    return zipped("jar", entries(classes(), natives))


def classes() -> Path:
    """Compile the classes, and return their folder."""
    folder = FOLDER / "classes"
    if not folder.exists():
        compile_classes(sorted(SOURCES.rglob("*.java")), folder)
    return folder


def java_sources() -> dict[str, bytes]:
    return {path.relative_to(SOURCES).as_posix(): path.read_bytes() for path in sorted(SOURCES.rglob("*.java"))}


def javadoc() -> bytes:
    """Return the JAR of the documentation, without the time at which it was made."""
    folder = FOLDER / "javadoc"
    options = ["-quiet", "-notimestamp", "-Xdoclint:none", "--release", RELEASE, "-encoding", "UTF-8", "-d", folder]
    run(["javadoc", *options, *sorted(SOURCES.rglob("*.java"))])
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return zipped("javadoc", {name: path.read_bytes() for name, path in files.items()})


def zipped(kind: str, files: dict[str, bytes]) -> bytes:
    """Return a JAR of files, with a manifest and the licence."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = ["Manifest-Version: 1.0", f"Implementation-Version: {version()}", "Automatic-Module-Name: gradmote", "", ""]
    first = {"META-INF/MANIFEST.MF": "\r\n".join(lines).encode(), "META-INF/LICENSE": (ROOT / "LICENSE").read_bytes()}
    made = FOLDER / f"{kind}.jar"
    write_zip(made, first | files)
    return made.read_bytes()


def pom(artifact: str, packaging: str = "jar", description: str = "") -> str:
    """Return the POM of an artifact: bindings/java/pom.xml with its name, its packaging and what it is. Raises Failed."""
    text = (JAVA / "pom.xml").read_text()
    if f"<version>{version()}</version>" not in text:
        raise Failed(f"bindings/java/pom.xml has another version than {version()}")
    changes = {"artifactId": artifact, "packaging": packaging, **({"description": description} if description else {})}
    return described(text, changes, "</project>", "  <url>{0}</url>\n  <scm>\n    <url>{0}</url>\n  </scm>\n")
