"""A few draws of each operator; `python -m numeric.sweep` makes many."""

from __future__ import annotations

import logging

import pytest
from numeric.sweep.draws import DRAWS, drawn
from numeric.sweep.explained import explanation
from numeric.sweep.outcomes import KINDS, outcome

from gradmote.operators import OPERATORS
from support.sampling import draws

#: Operators without an oracle: their numbers are our own.
RANDOM = {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}


@pytest.mark.parametrize("op_type", sorted(DRAWS))
def test_nothing_is_unexplained(op_type: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    for seed in range(draws("sweep")):
        draw = drawn(op_type, seed)
        found = outcome(draw)
        assert not KINDS[found.kind] or explanation(draw, found), f"seed {seed} {found} {draw}"


def test_every_operator_is_drawn() -> None:
    assert {op_type for domain, op_type in OPERATORS if not domain} == {*DRAWS} - {
        "Hardmax",
        "GlobalAveragePool",
    } | RANDOM
