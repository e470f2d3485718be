"""docs/BOARDS.md from the figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.boards.lessons import RATE
from bench.boards.measure import READ_ONLY, Figures
from wrap_prose import wrapped

from gradmote.device.boards import Board

PAGE = Path(__file__).resolve().parents[3] / "docs" / "BOARDS.md"

HEAD = f"""# Boards

`cd tests && PYTHONPATH=../site_scons python -m bench.boards` writes this page. Each emulated board is started with its
firmware, gets a model, and trains it on real data over its serial line, from random weights, with
SGD (momentum 0.9, rate {RATE}). Its state must then equal that of its twin on this computer, in the
board's numerics profile, to the byte; else there would be no page. How to add a board:
[PORTING.md](PORTING.md).

- **learns** is the largest of four networks that fits. **held-out** is the share of held-out
  samples whose class is right, before and after.
- **state** has the first digits of the SHA-256 of parameters, momentum and counters, on the board
  and on the twin.
- **kept** says whether that state came back after `save` and a restart; {READ_ONLY}: the emulator
  has flash that is only read, so that the model has to be programmed with the firmware.
- **.text** is the bytes of code and constants in flash, with the kernels of all operators;
  `gradmote flash` leaves out those that a model does not need.
- **arena** is the bytes of RAM that the model takes, of those that the firmware leaves.
- **stack** has the bytes that were used at most, the compiler's bound for them, and what is set
  aside.
- **instructions** are those of the machine for one training step of the batch, counted by the
  emulator.
"""

COLUMNS = [
    *("board", "core", "numerics", "learns", "batch", "held-out", "state", "kept"),
    *(".text", "arena", "stack", "instructions"),
]


PARTS = """
## Parts without an emulator

None of these was at hand: they build from the same sources, and what they share with an emulated board, or with
stand-ins for the cores of Arduino on this computer, is tested there. If the code's size has a ~, it is an estimate,
since only PlatformIO's platforms can link it ([PLATFORMIO.md](PLATFORMIO.md)).
"""

PART_COLUMNS = ["board", "part", "core", "numerics", "MHz", "RAM", "arena", "flash", ".text", "image", "programmed by"]


def render(rows: Sequence[Figures], parts: Sequence[Board]) -> str:
    emulated = [*heading(COLUMNS), *map(line, rows)]
    return wrapped("\n".join([HEAD, *emulated, PARTS, *heading(PART_COLUMNS), *map(part_line, parts)]) + "\n")


def heading(columns: Sequence[str]) -> list[str]:
    return ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]


def part_line(board: Board) -> str:
    cells = [board.name, board.title, board.core, board.profile, f"{board.clock / 1e6:g}"]
    cells += [f"{board.ram:,}", f"{board.arena_available:,}", f"{board.all_flash:,}"]
    cells += [f"{'' if board.measured else '~'}{board.code:,}", f"{board.image_area:,}", ", ".join(board.upload)]
    return "| " + " | ".join(cells) + " |"


def line(f: Figures) -> str:
    board, memory, learned = f.board, f.memory, f.learned
    cells = [board.name, board.core, board.profile, f.lesson.name, str(f.lesson.batch)]
    cells += [f"{learned.before:.1%} → {learned.after:.1%}", f"`{learned.state[:12]}`", f.kept]
    cells += [f"{memory.code:,}", f"{memory.arena_required:,} of {memory.arena_available:,}"]
    cells += [f"{memory.stack_used:,} ≤ {board.stack_bound:,} of {memory.stack_size:,}", f"{f.instructions:,}"]
    return "| " + " | ".join(cells) + " |"
