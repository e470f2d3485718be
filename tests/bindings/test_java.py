"""The package for Java and Kotlin: states equal the twin's, refusals are exceptions, and the examples learn."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from bindings import same_state
from bindings.digits import accuracy, check_export, check_properties, code_lines, digits_folder, images
from bindings.java import JAR, PROGRAMS, ROWS, jar, run_java
from bindings.row import Row
from support.firmware import ROOT, run_scons

JAVA = ROOT / "bindings" / "java"
pytestmark = pytest.mark.skipif(shutil.which("javac") is None, reason="apt-get install default-jdk-headless")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.profile)
def test_the_state_is_the_twins(row: Row, tmp_path: Path) -> None:
    assert row.run(same_state.write_model(tmp_path), 30) == same_state.expected(row.profile, 30)


def test_what_a_program_gets_wrong_is_an_exception(tmp_path: Path) -> None:
    """Checks.java has wrong data, closed sessions, two threads, and onnxruntime's classes; JNI checks each call."""
    done = run_java(PROGRAMS / "Checks.java", *map(str, images(tmp_path)))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "131 passed, 0 failed\n"
    check_export(tmp_path)
    check_properties(tmp_path)


def test_the_example_learns_digits(tmp_path: Path) -> None:
    folder = digits_folder(tmp_path)
    done = run_java(JAVA / "examples" / "TrainDigits.java", str(folder))
    assert done.returncode == 0, done.stderr
    assert accuracy(done.stdout) > 0.94
    assert (folder / "learned.gmck").read_bytes()[:4] == b"GMCK"


def test_the_example_in_kotlin_learns_digits(tmp_path: Path) -> None:
    if shutil.which("kotlinc") is None:
        pytest.skip("apt-get install kotlin")
    command = ["kotlin", "-cp", f"{jar()}{os.pathsep}{kotlin_classes()}", "TrainDigitsKt"]
    folder = digits_folder(tmp_path, accumulate=True)
    done = subprocess.run([*command, str(folder)], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert accuracy(done.stdout) > 0.94


def kotlin_classes() -> Path:
    """Compile the example, or take what an earlier test made of the same source and package."""
    source = JAVA / "examples" / "TrainDigits.kt"
    kept = ROOT / "build" / "kotlin" / hashlib.sha256(source.read_bytes() + jar().read_bytes()).hexdigest()[:16]
    if not (kept / "TrainDigitsKt.class").exists():
        command = ["kotlinc", "-jvm-target", "1.8", "-cp", str(JAR), str(source), "-d", str(kept)]
        subprocess.run(command, capture_output=True, check=True, timeout=300)
    return kept


def test_the_package_has_its_native_libraries() -> None:
    names = [Path(name).name for name in zipfile.ZipFile(jar()).namelist()]
    assert {"Session.class", "libgradmote_jni.so", "libgradmote_fused.so", "libgradmote_strict.so"} <= set(names)


@pytest.mark.skipif("GRADMOTE_ANDROID" not in os.environ, reason="of the nightly run: it compiles for two ABIs")
def test_the_archive_for_android(tmp_path: Path) -> None:
    """Its libraries need Android's C library, by its name and by names that it exports; nothing is of glibc."""
    run_scons("android")
    archive = zipfile.ZipFile(ROOT / "build" / "android" / "gradmote.aar")
    archive.extractall(tmp_path)
    assert {"AndroidManifest.xml", "classes.jar"} <= set(archive.namelist())
    native = sorted(tmp_path.glob("jni/*/*.so"))
    assert [path.name for path in native] == 2 * ["libgradmote_fused.so", "libgradmote_jni.so", "libgradmote_strict.so"]
    for path in native:
        reported = subprocess.run(
            ["readelf", "-dW", "--dyn-syms", path], capture_output=True, text=True, check=True
        ).stdout
        assert set(re.findall(r"NEEDED.*\[(.*)\]", reported)) <= {"libc.so", "libdl.so", "libm.so"}
        assert "GLIBC" not in reported
        assert undefined(reported) <= OF_ANDROID
    for row in ROWS:
        assert digest_of_archive(tmp_path, row.profile) == same_state.expected(row.profile, 30)


def digest_of_archive(folder: Path, profile: str) -> str:
    """Train on the JVM with the archive's classes and its libraries for x86_64, over empty ones of Android's names."""
    model = same_state.write_model(folder)
    java = ["java", f"-Djava.library.path={folder / 'jni' / 'x86_64'}", "-cp", str(folder / "classes.jar")]
    command = [*java, str(PROGRAMS / "SameState.java"), str(model), "30", profile]
    environment = {**os.environ, "LD_LIBRARY_PATH": str(ROOT / "build" / "android" / "empty" / "x86_64")}
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300, env=environment)
    return done.stdout.split()[-1]


#: The functions that the libraries take of Android's C library.
OF_ANDROID = {"calloc", "dlopen", "dlsym", "fmaf", "free", "malloc", "memcmp", "memcpy", "memmove", "memset",
              "snprintf", "sqrtf", "strcmp", "strlen", "strncpy", "strcpy"}  # fmt: skip


def undefined(reported: str) -> set[str]:
    """Return the symbols that a library takes from others, from readelf's output."""
    return {line.split()[7] for line in reported.splitlines() if " UND " in line and len(line.split()) > 7}


def test_it_is_small() -> None:
    """Fewer than 660 lines of Java that are neither empty, nor comments, nor imports."""
    assert code_lines((JAVA / "src").rglob("*.java")) < 660
