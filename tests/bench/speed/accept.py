"""Machine instructions that a step and an inference may take on some boards; CI holds them to it.

    cd tests && python -m bench.speed.accept

counts them and accepts what it finds: after a kernel became faster, or dearer for a good reason.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from bench.speed import boards
from bench.speed.cases import BOARD_CASES, BoardCase

from gradmote.report.bench.counting import Counts, changes, missing

ACCEPTED = Path(__file__).with_name("accepted.json")
#: Board -> the networks that are counted. Without a floating-point unit the largest one would take long.
BOARDS = dict.fromkeys(("mps2-an386", "mps3-an547", "riscv-virt", "riscv-virt-v"), ("mlp", "cnn", "ds_cnn"))
BOARDS["mps2-an385"] = ("mlp", "cnn")
HOW = "to accept them: ./run scons accept ONLY=counts"


def cases_for(board: str) -> list[BoardCase]:
    return [case for case in BOARD_CASES if case.network in BOARDS[board]]


def counted(board: str) -> Counts:
    """Count the machine instructions of all cases on one board."""
    with tempfile.TemporaryDirectory() as folder:
        measured = list(boards.measure(board, cases_for(board), Path(folder)))
    return {str(case): {program: row[program] for program in ("step", "infer")} for case, row in measured}


def accepted() -> dict[str, Counts]:
    """Board -> its accepted counts."""
    found: dict[str, Counts] = json.loads(ACCEPTED.read_text())
    return found


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
