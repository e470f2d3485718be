"""A gateway that is killed in its rounds; bench.gateway_kills does it a hundred times."""

from __future__ import annotations

from bench import gateway_kills


def test_five_kills_change_no_bit() -> None:
    _, kills = gateway_kills.run(5, seed=0)
    assert kills == 5
