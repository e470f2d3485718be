"""Devices of a simulation have all samples between them, alike or in shares of their own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradmote.errors import DataError
from gradmote.federated.partition import by_column, drawn_alike, drawn_unlike
from support.sampling import at_most

LABELS = np.arange(1000) % 10


@settings(deadline=None, max_examples=at_most(30))
@given(st.integers(1, 50), st.sampled_from([0.05, 1.0, 100.0]), st.integers(0, 9))
def test_each_sample_has_one_device(devices, alpha, seed):
    for parts in (drawn_alike(1000, devices, None, seed), drawn_unlike(LABELS, devices, None, alpha, seed)):
        assert len(parts) == devices
        assert sorted(np.concatenate(list(parts.values()))) == list(range(1000))
        sizes = [len(rows) for rows in parts.values()]
        assert max(sizes) - min(sizes) <= 1


def share_of_the_first_class(alpha: float) -> float:
    """Return the share of a device's most frequent class, mean of all."""
    parts = drawn_unlike(LABELS, 20, 50, alpha, seed=1).values()
    return float(np.mean([np.bincount(LABELS[rows]).max() / len(rows) for rows in parts]))


def test_a_small_alpha_gives_devices_few_classes():
    """The largest of ten shares from Dirichlet(0.05, ...) is over 0.7 in the mean; of equal ones it is 0.1."""
    assert share_of_the_first_class(0.05) > 0.7
    assert share_of_the_first_class(1000.0) < 0.25


def test_each_device_draws_as_many_samples_as_are_asked():
    for parts in (drawn_alike(1000, 7, 30, 0), drawn_unlike(LABELS, 7, 30, 0.5, 0), drawn_alike(10, 3, 30, 0)):
        assert {len(rows) for rows in parts.values()} == {30}
    assert len(set(drawn_alike(1000, 1, 30, 0)["1"])) == 30


def test_a_column_tells_devices_apart():
    parts = by_column(np.array([3, 1, 3, 1, 1, 2.5]))
    assert {name: rows.tolist() for name, rows in parts.items()} == {"1": [1, 3, 4], "2.5": [5], "3": [0, 2]}
    with pytest.raises(DataError, match="all samples have the value 4"):
        by_column(np.full(3, 4))
    with pytest.raises(DataError, match="2 values"):
        by_column(np.zeros((3, 2)))
