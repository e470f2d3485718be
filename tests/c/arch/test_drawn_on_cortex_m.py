"""The kernels for Cortex-M with FPU give the bits of plain C, on an emulated board, over drawn shapes, strides and
numbers: in both profiles on a Cortex-M4 and a Cortex-M33, in the strict one by VMLA too, and on a Cortex-M55 with
Helium."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from bench.mlp_on_cortex_m4 import FIRMWARE, arm_gcc, board_flags, profile_flag, run_emulated
from boards import Board, read_board

from runtime_sources import RUNTIME, runtime_sources
from support.quantized.kernel_sources import is_quantized

pytestmark = pytest.mark.skipif(
    not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
    reason="apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm",
)

HERE = Path(__file__).resolve().parent
#: Of each kernel; more where the environment asks for them.
DRAWS = int(os.environ.get("GRADMOTE_DRAWS", "300"))
#: What is compiled for boards like these alone.
OWN = ("kernels/arch/arm_m", "kernels/arch/helium")


@dataclass(frozen=True)
class Drawn:
    """differing: kernel -> draws whose bits differ. own, run: functions of OWN, and all that were run."""

    differing: dict[str, int]
    own: set[str]
    run: set[str]


def plain_kernels(folder: Path, board: Board) -> Path:
    """The kernels in plain C, each name of theirs with a prefix, in one object."""
    sources = [path for path in runtime_sources() if path.is_relative_to(RUNTIME / "kernels")]
    merged, plain, names = folder / "merged.o", folder / "plain.o", folder / "names"
    arm_gcc("-O2", sources, ["-DGM_ARCH=0", profile_flag(board), "-nostdlib", "-r"], merged, board.table["cpu_flags"])
    defined = subprocess.run(
        ["arm-none-eabi-nm", "--defined-only", "--extern-only", merged], check=True, capture_output=True, text=True
    ).stdout
    names.write_text("".join(f"{line.split()[-1]} plain_{line.split()[-1]}\n" for line in defined.splitlines()))
    subprocess.run(["arm-none-eabi-objcopy", f"--redefine-syms={names}", merged, plain], check=True)
    return plain


def own_functions(folder: Path, board: Board, chained: str) -> set[str]:
    """Return the functions of float kernels; test_quantized_on_cortex_m.py has the others."""
    sources = [path for path in runtime_sources() if any(path.is_relative_to(RUNTIME / own) for own in OWN)]
    sources = [path for path in sources if not is_quantized(path)]
    merged = folder / "own.o"
    flags = [profile_flag(board), chained, "-nostdlib", "-r"]
    arm_gcc("-O2", sources, flags, merged, board.table["cpu_flags"])
    lines = subprocess.run(["arm-none-eabi-nm", merged], check=True, capture_output=True, text=True).stdout.splitlines()
    return {name for *_, kind, name in map(str.split, lines) if kind in "tT" and not name.startswith("$")}


#: Board, profile, and whether the strict profile takes VMLA.
FORMS = [
    ("mps2_an386", "fused", 0),
    ("mps2_an386", "strict", 0),
    ("mps2_an386", "strict", 1),
    ("mps2_an505", "strict", 0),
    ("mps3_an547", "fused", 0),
]


@pytest.fixture(scope="module", params=FORMS, ids=lambda form: "-".join(map(str, form)))
def drawn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    name, profile, chained = request.param
    board = read_board(FIRMWARE / "boards" / "mps2" / name / "board.toml")
    board, chained = replace(board, table={**board.table, "profile": profile}), f"-DGM_CHAINED={chained}"
    folder = tmp_path_factory.mktemp("drawn")
    elf, log = folder / "drawn.elf", folder / "log"
    sources = [HERE / "board_main.c", HERE / "drawn_kernels.c", FIRMWARE / "src" / "device" / "fault.c"]
    sources += [*board.own_sources(), *runtime_sources()]
    flags = [*board_flags(board), chained, "-Wl,--defsym=RAM_SIZE=0x80000", f"-DDRAWS={DRAWS}", "-DSEED=1",
             str(plain_kernels(folder, board))]  # fmt: skip
    arm_gcc("-O2", sources, flags, elf, board.table["cpu_flags"])
    differing = run_emulated(elf, board.table["emulator"][-1], "-d", "in_asm", "-D", str(log))
    run = {line.removeprefix("IN:").strip() for line in log.read_text().splitlines() if line.startswith("IN:")}
    return Drawn(differing, own_functions(folder, board, chained), run)


def test_draws_of_every_kernel_give_the_bits_of_plain_c(drawn: Drawn) -> None:
    assert len(drawn.differing) == 21
    assert not any(drawn.differing.values()), drawn.differing


def test_draws_run_every_function(drawn: Drawn) -> None:
    """The emulator's log names each function of which it translated a part, which it does before it runs it."""
    assert len(drawn.own) > 20
    assert not drawn.own - drawn.run
