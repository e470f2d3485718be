"""Compare the verifier that was written from docs/SPEC.md with the product's, over mutants of images.

    cd tests && python -m spec.compare_verifiers [--mutants 10000] [--seed 1]

It prints how many mutants got each code, and every one for which the two differ; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bindings" / "python")]

from spec.mutate import mutants  # noqa: E402
from spec.read_tables import codes, opcodes  # noqa: E402
from spec.regions import LIMIT  # noqa: E402
from spec.run_drawn import drawn_image  # noqa: E402
from spec.trained_models import image  # noqa: E402
from spec.verify import error_of  # noqa: E402

from gradmote_runtime.library import load  # noqa: E402


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
    """Return the images that are changed: of networks, with and without a store, as often as of single opcodes."""
    networks = [image("mlp", "adam"), image("dropout", "adamw", accumulate=True), image("cnn", "sgd"),
                image("normalized", "momentum", accumulate=True), image("mlp", "sgd", store=12)]  # fmt: skip
    return 24 * networks + [drawn_image(opcode, 7) for opcode in opcodes().values()]


def differences(count: int, seed: int, images: Sequence[bytes]) -> tuple[Counter[str], list[str]]:
    """Return how many mutants got each code, and what was said of those that the two verifiers do not agree on."""
    product, tally, found = Product(), Counter[str](), []
    for number, mutant in enumerate(mutants(images, count, seed)):
        expected, said = product.error_of(mutant), error_of(mutant)
        tally[expected] += 1
        if said != expected:
            found.append(f"mutant {number} of seed {seed}: the runtime says {expected}, the second verifier {said}")
    return tally, found


def main() -> int:
    """Compare so many mutants, and tell what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    tally, found = differences(given.mutants, given.seed, originals())
    print(*(f"{count:7} {name}" for name, count in tally.most_common()), *found, sep="\n")
    print(f"{given.mutants} mutants, {len(found)} with another code")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
