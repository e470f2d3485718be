"""A network reaches one state in every form of the runtime, through a power cut and a reload: of float32, one in each
profile."""

from __future__ import annotations

from functools import cache

import pytest
from device import one_state

pytestmark = pytest.mark.device

#: .ci/nightly trains for longer: `python -m device.one_state`.
STEPS = 20
#: The rows that tests/toolchain/numerics_bits has with its own programs are left out.
ROWS = [row for row in one_state.rows() if not row.name.startswith("this computer")]


@cache
def expected(lesson: str, profile: str) -> str:
    """Return the digest of a twin without an interruption."""
    return one_state.expected(one_state.Lesson(lesson, STEPS), profile)


@pytest.mark.parametrize("lesson", one_state.LESSONS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_one_state(row: one_state.Row, lesson: str) -> None:
    try:
        found = one_state.found_digest(row, one_state.Lesson(lesson, STEPS))
    except one_state.Missing as lack:
        pytest.skip(f"there is no {lack}")
    assert found == expected(lesson, row.profile)


def test_these_cores_share_a_state_of_float32() -> None:
    strict = {row.name.split(",")[0] for row in one_state.rows() if row.profile == "strict"}
    assert strict >= {"Cortex-M0", "Cortex-M3", "Cortex-M4F", "Cortex-M33", "rv32imac", "wasm", "twin", "this computer"}


def test_the_state_depends_on_every_step() -> None:
    """Otherwise, an interruption that loses a step would not show."""
    assert len({one_state.expected(one_state.Lesson("int8", steps)) for steps in (STEPS - 1, STEPS, STEPS + 1)}) == 3
