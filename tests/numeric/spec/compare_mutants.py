"""Compare what both implementations do with mutants of images: refuse them, or open them and run their programs.

    cd tests && python -m numeric.spec.compare_mutants [--mutants 10000] [--seed 1]

It prints how many mutants got each code, and every one that the two treat otherwise; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bindings" / "python")]

from numeric.spec.machine import KERNELS  # noqa: E402
from numeric.spec.mutate import mutants  # noqa: E402
from numeric.spec.read_image import Image  # noqa: E402
from numeric.spec.read_tables import codes, opcodes  # noqa: E402
from numeric.spec.regions import LIMIT  # noqa: E402
from numeric.spec.run_drawn import difference, drawn_image  # noqa: E402
from numeric.spec.trained_models import image, quantized, streamed  # noqa: E402
from numeric.spec.verify import error_of  # noqa: E402
from numeric.spec.verify_program import KINDS, LOOPS, instructions  # noqa: E402

from gradmote_runtime.library import cpu_has_fma, load  # noqa: E402

#: Bytes of the arena of what is run.
MOST_ARENA = 1 << 20


class Product:
    """The C runtime's verifier."""

    def __init__(self) -> None:
        self._module = load("strict")
        self._names = {code: name for name, code in codes().items()} | {0: "OK"}

    def error_of(self, data: bytes, arena_size: int = LIMIT) -> str:
        """Return the name of its code for an image of these bytes, at a multiple of 16."""
        ffi = self._module.ffi
        memory = ffi.new("uint8_t[]", len(data) + 15)
        start = memory + -int(ffi.cast("uintptr_t", memory)) % 16
        ffi.memmove(start, data, len(data))
        return self._names[self._module.lib.gm_verify_image(start, len(data), arena_size)]


def originals() -> list[bytes]:
    """Return the images that are changed: of networks, with and without a store, and of single opcodes."""
    networks = [image("mlp", "adam"), image("dropout", "adamw", accumulate=True), image("cnn", "sgd"),
                image("normalized", "momentum", accumulate=True), image("mlp", "sgd", store=12),
                image("mlp", "adamw, bf16"), quantized(store=4), quantized(accumulate=True)]  # fmt: skip
    single = [drawn_image(opcode, 7) for opcode in opcodes().values() if opcode.name not in LOOPS]
    return 24 * networks + 12 * [streamed(seed) for seed in (1, 2, 3)] + single


def differences(count: int, seed: int, images: Sequence[bytes]) -> tuple[Counter[str], list[str]]:
    """Return how many mutants got each code, and what was said of those that are not treated alike."""
    product, tally, found = Product(), Counter[str](), []
    for number, mutant in enumerate(mutants(images, count, seed)):
        expected, said = product.error_of(mutant), error_of(mutant)
        tally[expected] += 1
        if said != expected:
            found.append(f"mutant {number} of seed {seed}: the runtime says {expected}, the second verifier {said}")
        elif expected == "OK" and _can_run(mutant):
            tally["of these ran"] += 1
            reported = difference(mutant, ("fused" if cpu_has_fma() else "strict", "strict")[number % 2])
            found += [f"mutant {number} of seed {seed}: {reported}"] if reported else []
    return tally, found


def _can_run(data: bytes) -> bool:
    """Return whether an image that opens has a small arena, and kernels in both implementations."""
    image = Image(data)
    names = {instruction.opcode.name for kind in KINDS for instruction in instructions(image, kind)}
    return image.header.arena_size <= MOST_ARENA and names - set(LOOPS) <= KERNELS.keys()


def main() -> int:
    """Compare so many mutants, and print the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    tally, found = differences(given.mutants, given.seed, originals())
    print(*(f"{count:7} {name}" for name, count in tally.most_common()), *found, sep="\n")
    print(f"{given.mutants} mutants, {len(found)} treated otherwise")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
