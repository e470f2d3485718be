"""The sources compile in projects of STM32CubeIDE, and train to the twin's bits."""

from __future__ import annotations

import pytest
from bench.builds.arm_projects import PACK, ROWS, build, missing
from bench.builds.cmake import Case, run

from support import train_state


@pytest.mark.parametrize("row", [row for row in ROWS if row != PACK], ids=lambda row: row.name)
def test_a_project_of_cubeide_trains_to_the_twins_bits(row, tmp_path):
    if lacks := missing(row):
        pytest.skip(f"{lacks} is not installed")
    case = Case(tmp_path)
    program = build(row, case, tmp_path)
    assert run(row, program, case) == train_state.said_by_twin(case.image, case.batches, row.profile)
