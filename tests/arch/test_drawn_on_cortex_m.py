"""The kernels for Cortex-M with FPU give the bits of plain C, on an emulated board, over drawn shapes, strides and
numbers: on a Cortex-M4, and on a Cortex-M55 with Helium."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from bench.mlp_on_cortex_m4 import FIRMWARE, arm_gcc, board_flags, run_emulated
from boards import Board, read_board

from runtime_sources import RUNTIME, runtime_sources

pytestmark = pytest.mark.skipif(
    not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
    reason="apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm",
)

HERE = Path(__file__).resolve().parent
#: Of each kernel; more where the environment asks for them.
DRAWS = int(os.environ.get("GRADMOTE_DRAWS", "300"))


def plain_objects(folder: Path, board: Board) -> list[Path]:
    """The kernels in plain C, each name of theirs with a prefix, in one object."""
    sources = [path for path in runtime_sources() if path.is_relative_to(RUNTIME / "kernels")]
    merged, plain, names = folder / "merged.o", folder / "plain.o", folder / "names"
    arm_gcc("-O2", sources, ["-DGM_ARCH=0", "-nostdlib", "-r"], merged, board.table["cpu_flags"])
    defined = subprocess.run(
        ["arm-none-eabi-nm", "--defined-only", "--extern-only", merged], check=True, capture_output=True, text=True
    ).stdout
    names.write_text("".join(f"{line.split()[-1]} plain_{line.split()[-1]}\n" for line in defined.splitlines()))
    subprocess.run(["arm-none-eabi-objcopy", f"--redefine-syms={names}", merged, plain], check=True)
    return [plain]


@pytest.fixture(scope="module", params=["mps2_an386", "mps3_an547"])
def differing(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """Kernel -> draws whose bits differ."""
    board = read_board(FIRMWARE / "boards" / "mps2" / request.param / "board.toml")
    folder = tmp_path_factory.mktemp("drawn")
    elf = folder / "drawn.elf"
    sources = [HERE / "board_main.c", HERE / "drawn_kernels.c", FIRMWARE / "src" / "fault.c", *board.own_sources()]
    sources += [*runtime_sources(), *plain_objects(folder, board)]
    flags = [*board_flags(board), "-Wl,--defsym=RAM_SIZE=0x80000", f"-DDRAWS={DRAWS}", "-DSEED=1"]
    arm_gcc("-O2", sources, flags, elf, board.table["cpu_flags"])
    return run_emulated(elf, board.table["emulator"][-1])


def test_draws_of_every_kernel_give_the_bits_of_plain_c(differing: dict[str, int]) -> None:
    assert len(differing) == 16
    assert not any(differing.values()), differing
