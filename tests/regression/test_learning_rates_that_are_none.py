"""`gradmote train --lr -1` said "check pointers"."""

from __future__ import annotations

import pytest

from gradmote import Session
from gradmote.device.client import Client
from gradmote.errors import DataError
from support.classifier_image import classifier_image


@pytest.fixture(params=[Session, Client])
def set_rate(request):
    """How a session takes a rate; and how a board is given one, which is not asked then."""
    if request.param is Client:
        return Client.__new__(Client).set_learning_rate
    session = Session(classifier_image())
    return lambda rate: setattr(session, "learning_rate", rate)


@pytest.mark.parametrize("rate", [-1.0, -1e-30, float("nan"), float("inf"), 1e39])
def test_it_says_what_is_wrong_with_the_rate(set_rate, rate):
    with pytest.raises(DataError, match="the learning rate is .* - it must be finite, and 0 or more"):
        set_rate(rate)


@pytest.mark.parametrize(
    ("warmup", "total", "said"), [(10, 5, "rise for 10 steps, but there are 5"), (0, 0, "no steps")]
)
def test_it_says_what_is_wrong_with_the_schedule(warmup, total, said):
    for scheduled in (Session(classifier_image()), Client.__new__(Client)):
        with pytest.raises(DataError, match=said):
            scheduled.set_linear_schedule(0.1, warmup, total)
