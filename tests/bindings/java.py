"""The rows of Java, through JNI."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bindings.row import Row, require
from support.firmware import ROOT, run_scons

JAR = ROOT / "build" / "java" / "gradmote.jar"
PROGRAMS = Path(__file__).with_name("programs")


def jar() -> Path:
    """Build the package and return its path. Raise Missing if there is no JDK."""
    require("javac")
    run_scons("java")
    return JAR


def run_java(source: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a Java source with the package, checking each call through JNI."""
    command = [require("java"), "-Xcheck:jni", "-Xss16m", "-cp", str(jar()), str(source), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def digest(model: Path, steps: int, profile: str) -> str:
    """Train in Java and return the state's digest."""
    done = run_java(PROGRAMS / "SameState.java", str(model), str(steps), profile)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split()[-1]


def row(profile: str) -> Row:
    """Return the row of a profile."""
    return Row("Java", profile, lambda model, steps: digest(model, steps, profile))


ROWS = [row("fused"), row("strict")]
