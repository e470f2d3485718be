"""Many devices take memory that is bounded by the bytes of their deltas, as docs/FEDERATED.md claims."""

from __future__ import annotations

from bench.federated import scale


def test_memory_grows_by_no_more_than_deltas_and_samples():
    """A device has 4,893 bytes of delta, 40 rows of samples, and its entries in tables: less than 9 KB."""
    few, many = scale([50, 350])
    assert many["bytes_up"] == 350 * 4893
    assert many["bytes_down"] == 350 * (48 + 8 + 9674)
    assert many["mb"] - few["mb"] < 300 * 9e3 / 1e6 + 4
