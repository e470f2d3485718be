"""The rows of Objective-C, compiled by clang with GNUstep."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from objective_c import missing

from bindings.row import Missing, Row
from support.firmware import ROOT, run_scons

OBJC = ROOT / "bindings" / "objc"
BUILT = ROOT / "build" / "objc"


def run_program(name: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Build the programs, and run one of them: "PROFILE/NAME". Raise Missing if there is no compiler."""
    if missing():
        raise Missing(missing().removeprefix("no "))
    run_scons("objc")
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # GNUstep keeps what it set up
    command = [str(BUILT / name), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, check=False, timeout=300)


def digest(model: Path, steps: int, profile: str) -> str:
    """Train in Objective-C, and return the digest of the checkpoint that the program writes."""
    done = run_program(f"{profile}/SameState", str(model), str(steps))
    assert done.returncode == 0, done.stderr.decode()
    return hashlib.sha256(done.stdout).hexdigest()


def row(profile: str) -> Row:
    """Return the row of a profile."""
    return Row("Objective-C", profile, lambda model, steps: digest(model, steps, profile))


ROWS = [row("fused"), row("strict")]
