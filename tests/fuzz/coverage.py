"""Lines that the C tests and the inputs of the fuzz targets reach, by gcov. `scons coverage` builds what is counted."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from support.firmware import run_scons

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "coverage"

#: The code that keeps hostile bytes from the rest.
GATES = ("runtime_c/src/open.c", "runtime_c/src/verify.c", "runtime_c/src/verify_programs.c",
         "runtime_c/src/verify_operands.c", "runtime_c/src/verify_store.c", "runtime_c/src/image.c",
         "runtime_c/src/checkpoint.c", "runtime_c/src/crc32.c", "runtime_c/src/half.c",
         "runtime_c/src/state_segments.c", "runtime_c/src/carry_over.c", "runtime_c/src/delta.c",
         "runtime_c/src/new_base.c", "runtime_c/src/export.c", "firmware/src/console/frames.c",
         "firmware/src/storage/images.c")  # fmt: skip
C_TESTS = ("test_open", "test_checkpoint", "test_carry_over", "test_export", "test_session")


@dataclass(frozen=True)
class Lines:
    """The lines of one file: how many have code, and the numbers of those that nothing reached."""

    total: int
    missed: tuple[int, ...]

    @property
    def percent(self) -> float:
        return 100.0 * (self.total - len(self.missed)) / self.total


def build() -> None:
    run_scons("-s", "coverage")


def count(corpora: Mapping[str, Sequence[Path]]) -> dict[str, Lines]:
    """Runs the C tests and, for each target, the files of its folders; file of GATES -> its lines."""
    for old in BUILT.rglob("*.gcda"):
        old.unlink()
    for test in C_TESTS:
        subprocess.run([BUILT / test], check=True, stdout=subprocess.DEVNULL)
    for target, folders in corpora.items():
        subprocess.run([BUILT / f"replay_{target}", *folders], check=True, stdout=subprocess.DEVNULL)
    return read()


def read() -> dict[str, Lines]:
    filters = [argument for gate in GATES for argument in ("-f", str(ROOT / gate))]
    # The folder may have objects of sources that were removed. Lines of the checksum are reached more often than the
    # 2^32 times from which gcovr suspects a number.
    flags = ["--gcov-ignore-errors=source_not_found", "--gcov-suspicious-hits-threshold=0", "--json", "-", "-j", "1"]
    command = [sys.executable, "-m", "gcovr", "-r", str(ROOT), *filters, *flags, str(BUILT)]
    answer = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {file["file"]: lines_of(file["lines"]) for file in json.loads(answer)["files"]}


def lines_of(lines: list[dict]) -> Lines:
    hits: dict[int, int] = {}
    for line in lines:  # one a function that the line is in
        hits[line["line_number"]] = hits.get(line["line_number"], 0) + line["count"]
    return Lines(len(hits), tuple(number for number, reached in sorted(hits.items()) if not reached))
