"""A device sends the same bytes in rounds of federated learning from every form of the runtime, through a power cut."""

from __future__ import annotations

import pytest
from boards import boards
from device import one_round, one_state

pytestmark = pytest.mark.device

#: Of each round. .ci/nightly trains for longer, in all forms: `python -m device.one_round`.
STEPS = 4
#: The two kinds of parameters; int16 masters are left to the command.
LESSONS = ("int8", "float32")
#: One form of each kind.
NAMES = (
    "twin, fused",
    "twin, strict",
    "this computer, gcc -O3, strict",
    "wasm, simd",
    "Cortex-M0, microbit",
    "Cortex-M4F, mps2-an386",
    "rv32, riscv-virt",
    "Linux, gradmote-run",
)
ROWS = [row for row in one_round.rows() if row.name in NAMES]


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_one_round(row: one_state.Row, name: str) -> None:
    lesson = one_round.Lesson(name, STEPS)
    try:
        found = one_state.found_digest(row, lesson)
    except one_state.Missing as lack:
        pytest.skip(f"there is no {lack}")
    assert found == one_round.expected(lesson, row.profile)


@pytest.mark.skipif(len(one_state.PROFILES) < 2, reason="this CPU has no fused multiply-add")
@pytest.mark.parametrize(("name", "digests"), [("int8", 1), ("int16", 1), ("float32", 2)])
def test_integers_have_one_digest_in_both_profiles(name: str, digests: int) -> None:
    lesson = one_round.Lesson(name, STEPS)
    assert len({one_round.expected(lesson, profile) for profile in one_state.PROFILES}) == digests


@pytest.mark.parametrize("name", one_round.LESSONS)
def test_a_device_comes_to_the_servers_base(name: str) -> None:
    rounds = one_round.rounds_of(one_round.Lesson(name, STEPS), "strict")
    assert rounds.bytes.endswith(rounds.base)


def test_the_boards_without_rounds_are_said() -> None:
    lacking = {board.name for board in boards() if not board.table.get("rounds", 1)}
    assert lacking == {name.split(", ")[1] for name in one_round.WITHOUT_ROUNDS}


def test_the_digest_depends_on_every_step() -> None:
    """Otherwise, an interruption that loses a step would not show."""
    assert len({one_round.expected(one_round.Lesson("int8", steps), "strict") for steps in (3, 4, 5)}) == 3
