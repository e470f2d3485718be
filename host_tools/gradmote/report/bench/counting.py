"""Exact counts of the machine instructions in an image's programs, on an emulated board.

The board's clock ticks with the instructions. Its firmware is built from the sources that a project
gets (sources/parts.py): the runtime, the board's own sources, and cost_main.c. In the same run a
model can estimate the cycles of this code on a real core (cycles/).
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from ...device.boards import board as known
from ...device.emulator import SECONDS_PER_INSTRUCTION, emulator_command
from ...device.toolchains.find import toolchain_for
from ...device.toolchains.system_packages import program_path
from ...device.toolchains.toolchain import steps_of
from ...errors import DeviceError, RuntimeFault
from ...formats.files import write_part
from ...formats.image import read_image, run_order
from ...formats.kernel_selection import needs_of
from ...generated.records import PROGRAM
from ...sources.parts import build_module, origin
from .cycles.cores import core_called, core_files
from .cycles.model import CycleModel
from .cycles.timings import Core

SOURCE = Path(__file__).with_name("cost_main.c")
#: The largest image and the largest arena, in bytes.
LIMIT = 0x80_0000
#: For each board, its folder in firmware/boards, and an address with emulated memory for twice LIMIT.
BOARDS = {
    "mps2-an385": ("mps2/mps2_an385", 0x2100_0000),
    "mps2-an386": ("mps2/mps2_an386", 0x2100_0000),
    "mps2-an500": ("mps2/mps2_an500", 0x6000_0000),
    "mps2-an505": ("mps2/mps2_an505", 0x8000_0000),
    "mps3-an547": ("mps2/mps3_an547", 0x6000_0000),
    "riscv-virt": ("riscv/riscv_virt", 0x8200_0000),
    "riscv-virt-v": ("riscv/riscv_virt_v", 0x8200_0000),
}


@dataclass
class Counted:
    """The machine instructions of one program.

    `each` has the count for each instruction of the image, over all of its executions. `whole` is the
    count of a whole run; 0 for a program that no function of the runtime runs by itself. `cycles` and
    `whole_cycles` are the same in modelled cycles, empty and 0 without a model.
    """

    each: list[int] = field(default_factory=list)
    whole: int = 0
    cycles: list[int] = field(default_factory=list)
    whole_cycles: int = 0


@dataclass(frozen=True)
class Counter:
    """A board with the firmware of cost_main.c, ready to count.

    `board` comes from site_scons/boards.py. `address` is the address of the image.
    """

    board: Any
    elf: Path
    address: int

    def count(self, image: bytes, model: CycleModel | None = None) -> dict[str, Counted]:
        """Return the machine instructions of each program by its kind, and the cycles if there is a model.

        Raises RuntimeFault if the board refuses the image or a program, and the model's errors.
        """
        path = self.elf.with_suffix(".mote")
        write_part(path, image)
        command = [*emulator_command(known(self.board.name)), "-kernel", str(self.elf)]
        command += ["-display", "none", "-monitor", "none", "-serial", "stdio", "-icount", "shift=7"]
        command += ["-device", f"loader,file={str(path).replace(',', ',,')},addr={self.address:#x},force-raw=on"]
        command += model.emulator_options() if model is not None else []
        counts = counts_of(_printed_by(command))
        if model is not None:
            add_cycles(counts, model.spans())
        return by_instruction(image, counts)

    def model(self, core: Core | None = None) -> CycleModel:
        """Return the cycle model for this board's core, or for another one.

        Raises DeviceError if the core has no timings, or a tool is missing.
        """
        objdump = f"{self.board.compiler}objdump"
        return CycleModel(
            self.elf, objdump, emulator_command(known(self.board.name))[0], core or timed_core(self.board)
        )


def timed_core(board: Any) -> Core:
    """Return the timings of a board's core. Raises DeviceError if there are none."""
    core = core_called(board.table["core"])
    if core is None:
        hint = f"there are those of {', '.join(core_files())}"
        raise DeviceError(f"there are no timings of {board.table['core']}", hint)
    return core


def _printed_by(command: Sequence[str]) -> list[str]:
    """Return the lines that an emulated board prints before it is done, and stop the emulator."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            return list(takewhile("done\n".__ne__, process.stdout))
        finally:
            process.kill()


def check(name: str) -> None:
    """Raise DeviceError if this board cannot count, or if one of its tools is not installed."""
    if name not in BOARDS:
        hint = f"boards that count: {', '.join(BOARDS)}"
        raise DeviceError(f"{known(name).name} has no emulator with memory for any image", hint)
    emulator_command(known(name))
    toolchain_for(board_of(name))


def missing(name: str) -> list[str]:
    """Return the missing tools among the emulator and GCC, which made the code of the documented counts."""
    board = board_of(name)
    return [tool for tool in (f"{board.compiler}gcc", board.table["emulator"][0]) if not program_path(tool)]


def board_of(name: str) -> Any:
    """Return the board read from its board.toml by site_scons/boards.py."""
    tools = build_module("boards")
    return tools.read_board(tools.FIRMWARE / "boards" / BOARDS[name][0] / "board.toml")


def core_of(name: str) -> str:
    """Return the board's processor, as named in its board.toml."""
    return str(board_of(name).table["core"])


def compiler_version(name: str) -> str:
    """Return the name and the version of the board's compiler."""
    return toolchain_for(board_of(name)).version()


def counter(name: str, folder: Path, images: Sequence[bytes] = ()) -> Counter:
    """Build the firmware in an existing folder, with the flags of the board's own firmware.

    It contains the kernels that the images need, or all kernels without images. Raises DeviceError if
    the compiler fails.
    """
    toolchain, address = toolchain_for(board_of(name)), BOARDS[name][1]
    kernels = needs_of(*images).flags() if images else []
    steps = steps_of(toolchain, _sources(toolchain.board, address, kernels), origin())
    elf = folder / f"{name}.elf"
    toolchain.link(toolchain.compile_all(steps, origin(), folder), toolchain.board.link_flags(), elf)
    return Counter(toolchain.board, elf, address)


def _sources(board: Any, address: int, kernels: Sequence[str]) -> list[tuple[Path, Path, list[str]]]:
    """Return (source, object, flags) for everything in the firmware."""
    tools = build_module("boards")
    defines = [f"-D{key}={value}" for key, value in board.defines().items()]
    memory = [f"-DCOST_MEMORY={address:#x}u", f"-DCOST_LIMIT={LIMIT:#x}u"]
    includes = [f"-I{path}" for path in (*board.includes(), origin() / "runtime_c" / "generated")]
    flags = [*board.flags(), *defines, *kernels, *memory, *includes]
    sources = [SOURCE, tools.FIRMWARE / "src" / "device" / "fault.c", *board.own_sources(), *tools.runtime_sources()]
    return [(path, Path(str(index)) / f"{path.stem}.o", flags) for index, path in enumerate(sources)]


def by_instruction(image: bytes, counts: dict[str, Counted]) -> dict[str, Counted]:
    """Return the counts by instruction of the image, from the counts of all executed instructions."""
    for program in read_image(image).programs:
        counted = counts.get(program["kind"])
        if counted is not None:
            counted.each = _by_instruction(program, counted.each)
            counted.cycles = _by_instruction(program, counted.cycles) if counted.cycles else []
    return counts


def _by_instruction(program: dict[str, Any], executed: list[int]) -> list[int]:
    found = [0] * len(program["instructions"])
    for index, count in zip(run_order(program["instructions"]), executed, strict=True):
        found[index] += count
    return found


def add_cycles(counts: dict[str, Counted], spans: Sequence[int]) -> None:
    """Add the cycles of each count, from the spans between pairs of clock readings.

    The first span contains only the readings; the others do not include them.
    """
    nothing, *measured = spans
    rest = iter(measured)
    for counted in counts.values():
        counted.cycles = [next(rest) - nothing for _ in counted.each]
        counted.whole_cycles = next(rest) - nothing if counted.whole else 0


def counts_of(lines: Iterable[str]) -> dict[str, Counted]:
    """Return the counts in the lines that cost_main.c prints.

    Raises RuntimeFault if a program failed.
    """
    kinds = {number: kind for kind, number in PROGRAM.items()}
    counts: dict[str, Counted] = {}
    kind, instructions_per_tick = "", 0.0
    for name, value in (line.split() for line in lines):
        if name == "ticks_per_second":
            instructions_per_tick = 1 / int(value) / SECONDS_PER_INSTRUCTION
        elif name == "program":
            kind = kinds[int(value)]
            counts[kind] = Counted()
        elif name == "ticks":
            counts[kind].each.append(round(int(value) * instructions_per_tick))
        elif name == "whole":
            counts[kind].whole = round(int(value) * instructions_per_tick)
        elif int(value):
            raise RuntimeFault(-int(value), "on the emulated board")
    return counts


# ---- Changes from earlier counts -------------------------------------------------------------------------------------

#: The share by which counts may grow; versions of one compiler differ by as much.
TOLERANCE = 0.02

#: Machine instructions by case, then by program.
Counts = dict[str, dict[str, int]]


def changes(now: Counts, before: Counts) -> tuple[list[str], list[str]]:
    """Return a line for each count that grew by more than TOLERANCE, and for each that shrank.

    A new count has grown.
    """
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
