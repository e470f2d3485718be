"""The kernels of int8 and int16 for Cortex-M give the bits of plain C, on an emulated board, over drawn shapes,
layouts, addresses and panels: with the DSP extension and FPU, with Helium too, without either, and without Thumb-2."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from bench.mlp_on_cortex_m4 import FIRMWARE, board_flags, run_emulated
from boards import Board, read_board

from runtime_sources import INCLUDES, NUMERICS_FLAGS, RUNTIME
from support import objects
from support.quantized.kernel_sources import is_quantized
from support.sampling import draws

pytestmark = pytest.mark.skipif(
    not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
    reason="apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm",
)

HERE = Path(__file__).resolve().parent
#: Of each kernel; more if the environment asks for them.
DRAWS = draws("draws")
#: The sources of these kernels in plain C.
PLAIN = [
    RUNTIME / "kernels" / f"{name}.c"
    for name in (
        "conv_s8",
        "conv_grad_x_s16",
        "conv_gradient_s16",
        "gradient_s16",
        "conv_update_s16",
        "update_s8",
        "mask_s8",
        "add_s16",
        "average_pool_s8",
        "sum_s16",
        "optimizers/short_moments",
        "optimizers/stored_update",
        "optimizers/sgd",
        "optimizers/momentum",
        "../src/numerics",
    )
]
#: The only rules of optimizers that are built.
RULES = [f"-DGM_WITH_{rule}=0" for rule in ("ADAM", "ADAMW", "ADAMW_ORT")]
#: Kernels that have forms of their own for these processors, and the sum of gradients.
KERNELS = (
    *("conv_s8", "conv_grad_x_s16", "conv_grad_w_s16", "conv_update_s16", "update_s8", "update_s16", "update_s32"),
    *("mask_s8", "add_s16", "average_pool_s8", "sum_s16"),
)
#: Processor -> the emulated board, and the compiler's flags if they are not the board's. A Cortex-M3 runs the code of a
#: Cortex-M0.
PROCESSORS: dict[str, tuple[str, Sequence[str]]] = {
    "Cortex-M4F": ("mps2_an386", ()),
    "Cortex-M55": ("mps3_an547", ()),
    "Cortex-M3": ("mps2_an385", ()),
    "Cortex-M0": ("mps2_an385", ("-mcpu=cortex-m0", "-mthumb", "-mfloat-abi=soft", f"-DDRAWS={DRAWS // 2}")),
}


@dataclass(frozen=True)
class Drawn:
    """differing: kernel -> draws whose bits differ. own, run: functions of these kernels, and all that were run."""

    differing: dict[str, int]
    own: set[str]
    run: set[str]


def compiled(sources: list[Path], flags: Sequence[str], out: Path, *link_flags: str) -> Path:
    folders = (*INCLUDES, RUNTIME / "generated", FIRMWARE / "boards", FIRMWARE / "src")
    command = ["arm-none-eabi-gcc", *flags, *RULES, "-O2", *NUMERICS_FLAGS, "-ffreestanding", "-ffunction-sections"]
    objects.build([*command, *(f"-I{path}" for path in folders)], sources, out, *link_flags)
    return out


def quantized_sources() -> list[Path]:
    """The sources of arch/arm_m and arch/helium that belong to these kernels."""
    sources = [
        path for own in ("arm_m", "helium") for path in sorted((RUNTIME / "kernels" / "arch" / own).rglob("*.c"))
    ]
    return [path for path in sources if is_quantized(path)]


def functions(binary: Path) -> set[str]:
    lines = objects.run(["arm-none-eabi-nm", str(binary)]).splitlines()
    return {name for *_, kind, name in map(str.split, lines) if kind in "tT" and not name.startswith("$")}


def plain_kernels(folder: Path, flags: Sequence[str]) -> Path:
    """The kernels in plain C, each name of theirs with a prefix, in one object."""
    merged = compiled(PLAIN, [*flags, "-DGM_ARCH=0"], folder / "merged.o", "-nostdlib", "-r")
    plain, names = folder / "plain.o", folder / "names"
    defined = objects.run(["arm-none-eabi-nm", "--defined-only", "--extern-only", str(merged)])
    names.write_text("".join(f"{line.split()[-1]} plain_{line.split()[-1]}\n" for line in defined.splitlines()))
    subprocess.run(["arm-none-eabi-objcopy", f"--redefine-syms={names}", merged, plain], check=True)
    return plain


def own_functions(folder: Path, flags: Sequence[str]) -> set[str]:
    """The functions that were written for these processors and these kernels."""
    return functions(compiled(quantized_sources(), flags, folder / "own.o", "-nostdlib", "-r"))


def flags_of(board: Board, instead: Sequence[str]) -> list[str]:
    profile = f"-DGM_FUSED={int(board.table['profile'] == 'fused')}"
    draws = [] if any("DRAWS" in flag for flag in instead) else [f"-DDRAWS={DRAWS}"]
    return [*(instead or board.table["cpu_flags"]), profile, *draws, "-DSEED=1"]


@pytest.fixture(scope="module", params=PROCESSORS)
def drawn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    name, instead = PROCESSORS[request.param]
    board = read_board(FIRMWARE / "boards" / "mps2" / name / "board.toml")
    folder = tmp_path_factory.mktemp("drawn")
    flags, log = flags_of(board, instead), folder / "log"
    sources = [HERE / "quantized_main.c", HERE / "drawn_quantized.c", FIRMWARE / "src" / "device" / "fault.c"]
    of_board = board_flags(board)
    link = [flag for flag in of_board if not flag.startswith(("-D", "-mcpu"))]
    compiled(
        [*sources, *board.own_sources(), *PLAIN, *quantized_sources()],
        [*flags, *(flag for flag in of_board if flag.startswith("-D") and "GM_FUSED" not in flag)],
        folder / "drawn.elf",
        *link,
        "-Wl,--defsym=RAM_SIZE=0x80000",
        str(plain_kernels(folder, flags)),
    )
    differing = run_emulated(folder / "drawn.elf", board.table["emulator"][-1], "-d", "in_asm", "-D", str(log))
    run = {line.removeprefix("IN:").strip() for line in log.read_text().splitlines() if line.startswith("IN:")}
    return Drawn(differing, own_functions(folder, flags), run)


def test_draws_of_every_kernel_give_the_bits_of_plain_c(drawn: Drawn) -> None:
    assert drawn.differing == dict.fromkeys(KERNELS, 0)


def test_draws_run_every_function(drawn: Drawn) -> None:
    """The emulator's log names a function when it translates a part of it, which it does before it runs it."""
    assert len(drawn.own) > 20
    missing = drawn.own - drawn.run
    assert not missing
