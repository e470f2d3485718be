"""Machine instructions that a step and an inference may take on two boards; CI holds them to it.

    cd tests && python -m bench.speed.accept

counts them and accepts what it finds: after a kernel became faster, or dearer for a good reason.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from bench.counting import missing
from bench.speed import boards
from bench.speed.cases import BOARD_CASES

ACCEPTED = Path(__file__).with_name("accepted.json")
#: Part by which counts may grow unnoticed: compilers of other versions differ by as much.
TOLERANCE = 0.02
BOARDS = ("mps2-an386", "mps3-an547")
CASES = [case for case in BOARD_CASES if case.network in ("mlp", "cnn", "ds_cnn")]
HOW = "to accept: cd tests && python -m bench.speed.accept (or scons bench ACCEPT=1)"

#: Case -> program (step, infer) -> machine instructions.
Counts = dict[str, dict[str, int]]


def counted(board: str) -> Counts:
    """Of all cases, on one board."""
    with tempfile.TemporaryDirectory() as folder:
        measured = list(boards.measure(board, CASES, Path(folder)))
    return {str(case): {program: row[program] for program in ("step", "infer")} for case, row in measured}


def accepted() -> dict[str, Counts]:
    """Board -> its accepted counts."""
    found: dict[str, Counts] = json.loads(ACCEPTED.read_text())
    return found


def changes(now: Counts, before: Counts) -> tuple[list[str], list[str]]:
    """(what grew, what shrank) by more than TOLERANCE, a line each. What was not accepted yet has grown."""
    grown, shrunk = [], []
    for case, programs in now.items():
        for program, count in programs.items():
            old = before.get(case, {}).get(program, 0)
            change = f" ({count / old - 1:+.1%})" if old else ""
            line = f"{case}, {program}: {old:,} -> {count:,} instructions{change}"
            if count > old * (1 + TOLERANCE):
                grown.append(line)
            elif count < old * (1 - TOLERANCE):
                shrunk.append(line)
    return grown, shrunk


def main() -> None:
    before = accepted() if ACCEPTED.exists() else {}
    lacking = [tool for board in BOARDS for tool in missing(board)]
    if lacking:
        raise SystemExit(f"{', '.join(lacking)} is missing - ./run setup installs it")
    now = {board: counted(board) for board in BOARDS}
    for board, counts in now.items():
        grown, shrunk = changes(counts, before.get(board, {}))
        print("\n".join(f"{board}: {line}" for line in [*grown, *shrunk]) or f"{board}: as before")
    ACCEPTED.write_text(json.dumps(now, indent=1) + "\n")


if __name__ == "__main__":
    main()
