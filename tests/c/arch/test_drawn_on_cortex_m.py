"""The kernels for Cortex-M give the bits of plain C, on an emulated board, over drawn shapes, strides and numbers: with
FPU in both profiles on a Cortex-M4 and a Cortex-M33, in the strict one by VMLA too, and on a Cortex-M55 with Helium;
without FPU on a Cortex-M3, which runs the code of a Cortex-M0 too."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from bench.mlp_on_cortex_m4 import FIRMWARE, arm_gcc, board_flags, profile_flag, run_emulated
from boards import Board, read_board

from runtime_sources import RUNTIME, runtime_sources
from support.quantized.kernel_sources import is_quantized
from support.sampling import draws

pytestmark = pytest.mark.skipif(
    not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
    reason="apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm",
)

HERE = Path(__file__).resolve().parent
#: Of each kernel; more if the environment asks for them.
DRAWS = draws("draws")
#: Kernels of processors without floats.
SOFT = ("soft_float",)
FPU = ("arm_m", "helium")
CORTEX_M0 = ("-mcpu=cortex-m0", "-mthumb", "-mfloat-abi=soft")
#: test_quantized_on_cortex_m.py has the kernels of integers.
OF_FLOATS = "-DGM_WITH_INT8=0"


@dataclass(frozen=True)
class Processor:
    """chained: whether the strict profile takes VMLA. own: the folders of kernels that are compiled for processors like
    this one alone. cpu_flags: the compiler's, if they are not those of the emulated board. draws: of each kernel, as a
    multiple of the usual number; Helium has more forms, and kernels without floats take many times longer."""

    board: str
    profile: str
    own: tuple[str, ...] = FPU
    chained: int = 0
    cpu_flags: tuple[str, ...] = ()
    draws: float = 1


PROCESSORS = {
    "Cortex-M4F, fused": Processor("mps2_an386", "fused"),
    "Cortex-M4F, strict": Processor("mps2_an386", "strict"),
    "Cortex-M4F, strict by VMLA": Processor("mps2_an386", "strict", chained=1),
    "Cortex-M33, strict": Processor("mps2_an505", "strict"),
    "Cortex-M55, fused": Processor("mps3_an547", "fused", draws=2),
    "Cortex-M3": Processor("mps2_an385", "strict", SOFT, draws=1 / 8),
    "Cortex-M0": Processor("mps2_an385", "strict", SOFT, cpu_flags=CORTEX_M0, draws=1 / 8),
}


@dataclass(frozen=True)
class Drawn:
    """differing: kernel -> draws whose bits differ. own, run: functions of OWN, and all that were run."""

    differing: dict[str, int]
    own: set[str]
    run: set[str]


def plain_kernels(folder: Path, board: Board, cpu_flags: Sequence[str]) -> Path:
    """The kernels in plain C, each name of theirs with a prefix, in one object."""
    kernels = [path for path in runtime_sources() if path.is_relative_to(RUNTIME / "kernels")]
    sources = [path for path in kernels if "arch" not in path.parts]
    merged, plain, names = folder / "merged.o", folder / "plain.o", folder / "names"
    arm_gcc("-O2", sources, [profile_flag(board), OF_FLOATS, "-DGM_ARCH=0", "-nostdlib", "-r"], merged, cpu_flags)
    defined = subprocess.run(
        ["arm-none-eabi-nm", "--defined-only", "--extern-only", merged], check=True, capture_output=True, text=True
    ).stdout
    names.write_text("".join(f"{line.split()[-1]} plain_{line.split()[-1]}\n" for line in defined.splitlines()))
    subprocess.run(["arm-none-eabi-objcopy", f"--redefine-syms={names}", merged, plain], check=True)
    return plain


def own_functions(folder: Path, flags: Sequence[str], cpu_flags: Sequence[str], own: Sequence[str]) -> set[str]:
    """Return the functions of float kernels. flags: those of the program, with which they are compiled already."""
    folders = [RUNTIME / "kernels" / "arch" / name for name in own]
    sources = [path for path in runtime_sources() if any(path.is_relative_to(folder) for folder in folders)]
    sources = [path for path in sources if not is_quantized(path)]
    merged = folder / "own.o"
    defines = [flag for flag in flags if flag.startswith("-D")]
    arm_gcc("-O2", sources, [*defines, "-nostdlib", "-r"], merged, cpu_flags)
    lines = subprocess.run(["arm-none-eabi-nm", merged], check=True, capture_output=True, text=True).stdout.splitlines()
    return {name for *_, kind, name in map(str.split, lines) if kind in "tT" and not name.startswith("$")}


@pytest.fixture(scope="module", params=PROCESSORS)
def drawn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    processor = PROCESSORS[request.param]
    board = read_board(FIRMWARE / "boards" / "mps2" / processor.board / "board.toml")
    board = replace(board, table={**board.table, "profile": processor.profile})
    cpu_flags = processor.cpu_flags or board.table["cpu_flags"]
    form = [profile_flag(board), OF_FLOATS, f"-DGM_CHAINED={processor.chained}"]
    folder = tmp_path_factory.mktemp("drawn")
    elf, log = folder / "drawn.elf", folder / "log"
    sources = [HERE / "board_main.c", HERE / "drawn_kernels.c", FIRMWARE / "src" / "device" / "fault.c"]
    sources += [*board.own_sources(), *runtime_sources()]
    link = [flag for flag in board_flags(board) if not flag.startswith("-mcpu")]
    draws = round(DRAWS * processor.draws)
    flags = [*link, *form, "-Wl,--defsym=RAM_SIZE=0x80000", f"-DDRAWS={draws}", "-DSEED=1",
             str(plain_kernels(folder, board, cpu_flags))]  # fmt: skip
    arm_gcc("-O2", sources, flags, elf, cpu_flags)
    differing = run_emulated(elf, board.table["emulator"][-1], "-d", "in_asm", "-D", str(log))
    run = {line.removeprefix("IN:").strip() for line in log.read_text().splitlines() if line.startswith("IN:")}
    return Drawn(differing, own_functions(folder, flags, cpu_flags, processor.own), run)


def test_draws_of_every_kernel_give_the_bits_of_plain_c(drawn: Drawn) -> None:
    assert len(drawn.differing) == 21
    assert not any(drawn.differing.values()), drawn.differing


def test_draws_run_every_function(drawn: Drawn) -> None:
    """The emulator's log names a function when it translates a part of it, which it does before it runs it."""
    assert len(drawn.own) > 10
    not_run = sorted(drawn.own - drawn.run)
    assert not not_run
