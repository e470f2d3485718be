"""Counts the machine instructions a multiply-accumulate of the kernels of int8 and int16, on emulated boards.

Panels are those that the compiler gives. No emulated board with a Cortex-M0 has room for these kernels: a Cortex-M3
runs its code (--core cortex-m0). dX and dW are the gradients of inputs and weights, of 16 bits. Of depthwise layers
whose stride is larger than 1, most of the gradient's work is on zeros.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.mlp_on_cortex_m4 import FIRMWARE, NANOSECONDS_PER_INSTRUCTION, board_flags, run_emulated
from boards import read_board

from gradmote.compiler.instruction import Buffer, Instruction, Ref
from gradmote.compiler.panels import panel_words
from gradmote.generated.instructions import ConvGradWS16, ConvGradXS16, ConvS8
from runtime_sources import INCLUDES, NUMERICS_FLAGS, ROOT, RUNTIME, runtime_sources
from support import objects

SOURCE = Path(__file__).resolve().parents[1] / "counts_main.c"
#: Of the kernels in plain C, beside which those for Cortex-M stand.
SOURCES = ("conv_s8", "conv_grad_x_s16", "conv_gradient_s16", "gradient_s16")
#: Folders of kernels for Cortex-M.
OWN = {"arm_m", "helium"}
#: Cores that no emulated board with enough memory has -> the compiler's flags.
CORES = {"cortex-m0": ("-mcpu=cortex-m0", "-mthumb", "-mfloat-abi=soft")}
BOARDS = ("mps2_an386", "mps2_an385", "mps3_an547")


@dataclass(frozen=True)
class Layer:
    """pad: on every side."""

    name: str
    h: int
    w: int
    groups: int
    in_channels: int
    out_channels: int
    kernel_h: int
    kernel_w: int
    stride: int = 1
    pad: int = 0

    def out(self) -> tuple[int, int]:
        return tuple(  # type: ignore[return-value]
            (size + 2 * self.pad - kernel) // self.stride + 1
            for size, kernel in ((self.h, self.kernel_h), (self.w, self.kernel_w))
        )

    def macs(self) -> int:
        out_h, out_w = self.out()
        taps = self.in_channels * self.kernel_h * self.kernel_w
        return out_h * out_w * self.groups * self.out_channels * taps

    def instruction(self, kind: type[Instruction]) -> Instruction:
        """The instruction of this layer, as far as the size of its panel depends on it."""
        known = dict.fromkeys([*kind.__annotations__], 0) | {
            "batch": 1, "groups": self.groups, "in_channels": self.in_channels, "out_channels": self.out_channels,
            "in_h": self.h, "in_w": self.w, "out_h": self.out()[0], "out_w": self.out()[1],
            "kernel_h": self.kernel_h, "kernel_w": self.kernel_w, "stride_h": self.stride, "stride_w": self.stride,
            "dilation_h": 1, "dilation_w": 1, "x_group": self.in_channels, "y_group": self.out_channels,
        }  # fmt: skip
        some = Ref(Buffer("any", 4, "scratch"))
        return kind(**{name: some if "Ref" in str(kind.__annotations__[name]) else known[name] for name in known})


LAYERS = (
    Layer("pointwise 96 to 96, 8x8", 8, 8, 1, 96, 96, 1, 1),
    Layer("pointwise 96 to 16, 8x8", 8, 8, 1, 96, 16, 1, 1),
    Layer("pointwise 16 to 96, 8x8", 8, 8, 1, 16, 96, 1, 1),
    Layer("pointwise 64 to 64, 25x5", 25, 5, 1, 64, 64, 1, 1),
    Layer("3x3, 16 to 16, 16x16", 16, 16, 1, 16, 16, 3, 3, 1, 1),
    Layer("3x3, 32 to 32, 8x8", 8, 8, 1, 32, 32, 3, 3, 1, 1),
    Layer("first 10x4, 1 to 64, 49x10", 49, 10, 1, 1, 64, 10, 4, 2, 1),
    Layer("first 3x3, 3 to 16, 32x32", 32, 32, 1, 3, 16, 3, 3, 2, 1),
    Layer("depthwise 3x3, 16, 16x16", 16, 16, 16, 1, 1, 3, 3, 1, 1),
    Layer("depthwise 3x3, 64, 25x5", 25, 5, 64, 1, 1, 3, 3, 1, 1),
    Layer("depthwise 3x3 by 2, 96, 16x16", 16, 16, 96, 1, 1, 3, 3, 2, 1),
    Layer("depthwise 5x5, 96, 10x10", 10, 10, 96, 1, 1, 5, 5, 1, 2),
    Layer("depthwise 7x7, 96, 10x10", 10, 10, 96, 1, 1, 7, 7, 1, 3),
)
#: Column -> the instruction, and the function of counts_main.c that runs its kernel.
KERNELS: dict[str, tuple[type[ConvS8 | ConvGradXS16 | ConvGradWS16], str]] = {
    "forward": (ConvS8, "run_forward"),
    "dX": (ConvGradXS16, "run_gradient_of_inputs"),
    "dW": (ConvGradWS16, "run_gradient_of_weights"),
}


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quantized counts", description=__doc__)
    parser.add_argument("--board", choices=BOARDS, default=BOARDS[0])
    parser.add_argument("--core", choices=[*CORES], help="compile for this one, whose code the board's runs too")
    parsed = parser.parse_args(arguments)
    columns = {name: counted(parsed.board, name, CORES.get(parsed.core, ())) for name in KERNELS}
    print(f"{'machine instructions a multiply-accumulate':<44}" + "".join(f"{name:>9}" for name in columns))
    for layer in LAYERS:
        print(f"{layer.name:<44}" + "".join(f"{columns[name][layer]:>9.2f}" for name in columns))


def counted(name: str, kernel: str, core: Sequence[str] = ()) -> dict[Layer, float]:
    """Machine instructions a multiply-accumulate of one kernel on one board; core: the compiler's flags for another."""
    board = read_board(FIRMWARE / "boards" / "mps2" / name / "board.toml")
    kind, run = KERNELS[kernel]
    layers = "".join(f"{{{initializer(n, layer, kind)}}}," for n, layer in enumerate(LAYERS))
    flags = [f"-DLAYERS={layers}", f"-DRUN={run}", f'-DKERNEL="{kernel}"']
    of_board = board_flags(board)
    folders = [*INCLUDES, RUNTIME / "generated", FIRMWARE / "boards", FIRMWARE / "src"]
    folders.append(ROOT / "host_tools" / "gradmote" / "report" / "bench")
    cpu_flags = core or board.table["cpu_flags"]
    common = ["arm-none-eabi-gcc", *cpu_flags, "-O2", *NUMERICS_FLAGS, "-ffreestanding"]
    common += ["-ffunction-sections", f"-DGM_FUSED={int(board.table['profile'] == 'fused')}"]
    common += [*(flag for flag in of_board if flag.startswith("-D") and "GM_FUSED" not in flag)]
    common += [f"-I{path}" for path in folders]
    link = [*(flag for flag in of_board if not flag.startswith(("-D", "-mcpu"))), "-Wl,--defsym=RAM_SIZE=0x80000"]
    kernels = [path for path in runtime_sources() if path.stem in SOURCES or OWN & set(path.parts)]
    sources = [FIRMWARE / "src" / "device" / "fault.c", *board.own_sources(), *kernels]
    with tempfile.TemporaryDirectory() as folder:
        elf, source = Path(folder) / "counts.elf", Path(folder) / "counts_main.o"
        objects.run([*common, *flags, "-c", str(SOURCE), "-o", str(source)])
        objects.build(common, sources, elf, str(source), *link)
        ticks = run_emulated(elf, board.table["emulator"][-1])
    instruction = 1e9 / int(board.table["clock"]) / NANOSECONDS_PER_INSTRUCTION
    return {layer: ticks[f"{n}/{kernel}"] * instruction / layer.macs() for n, layer in enumerate(LAYERS)}


def initializer(number: int, layer: Layer, kind: type[ConvS8 | ConvGradXS16 | ConvGradWS16]) -> str:
    words = panel_words(layer.instruction(kind))  # type: ignore[arg-type]
    sizes = [layer.h, layer.w, layer.groups, layer.in_channels, layer.out_channels, layer.kernel_h, layer.kernel_w]
    return ",".join(map(str, [f'"{number}"', *sizes, layer.stride, layer.pad, words]))
