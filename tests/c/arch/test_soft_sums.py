"""Sums of products, square roots and steps of optimizers on emulated boards without floats have the bits of this
computer's floats."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from boards import FIRMWARE, Board, read_board

from runtime_sources import RUNTIME
from support import objects
from support.sampling import draws

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "soft_sums.c"
SOFT_FLOAT = RUNTIME / "kernels" / "arch" / "soft_float"
TESTED = [SOFT_FLOAT / f"{name}.c" for name in ("soft_sum", "soft_products", "soft_run_arm", "steps")]
TESTED.append(RUNTIME / "src" / "numerics.c")
#: The plain steps with moments, which this computer's floats take.
PLAIN = RUNTIME / "kernels" / "optimizers" / "steps.c"
KINDS = {"edges", "cancelling", "long_sums", "steps", "roots", "momentum_steps", "adam_steps", "adam_ort_steps"}
#: Of each kind of drawn numbers; more if the environment asks for them.
TURNS = draws("soft_turns")
#: Processor -> the emulated board, and the compiler's flags if they are not the board's.
PROCESSORS: dict[str, tuple[str, Sequence[str]]] = {
    "Cortex-M3": ("mps2/mps2_an385", ()),
    "Cortex-M0": ("mps2/mps2_an385", ("-mcpu=cortex-m0", "-mthumb", "-mfloat-abi=soft")),
    "rv32imac": ("riscv/sifive_e", ()),
}


def numbers(lines: Sequence[str]) -> dict[str, int]:
    return {name: int(value) for name, value in (line.split() for line in lines)}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    program = tmp_path_factory.mktemp("oracle") / "soft_sums"
    command = [*objects.command_for_host("gcc", "-O1", "strict"), "-DORACLE", "-DGM_ARCH=0", f"-DTURNS={TURNS}"]
    command += [f"-I{RUNTIME / folder}" for folder in ("generated", "kernels")]
    objects.build(command, [SOURCE, PLAIN], program)
    return numbers(objects.run([str(program)]).splitlines())


def built(board: Board, folder: Path) -> Path:
    """The program for the board."""
    includes = [*board.includes(), RUNTIME / "generated", RUNTIME / "kernels"]
    defines = [f"-D{name}={value}" for name, value in board.defines().items()]
    flags = [*board.flags(), *defines, f"-DTURNS={TURNS}", *(f"-I{path}" for path in includes)]
    command = [f"{board.compiler}gcc", *flags]
    sources = [SOURCE, FIRMWARE / "src" / "device" / "fault.c", *board.own_sources(), PLAIN, *TESTED]
    link_flags = [flag for flag in board.link_flags() if flag not in command]
    objects.build(command, sources, folder / "soft_sums.elf", *link_flags)
    return folder / "soft_sums.elf"


def printed(board: Board, elf: Path) -> dict[str, int]:
    """Return what the program prints on the emulated board."""
    silent = ["-display", "none", "-monitor", "none", "-serial", "stdio"]
    command = [*board.table["emulator"], "-kernel", str(elf), *silent]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            return numbers(list(iter(process.stdout.readline, "done\n")))
        finally:
            process.kill()


@pytest.mark.parametrize("processor", PROCESSORS)
def test_digests_are_those_of_this_computer(processor: str, expected: dict[str, int], tmp_path: Path) -> None:
    folder, instead = PROCESSORS[processor]
    board = read_board(FIRMWARE / "boards" / folder / "board.toml")
    if instead:
        board.table["cpu_flags"] = list(instead)
    if not (shutil.which(f"{board.compiler}gcc") and shutil.which(board.table["emulator"][0])):
        pytest.skip(f"apt-get install {board.compiler_packages}, and {board.table['emulator'][0]}")
    assert set(expected) == KINDS
    assert printed(board, built(board, tmp_path)) == expected
