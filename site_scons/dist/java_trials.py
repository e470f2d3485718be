"""Use the package for Maven as a project does: by javac and java, by Maven and by Gradle."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from amalgamate import version
from runtime_sources import ROOT

from .commands import WORK, Failed, Missing, run
from .compared import compared

PROGRAM = ROOT / "tests" / "bindings" / "programs" / "SameState.java"
FOLDER = WORK / "maven-trials"
#: The folder in which Debian has Maven's plugins, as a repository.
DEBIAN = Path("/usr/share/maven-repo")
COMPILER = "org.apache.maven.plugins:maven-compiler-plugin"

MAVEN_PROJECT = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>trial</groupId>
  <artifactId>trial</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>11</maven.compiler.release>
  </properties>
  <repositories>
    <repository>
      <id>published</id>
      <url>{repository}</url>
    </repository>
  </repositories>
  <dependencies>
    <dependency>
      <groupId>gradmote</groupId>
      <artifactId>gradmote</artifactId>
      <version>{version}</version>
    </dependency>
  </dependencies>
</project>
"""
MAVEN_SETTINGS = """<settings>
  <localRepository>{local}</localRepository>
  <mirrors>
    <mirror>
      <id>debian</id>
      <mirrorOf>central</mirrorOf>
      <url>{debian}</url>
    </mirror>
  </mirrors>
</settings>
"""
GRADLE_PROJECT = """apply plugin: 'java'
repositories {{ maven {{ url '{repository}' }} }}
dependencies {{ compile 'gradmote:gradmote:{version}' }}
task train(type: JavaExec) {{
    classpath = sourceSets.main.runtimeClasspath
    main = 'SameState'
    args = project.property('job').split(',') as List
}}
"""


def planned(archive: Path) -> list[tuple[str, Callable[[], str]]]:
    """Return the trials of the package for the JVM, or of Android's."""
    repository = unpacked(archive)
    if "android" in archive.name:
        return [("JVM with the x86_64 libraries", partial(compared, partial(on_jvm, repository)))]
    return [
        ("java", partial(compared, partial(by_java, repository))),
        ("java on an unknown platform", partial(is_refused, repository)),
        ("java with a changed library", partial(is_compared, repository)),
        ("Maven", partial(compared, partial(by_maven, repository))),
        ("Gradle", partial(compared, partial(by_gradle, repository))),
    ]


def unpacked(archive: Path) -> Path:
    """Unpack a repository into a folder of its own, and return it."""
    folder = FOLDER / archive.stem
    shutil.rmtree(folder, ignore_errors=True)
    shutil.unpack_archive(archive, folder / "repository")
    return folder / "repository"


def published(repository: Path, ending: str) -> Path:
    """Return the file of the only artifact that ends in `ending`. Raises Failed."""
    found = sorted(repository.rglob(f"*-{version()}{ending}"))
    if len(found) != 1:
        raise Failed(f"the repository has {len(found)} files that end in {ending}")
    return found[0]


def project(repository: Path, name: str) -> Path:
    """Return the folder of an empty project with the program."""
    folder = repository.parent / name
    shutil.rmtree(folder, ignore_errors=True)
    sources = folder / "src" / "main" / "java"
    sources.mkdir(parents=True)
    shutil.copy(PROGRAM, sources)
    return folder


def tool(name: str) -> str:
    """Return the path of a program. Raises Missing."""
    found = shutil.which(name)
    if found is None:
        raise Missing(name)
    return found


def compiled(repository: Path) -> tuple[Path, Path]:
    """Return the JAR, and a folder of the program's classes."""
    jar, folder = published(repository, ".jar"), repository.parent / "classes"
    run([tool("javac"), "--release", "11", "-cp", jar, "-d", folder, PROGRAM])
    return jar, folder


def by_java(repository: Path, *job: object) -> str:
    return run([tool("java"), "-Xcheck:jni", "-cp", joined(*compiled(repository)), "SameState", *job])


def joined(*paths: Path) -> str:
    return os.pathsep.join(map(str, paths))


def is_refused(repository: Path) -> str:
    """Check what a program reports on a platform that the JAR has no libraries for. Raises Failed."""
    said = refusal(joined(*compiled(repository)), "-Dos.name=Plan 9", "-Dos.arch=sparc")
    if "UnsatisfiedLinkError" not in said or "this is plan-sparc, and the JAR has libraries for [linux-" not in said:
        raise Failed(said)
    return "says what it has"


def is_compared(repository: Path) -> str:
    """Check that the class refuses a library that is not the one that the JAR was made with. Raises Failed."""
    jar, folder = compiled(repository)
    changed = repository.parent / "changed.jar"
    with zipfile.ZipFile(jar) as archive, zipfile.ZipFile(changed, "w") as copy:
        for name in archive.namelist():
            content = archive.read(name)
            copy.writestr(name, content + b"\0" if "libgradmote_jni" in name else content)
    said = refusal(joined(changed, folder))
    if "is not the file that the JAR was made with" not in said:
        raise Failed(said)
    return "refused"


def refusal(classpath: str, *options: str) -> str:
    """Return what the program reports when it cannot load the library. Raises Failed."""
    command = [tool("java"), *options, "-cp", classpath, "SameState", str(PROGRAM), "1", "fused"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=FOLDER)
    if done.returncode == 0:
        raise Failed(f"{' '.join(command)} succeeded")
    return done.stderr


def by_maven(repository: Path, *job: object) -> str:
    """Let Maven resolve the package, compile with it, and run the classes with the JAR that it resolved."""
    maven, plugins = tool("mvn"), DEBIAN / COMPILER.replace(".", "/").replace(":", "/")
    plugin = next(plugins.glob("3.1*.*"), None)
    if plugin is None:
        raise Missing("libmaven-compiler-plugin-java")
    folder = project(repository, "by-maven")
    local, settings = folder / "local", folder / "settings.xml"
    settings.write_text(MAVEN_SETTINGS.format(local=local, debian=DEBIAN.as_uri()))
    (folder / "pom.xml").write_text(MAVEN_PROJECT.format(repository=repository.as_uri(), version=version()))
    run([maven, "-q", "-B", "-s", settings, f"{COMPILER}:{plugin.name}:compile"], folder)
    classpath = joined(published(local / "gradmote", ".jar"), folder / "target" / "classes")
    return run([tool("java"), "-cp", classpath, "SameState", *job])


def by_gradle(repository: Path, *job: object) -> str:
    """Let Gradle resolve the package by its POM, compile with it and run."""
    gradle, folder = tool("gradle"), project(repository, "by-gradle")
    (folder / "build.gradle").write_text(GRADLE_PROJECT.format(repository=repository.as_uri(), version=version()))
    words = f"-Pjob={','.join(map(str, job))}"
    return run([gradle, "-q", "--offline", "--no-daemon", "-g", folder / "home", words, "train"], folder)


def on_jvm(repository: Path, *job: object) -> str:
    """Train on the JVM with the AAR's classes and x86_64 libraries, over empty ones of Android's names."""
    folder = repository.parent / "aar"
    shutil.unpack_archive(published(repository, ".aar"), folder, "zip")
    jar, classes = folder / "classes.jar", repository.parent / "classes"
    run([tool("javac"), "--release", "11", "-cp", jar, "-d", classes, PROGRAM])
    libraries = f"-Djava.library.path={folder / 'jni' / 'x86_64'}"
    empty = {"LD_LIBRARY_PATH": str(WORK / "android" / "android-x86_64")}
    return run([tool("java"), libraries, "-cp", joined(jar, classes), "SameState", *job], **empty)
