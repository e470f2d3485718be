"""The stack of every board in one table: what it can take at the most, what is set aside, and what was used of it.

    scons stack                                 builds all firmware, then prints the table
    cd tests && PYTHONPATH=../site_scons python -m bench.stack [--board NAME]

- **bound** the deepest way through the compiler's call graph, the deepest interrupt on top (site_scons/stack_bound.py).
- **used** words that no longer have their paint after a session on the emulator: an image, training by frames and
  typed, an inference, a score, a save and a load.

It fails if more is used than the bound says, if the bound is more than is set aside, or if an interrupt's handler is
not among those that the bound counts.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from bench.soak import prepare
from boards import boards as board_folders
from elftools.elf.elffile import ELFFile
from stack_bound import INTERRUPTS, output_of

from gradmote.device import BoardTarget, emulated_board
from gradmote.device.boards import Board, boards
from gradmote.device.emulated_firmware import default_firmware

#: The entries of a table of vectors that are not interrupts: these two begin with an empty stack.
NO_INTERRUPTS = ("reset_handler", "fault_handler")
STEPS, TYPED, SEED = 100, 3, 0


@dataclass(frozen=True)
class Row:
    """In bytes. used: None if nothing emulates the board. strangers: handlers that the bound does not count."""

    board: Board
    used: int | None
    strangers: tuple[str, ...] = ()

    @property
    def wrong(self) -> str:
        """Return what is wrong; empty if nothing is."""
        bound, aside = self.board.stack_bound, self.board.stack_size
        found = [f"{self.used} bytes are used, {bound} is the bound"] if (self.used or 0) > bound else []
        found += [f"{bound} is the bound, {aside} are set aside"] if bound > aside else []
        found += [f"the bound does not count {name}" for name in self.strangers]
        return "; ".join(found)


def rows(names: Sequence[str]) -> Iterator[Row]:
    """Yield the row of each of these boards, whose firmware must be built."""
    for board in boards():
        if board.name in names:
            yield Row(board, used_by(board) if board.emulator else None, strangers(board))


def built() -> list[str]:
    """Return boards whose firmware is there, except PlatformIO's: their frameworks give no bound."""
    return [board.name for board in boards() if default_firmware(board.name).is_file()]


def used_by(board: Board) -> int:
    """Return the most after a session."""
    with emulated_board(board.name) as target:
        session(target, board.flash_is_emulated)
        return target.board.mem().stack_used


def session(target: BoardTarget, keeps: bool) -> None:
    prepare(target, STEPS, SEED)
    target.replay()
    for line in (f"train {TYPED}", "infer", "score", "info", "mem", "help"):
        target.board.type(line)
    if keeps:
        target.load(target.save())
        target.board.type("save")
        target.board.type("load")


def strangers(board: Board) -> tuple[str, ...]:
    """Functions in the tables of vectors whose names are not those of interrupts."""
    compiler = next(found.compiler for found in board_folders() if found.name == board.name)
    elf = default_firmware(board.name)
    known = (*INTERRUPTS, *NO_INTERRUPTS)
    return tuple(n for n in handlers(compiler, elf) if not any(fnmatch(n, pattern) for pattern in known))


def handlers(compiler: str, elf: Path) -> list[str]:
    """Return the names of the functions in a Cortex-M's vector tables, sorted. A core without such tables has none."""
    names: dict[int, list[str]] = {}
    for address, name in re.findall(r"^(\w+) [Tt] (\S+)$", output_of(f"{compiler}nm", elf), re.M):
        names.setdefault(int(address, 16) & ~1, []).append(name)
    found = set()
    for start, end in tables(compiler, elf):
        for word in words(elf, start, end):
            if word & 1 and word & ~1 in names:
                found.add(preferred(names[word & ~1]))
    return sorted(found)


def preferred(names: list[str]) -> str:
    """Return one of the names at an address: the handler of NO_INTERRUPTS for which the others are weak aliases, or the
    first if there is no such handler."""
    return next((name for name in NO_INTERRUPTS if name in names), names[0])


def tables(compiler: str, elf: Path) -> list[tuple[int, int]]:
    """(start, end) of the vectors and of the peripherals' interrupts."""
    listed = re.findall(r"^(\w+) (\w+) \w (vectors|interrupts)$", output_of(f"{compiler}nm", "-S", elf), re.M)
    return [(int(address, 16), int(address, 16) + int(size, 16)) for address, size, _ in listed]


def words(elf: Path, start: int, end: int) -> list[int]:
    """The words that are loaded at these addresses; sections of debugging have addresses from 0 on, too."""
    with elf.open("rb") as file:
        loaded = [s for s in ELFFile(file).iter_segments("PT_LOAD") if holds(s["p_vaddr"], s["p_filesz"], start, end)]
        data = loaded[0].data()[start - loaded[0]["p_vaddr"] : end - loaded[0]["p_vaddr"]]
    return [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)]


def holds(address: int, size: int, start: int, end: int) -> bool:
    return address <= start and end <= address + size


def line(row: Row) -> str:
    board, used = row.board, "" if row.used is None else f"{row.used:,}"
    way = " > ".join(board.stack_way)
    margin = board.stack_size - board.stack_bound
    return f"{board.name:<18}{used:>7}{board.stack_bound:>8,}{board.stack_size:>11,}{margin:>8,}  {way}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--board", help="this one alone")
    wanted = parser.parse_args().board
    print(f"{'board':<18}{'used':>7}{'bound':>8}{'set aside':>11}{'margin':>8}  the deepest way")
    wrong = []
    for row in rows([wanted] if wanted else built()):
        print(line(row), flush=True)
        wrong += [f"{row.board.name}: {row.wrong}"] if row.wrong else []
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
