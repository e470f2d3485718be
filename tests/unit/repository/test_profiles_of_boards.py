"""The numerics profile that a board has, and the other one, which a build can take."""

import pytest
from boards import NoProfile, boards

BOARDS = {board.name: board for board in boards()}


def test_cores_whose_fused_multiply_add_takes_three_cycles_are_strict() -> None:
    profiles = {(board.table["core"].removesuffix("F"), board.table["profile"]) for board in BOARDS.values()}
    expected = {("Cortex-M4", "strict"), ("Cortex-M33", "strict"), ("Cortex-M7", "fused"), ("Cortex-M55", "fused")}
    assert expected <= profiles
    assert not {(core, {"strict": "fused", "fused": "strict"}[profile]) for core, profile in expected} & profiles


@pytest.mark.parametrize(("profile", "fused", "suffix"), [("", "0", ""), ("strict", "0", ""), ("fused", "1", "-fused")])
def test_a_build_takes_either_profile(profile: str, fused: str, suffix: str) -> None:
    board = BOARDS["mps2-an386"].with_profile(profile)
    assert (board.defines()["GM_FUSED"], board.suffix()) == (fused, suffix)
    assert f"-DGM_FUSED={fused}" in board.runtime_flags()


def test_a_profile_that_there_is_not_is_refused() -> None:
    with pytest.raises(NoProfile, match="no numerics profile fast: profiles are fused, strict"):
        BOARDS["mps2-an386"].with_profile("fast")
