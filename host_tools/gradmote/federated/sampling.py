"""Poisson sampling: each device takes part in a round with the same probability, independently of the others.

Epsilon over many rounds is small only if participants are drawn like this and stay secret (Abadi et al., 2016,
"Deep Learning with Differential Privacy").
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from fractions import Fraction

#: The size of a key, and of a tag, in bytes.
KEY_BYTES = 32


def poisson_sample(names: Iterable[str], probability: float, key: bytes, number: int) -> list[str]:
    """Return the devices that take part in a round, sorted.

    names: of all devices. probability: of each, 0 .. 1. key: a secret from a cryptographic source; whoever has it can
    compute who took part. number: of the round. Equal arguments give the same result, so a restarted server continues
    with the same devices.
    """
    below = int(Fraction(probability) * 2 ** (8 * KEY_BYTES))
    return [name for name in sorted(names) if _drawn(key, number, name) < below]


def _drawn(key: bytes, number: int, name: str) -> int:
    """Return a number in 0 .. 2^256 - 1 that looks uniform and independent to anybody without the key."""
    return int.from_bytes(hmac.digest(key, f"{number}\n{name}".encode(), "sha256"), "little")
