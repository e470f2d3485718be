"""Compares the states of two targets bit by bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..device.target import Target
from ..device.twin_target import TwinTarget
from ..formats import records
from ..formats.checkpoint import read_properties
from ..formats.image import read_image

__tracebackhide__ = True  # pytest shows the line of the test

#: The most tensors of the state that a message lists.
LONGEST = 6


def assert_same_state(one: Target, other: Target) -> None:
    """Assert that two targets have equal states: parameters, moments, counters and properties.

    They are equal to the last bit if both have the same image and the same numerics profile, and went
    through the same calls. A board's profile is `board.info().profile`.
    """
    models = [target.info().model_id.hex() for target in (one, other)]
    if models[0] != models[1]:
        raise AssertionError(f"{one.name} and {other.name} hold different models: {models[0]} and {models[1]}")
    states = one.state(), other.state()
    if states[0] == states[1]:
        return
    lines = list(_differences(one, other, *states))
    more = [f"and {len(lines) - LONGEST} more"] if len(lines) > LONGEST else []
    raise AssertionError("\n  ".join([_sentence(one, other), *lines[:LONGEST], *more]))


def _sentence(one: Target, other: Target) -> str:
    profiles = one.info().profile, other.info().profile
    reason = "" if profiles[0] == profiles[1] else f": their numerics are {profiles[0]} and {profiles[1]}"
    return f"{one.name} and {other.name} hold different states{reason}"


def _differences(one: Target, other: Target, a: bytes, b: bytes) -> Iterator[str]:
    """Yield one line for each tensor of the state that differs."""
    twin = next((t for t in (one, other) if isinstance(t, TwinTarget)), one)
    for row in read_image(twin.image()).state:
        span = slice(row["offset"], row["offset"] + row["size"])
        if a[span] != b[span]:
            yield _TELL.get(row["role"], _values)(row, a[span], b[span])


def _control(row: dict[str, Any], a: bytes, b: bytes) -> str:
    return _fields(records.unpack("control", a), records.unpack("control", b))


def _properties(row: dict[str, Any], a: bytes, b: bytes) -> str:
    return f"properties: {_fields(read_properties(a), read_properties(b))}"


def _fields(a: dict[str, Any], b: dict[str, Any]) -> str:
    pairs = {name: (a.get(name), b.get(name)) for name in {**a, **b}}
    return ", ".join(f"{name} {x} and {y}" for name, (x, y) in pairs.items() if x != y)


def _values(row: dict[str, Any], a: bytes, b: bytes) -> str:
    """Return how many values differ, and the first of them."""
    x, y = (np.frombuffer(data, "<f4") for data in (a, b))
    different = np.flatnonzero(x.view("<u4") != y.view("<u4"))
    first = int(different[0])
    at = [int(i) for i in np.unravel_index(first, row["shape"])] if row["shape"] else []
    return (
        f"{row['name'] or row['role']}: {len(different):,} of {len(x):,} values differ, "
        f"the first at {at}: {x[first]:.9g} and {y[first]:.9g}"
    )


#: The functions that describe a difference, by the tensor's role; all other tensors are float32.
_TELL = {"control": _control, "properties": _properties}
