"""The rounds of federated learning (docs/SPEC.md, "Delta"): which parameters a delta has, and in how many bits."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

from gradmote.errors import DataError

#: The allowed bits per number of a delta.
BITS = (2, 4, 8)


def shared_mask(names: Sequence[str], shared: str | Sequence[str] | None) -> bytes:
    """Return which parameters a delta has: bit i % 8 of byte i / 8 for the i-th name.

    shared: shell-style patterns of names ("conv*"), or None for all parameters, which gives no bytes. Raises
    DataError if a pattern matches no name.
    """
    if shared is None:
        return b""
    mask = bytearray((len(names) + 7) // 8)
    for pattern in [shared] if isinstance(shared, str) else shared:
        found = [index for index, name in enumerate(names) if fnmatch.fnmatchcase(name, pattern)]
        if not found:
            raise DataError(f"no parameter is called '{pattern}'", f"there are {', '.join(names)}")
        for index in found:
            mask[index // 8] |= 1 << index % 8
    return bytes(mask)


def is_shared(name: str, shared: Sequence[str]) -> bool:
    """Return whether one of the patterns matches the parameter."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in shared)


def check_bits(bits: int) -> int:
    """Return the bits per number of a delta. Raises DataError for an unsupported number."""
    if bits not in BITS:
        raise DataError(f"a delta of {bits} bits does not exist", f"use one of {', '.join(map(str, BITS))}")
    return bits
