"""Poisson sampling: each device takes part in a round with the same chance, whatever the others do.

Epsilon of many rounds is small only where who takes part is drawn like this and stays a secret (Abadi et al., 2016,
"Deep Learning with Differential Privacy").
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from fractions import Fraction

#: The bytes of a key, and of a tag.
KEY_BYTES = 32


def poisson_sample(names: Iterable[str], probability: float, key: bytes, number: int) -> list[str]:
    """Return the devices that take part in a round, sorted.

    names: of all devices. probability: of each, 0 .. 1. key: a secret from a cryptographic source; whoever has
    it can tell who took part. number: of the round. Equal arguments have one result, so a server that starts again goes
    on with the same devices.
    """
    below = int(Fraction(probability) * 2 ** (8 * KEY_BYTES))
    return [name for name in sorted(names) if _drawn(key, number, name) < below]


def _drawn(key: bytes, number: int, name: str) -> int:
    """Return a number of 0 .. 2^256 - 1 that looks uniform and independent to all who have not the key."""
    return int.from_bytes(hmac.digest(key, f"{number}\n{name}".encode(), "sha256"), "little")
