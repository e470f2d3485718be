"""After a slot record of generation 0xFFFFFFFE each save was reported as done, with a generation that no start looks
at: what was learned was lost. The program that follows these conversations compares each save with what a restart
loads."""

from __future__ import annotations

import pytest
from fuzz import conversing, seeds
from regression import forged


@pytest.mark.parametrize("generation", [0, 1, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFF])
def test_saves_are_loaded(generation, tmp_path):
    conversing.build()
    said = forged.programmed(forged.slot(generation, 448), forged.slot(generation + 0x80000000, 448)) + forged.samples()
    for number in range(6):
        said += seeds.request(20 + number, "RUN", program=4) + seeds.request(40 + number, "SAVE")
    assert "6 saves" in conversing.follow(said, tmp_path)
