"""Runs one kernel over layers on an emulated board (counts_main.c)."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.mlp_on_cortex_m4 import COUNTED, FIRMWARE, NANOSECONDS_PER_INSTRUCTION, board_flags, run_emulated
from bench.quantized.counts.cores import Core
from bench.quantized.counts.layers import Layer

from gradmote.compiler.panels import panel_words
from gradmote.ir.generated.instructions import ConvGradWS16, ConvGradXS16, ConvS8, ConvUpdateS16, UpdateS8, UpdateS16
from gradmote.ir.instruction import Instruction
from runtime_sources import INCLUDES, NUMERICS_FLAGS, ROOT, RUNTIME, runtime_sources
from support import objects

SOURCE = Path(__file__).with_name("counts_main.c")
#: Of the kernels in plain C, to which those for Cortex-M are added.
SOURCES = (
    "conv_s8",
    "conv_grad_x_s16",
    "conv_gradient_s16",
    "gradient_s16",
    "update_s8",
    "conv_update_s16",
    "numerics",
)
#: Folders of kernels that are linked as a whole: those for Cortex-M, and what updates need.
OWN = {"arm_m", "helium", "optimizers"}


@dataclass(frozen=True)
class Kernel:
    """run: the function of counts_main.c. element: the bytes of an updated weight."""

    kind: type[Instruction]
    run: str
    element: int = 1


FORWARD = Kernel(ConvS8, "run_forward")
GRADIENT_OF_INPUTS = Kernel(ConvGradXS16, "run_gradient_of_inputs")
GRADIENT_OF_WEIGHTS = Kernel(ConvGradWS16, "run_gradient_of_weights")
UPDATE_OF_BYTES = Kernel(UpdateS8, "run_update")
UPDATE_OF_MASTERS = Kernel(UpdateS16, "run_update", 2)
CONV_UPDATE_OF_BYTES = Kernel(ConvUpdateS16, "run_conv_update")
CONV_UPDATE_OF_MASTERS = Kernel(ConvUpdateS16, "run_conv_update", 2)


def instructions(core: Core, kernel: Kernel, layers: Sequence[Layer]) -> dict[Layer, float]:
    """Return the machine instructions of the kernel over each layer."""
    if not layers:
        return {}
    rows = "".join(f"{{{initializer(n, layer, kernel)}}}," for n, layer in enumerate(layers))
    flags = [f"-DLAYERS={rows}", f"-DRUN={kernel.run}", f"-DELEMENT={kernel.element}"]
    board = core.board()
    with tempfile.TemporaryDirectory() as folder:
        ticks = run_emulated(linked(core, flags, Path(folder)), board.table["emulator"][-1], *COUNTED)
    instruction = 1e9 / int(board.table["clock"]) / NANOSECONDS_PER_INSTRUCTION
    return {layer: ticks[str(n)] * instruction for n, layer in enumerate(layers)}


def linked(core: Core, flags: Sequence[str], folder: Path) -> Path:
    """Build the program for the core, and return its path."""
    board = core.board()
    elf, main = folder / "counts.elf", folder / "counts_main.o"
    common = compiler(core)
    objects.run([*common, *flags, "-c", str(SOURCE), "-o", str(main)])
    kernels = [path for path in runtime_sources() if path.stem in SOURCES or OWN & set(path.parts)]
    sources = [FIRMWARE / "src" / "device" / "fault.c", *board.own_sources(), *kernels]
    link = [flag for flag in board_flags(board) if not flag.startswith(("-D", "-mcpu"))]
    objects.build(common, sources, elf, str(main), *link, "-Wl,--gc-sections", "-Wl,--defsym=RAM_SIZE=0x80000")
    return elf


def compiler(core: Core) -> list[str]:
    """Return the compiler with its flags."""
    board = core.board()
    folders = [*INCLUDES, RUNTIME / "generated", FIRMWARE / "boards", FIRMWARE / "src"]
    folders.append(ROOT / "host_tools" / "gradmote" / "report" / "bench")
    common = ["arm-none-eabi-gcc", *(core.flags or board.table["cpu_flags"]), "-O2", *NUMERICS_FLAGS, "-ffreestanding"]
    common += ["-ffunction-sections", f"-DGM_FUSED={int(board.table['profile'] == 'fused')}"]
    common += [flag for flag in board_flags(board) if flag.startswith("-D") and "GM_FUSED" not in flag]
    return common + [f"-I{path}" for path in folders]


def initializer(number: int, layer: Layer, kernel: Kernel) -> str:
    packs = "panel_words" in kernel.kind.__annotations__
    words = panel_words(layer.instruction(kernel.kind)) if packs else 0  # type: ignore[arg-type]
    sizes = [layer.h, layer.w, layer.groups, layer.in_channels, layer.out_channels, layer.kernel_h, layer.kernel_w]
    return ",".join(map(str, [f'"{number}"', *sizes, layer.stride, layer.pad, words]))
