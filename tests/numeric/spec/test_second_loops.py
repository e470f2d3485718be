"""An executor written from docs/SPEC.md alone runs loops as the product does."""

from __future__ import annotations

import pytest
from numeric.spec.read_image import Image
from numeric.spec.run_drawn import difference
from numeric.spec.trained_models import streamed
from numeric.spec.verify_program import instructions

SEEDS = range(1, 6)


@pytest.mark.parametrize("seed", SEEDS)
def test_streamed_networks(seed: int, profile: str) -> None:
    assert difference(streamed(seed), profile) is None


def test_they_have_loops() -> None:
    found = {i.opcode.name for seed in SEEDS for i in instructions(Image(streamed(seed)), "INFER")}
    assert {"LOOP", "GUARD", "SHIFT"} <= found
