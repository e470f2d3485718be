"""Build the runtime by every build system that is here, and print what was built, how, and that it has the twin's bits:

cd tests && python -m bench.builds [--page ../docs/guides/cmake.md] [ROW ...]
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path[:0] = [str(Path(__file__).resolve().parents[3] / part) for part in ("tests", "site_scons", "bindings/python")]

from bench.builds import arm_projects, rust  # noqa: E402
from bench.builds.cmake import ROWS, Case, Row, build, run  # noqa: E402
from bench.builds.lines import WRITTEN, counts  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from support import train_state  # noqa: E402

ALL = [*ROWS, *arm_projects.ROWS, rust.HERE, rust.BOARD]
COLUMNS = ("row", "way", "generator", "compiler", "profile", "ran on", "state SHA-256", "twin's", ".text")
WRITTEN_COLUMNS = ("build system", "lines by hand", "neither blank nor comment")


def main() -> int:
    """Print a row for each build; return 1 if one differs from its twin."""
    parser = argparse.ArgumentParser(prog="bench.builds", description="Build systems beside the twin.")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"by default all: {', '.join(r.name for r in ALL)}")
    parser.add_argument("--page", type=Path, help="write the table into this page, between its marks")
    arguments = parser.parse_args()
    given, rows, fine = arguments.rows, [COLUMNS, ("---",) * (len(COLUMNS) - 1) + ("--:",)], True
    with TemporaryDirectory() as folder:
        case = Case(Path(folder))
        for index, row in enumerate(r for r in ALL if not given or r.name in given):
            cells, same = measured(row, case, Path(folder) / str(index))
            rows.append((row.name, row.way, row.generator, row.compiler, row.profile, place_of(row), *cells))
            fine = fine and same
    written = lines_by_hand()
    for title, body in ((COLUMNS, rows), (WRITTEN_COLUMNS, written)):
        table = Table(*title, box=None)
        for cells in body[2:]:
            table.add_row(*cells)
        Console(width=140).print(table)
    if arguments.page is not None and fine:
        write_page(arguments.page, "builds", rows)
        write_page(arguments.page, "lines", written)
    return not fine


def place_of(row: Row) -> str:
    """Return the name of the computer or emulated board that runs a row's program."""
    if row.library:
        return "nothing"
    if row.emulator[1:2] == ("-M",):
        return f"QEMU, {row.emulator[2]}"
    return row.emulator[0] if row.emulator else "this computer"


def lines_by_hand() -> list[tuple[str, ...]]:
    """Return the table of lines written for each build system, and their sum."""
    found = {system: counts(system) for system in WRITTEN}
    found["all"] = tuple(map(sum, zip(*found.values(), strict=True)))
    body = [(system, *(f"{count:,}" for count in numbers)) for system, numbers in found.items()]
    return [WRITTEN_COLUMNS, ("---", "--:", "--:"), *body]


def write_page(page: Path, mark: str, rows: list[tuple[str, ...]]) -> None:
    """Put the rows between the marks of a page."""
    before, begin, rest = page.read_text().partition(f"<!-- {mark} -->\n")
    lines = "".join(f"| {' | '.join(cells)} |\n" for cells in rows)
    page.write_text(f"{before}{begin}{lines}<!-- end -->{rest.partition('<!-- end -->')[2]}")


def measured(row: Row, case: Case, folder: Path) -> tuple[list[str], bool]:
    """Return a row's digest, whether it is its twin's, and the size of its code; or what is missing."""
    is_crate, is_arm_project = row.way == "cargo", row in arm_projects.ROWS
    if missing := rust.missing(row) if is_crate else arm_projects.missing(row) if is_arm_project else row.missing():
        return [f"not built: no {missing}", "", ""], True
    folder.mkdir()
    if is_crate:
        said, program = rust.built(row, case, folder)
    else:
        program = (arm_projects.build if is_arm_project else build)(row, case, folder)
        if row.library:
            return ["", "", ""], True
        said = run(row, program, case)
    same = said == train_state.said_by_twin(case.image, case.batches, row.profile)
    words = said.split()[len(case.batches) :]
    state = b"".join(int(word, 16).to_bytes(4, "little") for word in words)
    return [hashlib.sha256(state).hexdigest()[:12], "yes" if same else "NO", f"{text_of(program):,}"], same


def text_of(program: Path) -> int:
    """Return the bytes of a program's code and constants."""
    done = subprocess.run(["size", program], capture_output=True, text=True, check=True)
    return int(done.stdout.splitlines()[1].split()[0])


if __name__ == "__main__":
    raise SystemExit(main())
