"""Train the twin of an installed gradmote: `python same_state.py MODEL.mote STEPS PROFILE`. Prints its state's SHA-256.

In step k = 0, 1, ..., the 64 pixels are drawn from the seed k + 1, and the label is 7 k mod 10.
tests/bindings/same_state.py trains every binding on the same data. This file needs no package but gradmote.
"""

from __future__ import annotations

import hashlib
import sys
from array import array
from pathlib import Path

from gradmote_runtime import Session

PIXELS = 64


def drawn(count: int, seed: int) -> array[float]:
    """Return numbers in 0 .. 1 that every language can make.

    Each is (s >> 8) / 2^24 after s = (1664525 s + 1013904223) mod 2^32. s starts as the seed.
    """
    state, numbers = seed, array("f")
    for _ in range(count):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        numbers.append((state >> 8) / 2**24)
    return numbers


def sample(step: int) -> tuple[array[float], array[int]]:
    """Return the pixels and the label of a step."""
    return drawn(PIXELS, step + 1), array("i", [step * 7 % 10])


def main(model: str, steps: str, profile: str) -> None:
    """Train in one thread, then in four that must end in the same state."""
    digests = set()
    for threads in (1, 4):
        with Session(Path(model).read_bytes(), profile, threads) as session:
            for step in range(int(steps)):
                session.step(*sample(step))
            digests.add(hashlib.sha256(session.save()).hexdigest())
    print(*digests)


if __name__ == "__main__":
    main(*sys.argv[1:])
