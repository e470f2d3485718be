"""Train the twin of an installed gradmote: `python same_state.py MODEL.mote STEPS PROFILE`. Prints its state's SHA-256.

The data are those of tests/bindings/same_state.py. Beside gradmote, it needs no package.
"""

from __future__ import annotations

import hashlib
import sys
from array import array
from pathlib import Path

from gradmote_runtime import Session

PIXELS = 64


def sample(step: int) -> tuple[array[float], array[int]]:
    """Return the pixels and the label of a step."""
    state, pixels = step + 1, array("f")
    for _ in range(PIXELS):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        pixels.append((state >> 8) / 2**24)
    return pixels, array("i", [step * 7 % 10])


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
