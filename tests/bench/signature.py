"""Instructions that the check of an image's signature takes: docs/CONSOLE.md's table.

    cd tests && python -m bench.signature

Counted on an emulated Cortex-M4F, which runs the code of a Cortex-M0 and M3 too.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from bench.mlp_on_cortex_m4 import BENCH, BOARD, FIRMWARE, NANOSECONDS_PER_INSTRUCTION, board_flags
from boards import BUILD, signature_sources
from monocypher import fetch_monocypher

MESSAGE = 65536  #: bytes, of signature_main.c
CORES = {
    "Cortex-M0": ["-mcpu=cortex-m0", "-mthumb"],
    "Cortex-M3": ["-mcpu=cortex-m3", "-mthumb"],
    "Cortex-M4F": ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"],
}


def build(core: list[str], elf: Path) -> None:
    board = BOARD.demanding(bytes(32), fetch_monocypher(BUILD))
    sources = [path for path in signature_sources(board.monocypher) if path.name != "signature.c"]
    sources += [BENCH / "signature_main.c", FIRMWARE / "src" / "device" / "fault.c", *BOARD.own_sources()]
    flags = [*(flag for flag in board_flags(BOARD) if not flag.startswith(("-mcpu", "-mfpu", "-mfloat"))), *core]
    includes = [f"-I{path}" for path in board.includes()]
    options = ["-O2", "-std=c99", "-ffreestanding", "-ffunction-sections", "-fdata-sections"]
    subprocess.run(["arm-none-eabi-gcc", *options, *includes, *map(str, sources), *flags, "-o", str(elf)], check=True)


def count(elf: Path) -> dict[str, int]:
    """Run the program on the emulated board, and return the names and numbers that signature_main.c prints."""
    command = ["qemu-system-arm", "-M", "mps2-an386", "-kernel", str(elf), "-display", "none", "-monitor", "none"]
    command += ["-serial", "stdio", "-icount", "shift=7"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            reported = dict(line.split() for line in iter(process.stdout.readline, "done\n"))
        finally:
            process.kill()
    return {name: int(value) for name, value in reported.items()}


def main() -> None:
    print("| core | instructions of a check | and for each byte | 100 KB at 25 MHz, 1.5 cycles each |")
    print("|---|---|---|---|")
    for name, core in CORES.items():
        with tempfile.TemporaryDirectory() as folder:
            elf = Path(folder) / "signature.elf"
            build(core, elf)
            reported = count(elf)
        assert reported["right"] == 1
        tick = 1e9 / reported["ticks_per_second"] / NANOSECONDS_PER_INSTRUCTION
        check, byte = reported["check"] * tick, reported["hash"] * tick / MESSAGE
        print(f"| {name} | {check / 1e6:.1f} million | {byte:.0f} | {(check + 1e5 * byte) * 1.5 / 25e6:.1f} s |")


if __name__ == "__main__":
    main()
