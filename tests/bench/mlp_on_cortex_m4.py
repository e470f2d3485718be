"""The cost of an MLP 64-32-10 on a Cortex-M4F: code, arena, instructions a step, and what the instruction stream adds.

    python tests/bench/mlp_on_cortex_m4.py [--json]

Instructions are counted exactly: the emulated board's clock advances 2^7 ns with each (`-icount shift=7`).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from threading import Timer

import numpy as np
import onnx
import onnx.parser

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "site_scons"), str(ROOT / "tests")]

from boards import Board, read_board  # noqa: E402

from gradmote import losses, optimizers  # noqa: E402
from gradmote.artifacts import build_artifacts  # noqa: E402
from gradmote.compiler import Options, Result, compile_image  # noqa: E402
from gradmote.formats.image import read_image  # noqa: E402
from gradmote.formats.kernel_selection import needs_of  # noqa: E402
from gradmote.generated.records import SECTION  # noqa: E402
from gradmote.optimizers import Optimizer  # noqa: E402
from runtime_sources import CORTEX_M4_FLAGS, INCLUDES, NUMERICS_FLAGS, RUNTIME, runtime_sources  # noqa: E402
from support import objects  # noqa: E402

BENCH = Path(__file__).resolve().parent
FIRMWARE = ROOT / "firmware"
BOARD = read_board(FIRMWARE / "boards" / "mps2" / "mps2_an386" / "board.toml")
NANOSECONDS_PER_INSTRUCTION = 128
#: Seconds after which an emulated board hangs.
PATIENCE = 600.0
#: The emulator's clock advances by instructions. It takes twice the time.
COUNTED = ("-icount", "shift=7")
#: What the weighed trainer takes from outside: its image and storage, and libc.
OUTSIDE = ("image", "image_size", "arena", "arena_size", "write_flash", "read_flash", "memcpy", "memset", "memcmp")
#: AIfES on the same part, -O2, same network, batch 1, SGD.
AIFES_INSTRUCTIONS = 282_590


def mlp() -> onnx.ModelProto:
    """Linear 64-32, ReLU, Linear 32-10, weights as PyTorch lays them out."""
    model = onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["": 17]>
        mlp (float[N,64] x) => (float[N,10] y) {
          h = Gemm <transB = 1> (x, w1, b1)
          a = Relu (h)
          y = Gemm <transB = 1> (a, w2, b2)
        }""")
    rng = np.random.default_rng(0)
    for name, shape in {"w1": (32, 64), "b1": (32,), "w2": (10, 32), "b2": (10,)}.items():
        array = rng.normal(0, 0.1, shape).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    return model


def compiled(optimizer: Optimizer, batch: int) -> Result:
    return compile_image(build_artifacts(mlp(), None, losses.cross_entropy(), optimizer), Options(batch=batch))


# ---- Code size


def trainer_text(level: str, flags: list[str], folder: Path, profile: str = "", rounds: bool = False) -> int:
    """Bytes of .text, constants included, of runtime and kernels linked into a trainer; libc is not counted. profile:
    of the numerics; empty for the board's own. rounds: whether the trainer calls those of federated learning."""
    elf = folder / f"trainer{level}.elf"
    outside = [f"-Wl,--defsym={name}=0x20000000" for name in OUTSIDE]
    chosen = [*flags, profile_flag(BOARD.with_profile(profile))]
    calls = ["-DWITH_ROUNDS=1"] if rounds else []
    (main,) = objects.objects([*gcc_command(level, chosen, elf), *calls], [BENCH / "trainer_main.c"])
    link = ["-nostdlib", "-Wl,--gc-sections", "-Wl,-e,main", *outside, str(main)]
    arm_gcc(level, kernels_and_runtime(), [*chosen, *link], elf)
    output = subprocess.run(["arm-none-eabi-size", elf], check=True, capture_output=True, text=True).stdout
    return int(output.splitlines()[1].split()[0])


def kernels_and_runtime() -> list[Path]:
    """Return the runtime's sources without those of other processors, which compile to nothing."""
    others = {path.name for path in (RUNTIME / "kernels" / "arch").iterdir() if path.is_dir()} - {"arm_m"}
    return [path for path in runtime_sources() if not others & set(path.parts)]


def rounds_text(level: str, flags: list[str], folder: Path) -> int:
    """Bytes of .text that rounds of federated learning add to a trainer, calls of them included."""
    return trainer_text(level, flags, folder, rounds=True) - trainer_text(level, flags, folder)


def arm_gcc(
    level: str, sources: list[Path], flags: list[str], out: Path, cpu_flags: Sequence[str] = CORTEX_M4_FLAGS
) -> None:
    command = gcc_command(level, flags, out, cpu_flags)
    objects.build(command, sources, out, *(flag for flag in flags if not flag.startswith("-D")))


def gcc_command(level: str, flags: list[str], out: Path, cpu_flags: Sequence[str] = CORTEX_M4_FLAGS) -> list[str]:
    """Return what compiles for a processor, with those of the flags that define something."""
    folders = (*INCLUDES, RUNTIME / "generated", FIRMWARE / "boards", FIRMWARE / "src", out.parent)
    includes = [f"-I{path}" for path in folders]
    defines = [flag for flag in flags if flag.startswith("-D")]
    common = ["arm-none-eabi-gcc", *cpu_flags, level, *NUMERICS_FLAGS, "-ffreestanding"]
    return [*common, "-ffunction-sections", "-fdata-sections", *includes, *defines]


def profile_flag(board: Board) -> str:
    """Return the define of the board's profile, which board_flags() has too."""
    return f"-DGM_FUSED={board.defines()['GM_FUSED']}"


# ---- Instructions a step


def step_instructions(result: Result, folder: Path) -> tuple[float, float]:
    """(instructions of one gm_step, of the same kernels called from straight C)."""
    write_header(result, folder / "bench_image.h")
    elf = folder / "bench.elf"
    sources = [
        BENCH / "mlp_main.c",
        FIRMWARE / "src" / "device" / "fault.c",
        *BOARD.own_sources(),
        *kernels_and_runtime(),
    ]
    arm_gcc("-O2", sources, board_flags(BOARD), elf)
    numbers = run_emulated(elf, "mps2-an386", *COUNTED)
    if numbers["failed"]:
        raise SystemExit(f"the image was refused with code -{numbers['failed']}")
    tick = 1e9 / numbers["ticks_per_second"] / NANOSECONDS_PER_INSTRUCTION / numbers["steps"]
    return numbers["stream_ticks"] * tick, numbers["straight_ticks"] * tick


def board_flags(board: Board) -> list[str]:
    """Return the flags with which the board's own sources are compiled and linked."""
    return [*(f"-D{name}={value}" for name, value in board.defines().items()), *board.link_flags()]


def write_header(result: Result, path: Path) -> None:
    """The image, one batch of data, and the kernels of program step in order."""
    image = read_image(result.image)
    code = image.header["sections"][SECTION["code"]]["offset"]
    at, word, calls = code, 0, []
    for program in image.programs:
        if program["kind"] == "step":
            for i in program["instructions"]:
                calls.append(f"K({i['opcode'].lower()}, {word})")
                word += 1 + len(i["operands"]) + len(i["params"])
            break
        at += program["code_size"]
    batch = result.compiled.batch
    pixels = np.random.default_rng(1).random(64 * batch, np.float32)
    lines = [
        f"static const uint8_t bench_image[] __attribute__((aligned(16))) = {{ {', '.join(map(str, result.image))} }};",
        f"static const float bench_input[] = {{ {', '.join(f'{p!r}f' for p in pixels.tolist())} }};",
        f"static const int32_t bench_label[] = {{ {', '.join(str(i % 10) for i in range(batch))} }};",
        f"#define BENCH_ARENA {(result.layout.arena_size + 15) // 16 * 16}",
        f"#define BENCH_CODE {at}",
        f"#define STRAIGHT(K) {' '.join(calls)}",
    ]
    path.write_text("\n".join(lines) + "\n")


def run_emulated(elf: Path, machine: str = "mps2-an386", *options: str) -> dict[str, int]:
    """The numbers that the board prints before `done`. options: further ones of the emulator, as COUNTED."""
    alone = ["-display", "none", "-monitor", "none", "-serial", "stdio"]
    return printed_numbers(["qemu-system-arm", "-M", machine, "-kernel", str(elf), *alone, *options])


def printed_numbers(command: Sequence[str]) -> dict[str, int]:
    """Return the numbers that an emulated board prints by their names before `done`; then end the emulator.

    Raises AssertionError if it ends, or has taken PATIENCE seconds, before that.
    """
    numbers: dict[str, int] = {}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        limit = Timer(PATIENCE, process.kill)
        limit.start()
        lines = iter(process.stdout or ())
        while (line := next(lines, "").strip()) not in ("", "done"):
            name, value = line.split()
            numbers[name] = int(value)
        limit.cancel()
        process.kill()
    assert line == "done", f"the board prints no `done`, but {numbers}"
    return numbers


# ---- All figures


def measure(optimizer: Optimizer, batch: int = 1, levels: Sequence[str] = ("O2", "Os")) -> dict[str, float]:
    """All figures for one optimizer and batch. levels: the compiler's, at which code is weighed."""
    result = compiled(optimizer, batch)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stream, straight = step_instructions(result, folder)
        figures = {
            "arena": result.layout.arena_size,
            "image": len(result.image),
            "instructions": stream,
            "stream_overhead": (stream - straight) / stream,
        }
        for level in levels:
            figures |= sizes(result, level, folder)
    return figures


def sizes(result: Result, level: str, folder: Path) -> dict[str, int]:
    """Bytes of .text at one level of the compiler: in the board's profile, in the fused one, and of rounds."""
    flags = needs_of(result.image).flags()
    return {
        f"text_{level}": trainer_text(f"-{level}", flags, folder),
        f"fused_{level}": trainer_text(f"-{level}", flags, folder, "fused"),
        f"rounds_{level}": rounds_text(f"-{level}", flags, folder),
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--json", action="store_true", help="print JSON")
    as_json = arguments.parse_args().json
    rows = {f"{o.rule}, batch {b}": measure(o, b) for o in (optimizers.sgd(0.1), optimizers.adamw()) for b in (1, 8)}
    if as_json:
        print(json.dumps(rows))
        return
    columns = (".text -O2", "-Os", "fused -O2", "-Os", "rounds -O2", "-Os", "arena", "image", "instr/step", "stream")
    counted = ("text_O2", "text_Os", "fused_O2", "fused_Os", "rounds_O2", "rounds_Os", "arena", "image")
    print(f"{'MLP 64-32-10, Cortex-M4F':<26}" + "".join(f"{c:>11}" for c in columns))
    for name, r in rows.items():
        shown = "".join(f"{r[c]:>11,}" for c in counted)
        print(f"{name:<26}{shown}{r['instructions']:>11,.0f}{r['stream_overhead']:>11.2%}")
    first = rows["sgd, batch 1"]["instructions"]
    times = AIFES_INSTRUCTIONS / first
    print(f"SGD, batch 1: {times:.1f} times fewer instructions than AIfES ({AIFES_INSTRUCTIONS:,})")


if __name__ == "__main__":
    main()
