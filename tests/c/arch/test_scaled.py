"""Requantization without FPU has the bits of float arithmetic: one product, rounded, then to the nearest integer."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support import objects

HERE = Path(__file__).resolve().parent


def test_drawn_sums_have_the_bits_of_float_arithmetic(tmp_path: Path) -> None:
    program = tmp_path / "scaled"
    objects.build(objects.command_for_host("gcc", "-O2", "strict"), [HERE / "scaled_main.c"], program)
    differ, by_floats, drawn = map(
        int, subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
    )
    assert drawn == 4_000_000
    assert differ == 0
    assert by_floats < drawn  # each draw is made twice, of the digits of a factor and of all
