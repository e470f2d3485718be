"""`gradmote train --lr -1` said "check pointers"."""

from __future__ import annotations

import pytest

from gradmote.device.client import Client
from gradmote.device.twin_target import TwinTarget
from gradmote.errors import DataError

#: Targets that ask neither a board nor a session: what there is not is refused before.
TARGETS = [Client.__new__(Client), TwinTarget.__new__(TwinTarget)]


@pytest.mark.parametrize("rate", [-1.0, -1e-30, float("nan"), float("inf"), 1e39])
@pytest.mark.parametrize("target", TARGETS, ids=["board", "twin"])
def test_it_says_what_is_wrong_with_the_rate(target, rate):
    with pytest.raises(DataError, match="the learning rate is .* - it must be finite, and 0 or more"):
        target.set_learning_rate(rate)


@pytest.mark.parametrize(
    ("warmup", "total", "said"), [(10, 5, "rise for 10 steps, but there are 5"), (0, 0, "no steps")]
)
@pytest.mark.parametrize("target", TARGETS, ids=["board", "twin"])
def test_it_says_what_is_wrong_with_the_schedule(target, warmup, total, said):
    with pytest.raises(DataError, match=said):
        target.set_linear_schedule(0.1, warmup, total)
