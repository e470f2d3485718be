"""The RAM that int8 networks train in is within what docs/QUANTIZATION.md promises."""

from __future__ import annotations

import pytest
from bench.quantized.memory import INT16, LIMITS, compiled


@pytest.mark.parametrize("network", LIMITS)
def test_all_weights_train_within_the_limit(network: str) -> None:
    assert compiled(network, INT16).layout.arena_size <= LIMITS[network]
