"""The kernels for RISC-V with F, and those for vectors over them, give the bits of plain C, on an emulated board, over
drawn shapes, strides and numbers: in both numerics profiles."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from bench.mlp_on_cortex_m4 import printed_numbers
from boards import FIRMWARE, Board, read_board

from runtime_sources import NUMERICS_FLAGS, PROFILES, RUNTIME, runtime_sources
from support import objects
from support.sampling import draws

pytestmark = pytest.mark.skipif(
    not (shutil.which("riscv64-unknown-elf-gcc") and shutil.which("qemu-system-riscv32")),
    reason="apt-get install gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf qemu-system-misc",
)

HERE = Path(__file__).resolve().parent
#: Of each kernel; more if the environment asks for them.
DRAWS = draws("draws")
OWN = RUNTIME / "kernels" / "arch" / "riscv"
#: These processors have no kernels of integers of their own.
OF_FLOATS = "-DGM_WITH_INT8=0"


@dataclass(frozen=True)
class Processor:
    """A board and, if its emulated core has vectors, their length in bits."""

    folder: str
    vector: int = 0

    @property
    def board(self) -> Board:
        return read_board(FIRMWARE / "boards" / "riscv" / self.folder / "board.toml")

    def emulator(self) -> list[str]:
        """Return the emulator's command, with a core of these vectors."""
        command = list(self.board.table["emulator"])
        return [part.replace("vlen=128", f"vlen={self.vector}") for part in command]


PROCESSORS = {
    "rv32imafc": Processor("riscv_virt"),
    "zve32f of 128 bits": Processor("riscv_virt_v", 128),
    "zve32f of 256 bits": Processor("riscv_virt_v", 256),
}


def tool(board: Board, name: str, *arguments: str | Path) -> str:
    """Return what a tool for the board's processor prints."""
    command = [f"{board.compiler}{name}", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compiler(board: Board, profile: str, *flags: str) -> list[str]:
    """Return the command that compiles a source with the flags of the board's own firmware, except the profile."""
    includes = [f"-I{path}" for path in (*board.includes(), RUNTIME / "generated", FIRMWARE / "boards")]
    defines = {**board.defines(), "GM_FUSED": str(int(profile == "fused"))}
    command = [f"{board.compiler}gcc", *board.code_flags(), *NUMERICS_FLAGS, *includes, *flags]
    return [*command, *(f"-D{name}={value}" for name, value in defines.items())]


def plain_kernels(board: Board, folder: Path, profile: str) -> Path:
    """Return the kernels in plain C, each name of theirs with a prefix, in one object."""
    kernels = [path for path in runtime_sources() if path.is_relative_to(RUNTIME / "kernels")]
    sources = [path for path in kernels if "arch" not in path.parts]
    merged, plain, names = folder / "merged.o", folder / "plain.o", folder / "names"
    plain_objects = objects.objects(compiler(board, profile, OF_FLOATS, "-DGM_ARCH=0"), sources)
    tool(board, "ld", "-m", "elf32lriscv", "-r", *plain_objects, "-o", merged)
    defined = [line.split()[-1] for line in tool(board, "nm", "--defined-only", "--extern-only", merged).splitlines()]
    names.write_text("".join(f"{name} plain_{name}\n" for name in defined))
    tool(board, "objcopy", f"--redefine-syms={names}", merged, plain)
    return plain


def own_functions(board: Board, elf: Path) -> set[str]:
    """Return the functions of OWN that are in the firmware."""
    lines = [line.split("\t") for line in tool(board, "nm", "--line-numbers", "--defined-only", elf).splitlines()]
    functions = {line.split()[-1] for line in tool(board, "objdump", "-t", elf).splitlines() if " F " in line}
    return functions & {line[0].split()[-1] for line in lines if len(line) == 2 and str(OWN) in line[1]}


def run(processor: Processor, elf: Path, *options: str) -> dict[str, int]:
    """Return the numbers that the board prints before `done`. options: further ones of the emulator."""
    alone = ["-display", "none", "-monitor", "none", "-serial", "stdio"]
    return printed_numbers([*processor.emulator(), "-kernel", str(elf), *alone, *options])


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", PROCESSORS)
def test_draws_give_the_bits_of_plain_c_and_run_every_function(name: str, profile: str, tmp_path: Path) -> None:
    """The emulator's log names a function when it translates a part of it, which it does before it runs it."""
    processor = PROCESSORS[name]
    board, elf, log = processor.board, tmp_path / "drawn.elf", tmp_path / "log"
    sources = [HERE / "board_main.c", HERE / "drawn_kernels.c", FIRMWARE / "src" / "device" / "fault.c"]
    link = [flag for flag in board.link_flags() if flag not in board.code_flags()]
    link += ["-Wl,--defsym=RAM_SIZE=0x100000", str(plain_kernels(board, tmp_path, profile))]
    command = compiler(board, profile, OF_FLOATS, f"-DDRAWS={DRAWS}", "-DSEED=1")
    objects.build(command, [*sources, *board.own_sources(), *runtime_sources()], elf, *link)
    differing = run(processor, elf, "-d", "in_asm", "-D", str(log))
    assert len(differing) == 21
    assert not any(differing.values()), differing
    own = own_functions(board, elf)
    run_at_all = {line.removeprefix("IN:").strip() for line in log.read_text().splitlines() if line.startswith("IN:")}
    assert len(own) > 20
    assert not own - run_at_all
