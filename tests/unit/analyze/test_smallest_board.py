"""The choice of the smallest board that a model fits, among those that `gradmote boards` lists."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote.device.boards import Board, boards, smallest


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Board]]:
    """The boards that have parts, with the sizes of the release: tests beside this one build firmware of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADMOTE_BUILD", str(tmp_path_factory.mktemp("nothing_built")))
        yield [board for board in boards() if board.upload]


@given(st.integers(0, 600_000), st.integers(0, 2_000_000))
def test_the_smallest_that_holds_both_is_found(real, arena, image):
    found = smallest(arena, image)
    holding = [board for board in real if not board.lacks(arena, image)]
    assert found is None if not holding else found in holding
    if found is not None:
        assert found.ram == min(board.ram for board in holding)


def test_to_the_byte(real):
    for board in real:
        assert smallest(board.arena_available, board.image_area) is not None
        assert smallest(board.arena_available + 1, board.image_area) != board
    assert smallest(1 << 30, 0) is None


def test_a_board_that_is_only_emulated_is_nobodys():
    assert all(found.upload for size in range(0, 500_000, 10_000) if (found := smallest(size, 0)) is not None)
