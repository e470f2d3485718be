"""SCons reads what its targets need, which says in time that nothing is to be done, and finds each of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: What is asked for -> a SConscript that it needs, and one that it does not.
READ = {
    ("python",): ("bindings/python", "firmware"),
    ("build/host/strict/tests/test_open",): ("tests/c", "firmware/linux"),
    ("conversations",): ("tests/fuzz", "bindings/js"),
    ("firmware", "BOARD=mps2-an386"): ("firmware", "bindings/python"),
    ("build/sbc/sanitized/gradmote-run",): ("firmware/linux", "tests/c"),
    ("npm",): ("bindings/js", "bindings/shared"),
    ("java",): ("bindings/java", "tests/c/powerloss"),
}
WATCH = """
import sys
import SCons.Script
from SCons.Script.SConscript import SConsEnvironment
read = SConsEnvironment.SConscript
def noted(environment, *files, **options):
    print("READ", *files, file=sys.stderr)
    return read(environment, *files, **options)
SConsEnvironment.SConscript = noted
SCons.Script.main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("targets", READ, ids=" ".join)
def test_what_a_target_needs_is_read_and_no_more(root, targets: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", WATCH, "--dry-run", "--silent", *targets]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = {
        line.split()[1].removesuffix("/SConscript") for line in done.stderr.splitlines() if line.startswith("READ")
    }
    needed, other = READ[targets]
    assert needed in found and other not in found, found
