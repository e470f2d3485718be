"""Buffers that may overlay others: both planners keep all others apart, and these as far as they have to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.plan.test_arena import program_of, spans

from gradmote.ir.program import Overlay
from gradmote.plan import place
from gradmote.plan.exact import place_exactly
from support.oracle import examples


@st.composite
def puzzles(draw):
    """Draw spans of some buffers; the last two are a tensor and a result that may overlay it from some byte on."""
    size, upper, others = draw(st.integers(1, 50)), draw(st.integers(1, 50)), draw(st.lists(spans(), max_size=6))
    start = draw(st.integers(0, 6))
    both = [(draw(st.integers(0, start)), start + 2, 4 * size), (start, draw(st.integers(start + 2, 12)), 4 * upper)]
    return [*others, *both], 4 * draw(st.integers(1 - upper, size - upper) if size >= upper else st.just(1 - upper))


def assert_sound(placement, program):
    for i, a in enumerate(placement.spans):
        for b in placement.spans[:i]:
            if not a.overlaps(b):
                continue
            low, high = sorted((a, b), key=lambda s: placement.offsets[s.buffer])
            gap = placement.offsets[high.buffer] - placement.offsets[low.buffer]
            if gap >= low.buffer.size or not low.buffer.size or not high.buffer.size:
                continue
            upper = next(s for s in (a, b) if s.buffer in program.overlays)
            overlay = program.overlays[upper.buffer]
            assert overlay.under in (a.buffer, b.buffer)
            assert placement.offsets[upper.buffer] - placement.offsets[overlay.under] <= overlay.furthest


def made(drawn, furthest):
    program, buffers = program_of(drawn)
    program.overlays = {buffers[-1]: Overlay(buffers[-2], furthest)}
    return program


@examples(200)
@given(puzzles())
def test_only_the_pair_overlaps(puzzle):
    program = made(*puzzle)
    placement = place(program)
    assert_sound(placement, program)
    assert placement.peak >= placement.bound


@examples(20)
@given(puzzles())
def test_the_exact_plan_is_sound_and_never_above(puzzle):
    pytest.importorskip("ortools")
    program = made(*puzzle)
    placement = place_exactly(program)
    assert_sound(placement, program)
    assert placement.is_optimal
    assert placement.peak <= place(program).peak


def test_a_result_takes_no_bytes_of_its_own():
    program = made([(0, 3, 100), (1, 5, 60)], 0)
    assert place(program).peak == place(program).bound == 100


def test_a_result_that_begins_in_front():
    program = made([(0, 3, 100), (1, 5, 60)], -8)
    assert place(program).peak == place_exactly(program).peak == 108
