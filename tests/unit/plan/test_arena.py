"""Placement of scratch: buffers alive together never overlap, and their places do not matter to the results."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote import optimizers
from gradmote.compiler import Options, compile_image
from gradmote.formats.image import layout
from gradmote.ir.program import Binding, Buffer, Program, Ref
from gradmote.plan import Lifetime, Placement, lifetimes, lower_bound, place
from gradmote.plan.arena import LazyNeighbours, neighbours
from gradmote_runtime import Session
from support import digits
from support.oracle import examples, train


def program_of(spans):
    """A program in which buffer i, of spans[i][2] bytes, is touched first by instruction start and last by end - 1."""
    buffers = [Buffer(f"b{i}", size, "scratch") for i, (_, _, size) in enumerate(spans)]
    steps = max((end for _, end, _ in spans), default=0)
    touched = [
        [Ref(b) for b, (start, end, _) in zip(buffers, spans) if index in (start, end - 1)] for index in range(steps)
    ]
    return Program("infer", [SimpleNamespace(reads=[], writes=refs) for refs in touched]), buffers


@st.composite
def spans(draw):
    start, length = draw(st.integers(0, 12)), draw(st.integers(1, 8))
    return start, start + length, draw(st.one_of(st.sampled_from([0, 1, 4, 64]), st.integers(0, 200)))


def assert_sound(placement):
    """No two buffers share a byte while both are alive; the peak is reached, and is not below the lower bound."""
    placed = placement.spans
    for i, a in enumerate(placed):
        a_begin = placement.offsets[a.buffer]
        assert a_begin >= 0 and a_begin % 4 == 0
        for b in placed[:i]:
            b_begin = placement.offsets[b.buffer]
            alive_together = a.start < b.end and b.start < a.end
            apart = a_begin + a.buffer.size <= b_begin or b_begin + b.buffer.size <= a_begin
            assert apart or not alive_together, (a, b)
    ends = [placement.offsets[s.buffer] + s.buffer.size for s in placed]
    assert placement.peak >= max(ends, default=0) and placement.peak - max(ends, default=0) < 4
    assert placement.peak >= placement.bound


@examples(300)
@given(st.lists(spans(), max_size=25))
def test_buffers_alive_together_lie_apart(drawn):
    program, buffers = program_of(drawn)
    placement = place(program)
    assert {s.buffer: (s.start, s.end) for s in placement.spans} == {
        b: (start, end) for b, (start, end, _) in zip(buffers, drawn)
    }
    assert_sound(placement)


@examples(60)
@given(st.lists(spans(), max_size=12))
def test_bound_is_the_widest_instruction(drawn):
    program, _ = program_of(drawn)
    widest = max(
        (sum(-(-size // 4) * 4 for start, end, size in drawn if start <= i < end) for i in range(21)), default=0
    )
    assert lower_bound(program) == widest


@pytest.mark.parametrize(
    "drawn",
    [[], [(0, 1, 0)], [(0, 3, 8), (0, 3, 8), (0, 3, 8)], [(0, 1, 100), (1, 2, 100)], [(0, 2, 0), (0, 2, 4), (1, 2, 0)]],
    ids=["none", "empty", "identical lifetimes", "one after the other", "zero sizes"],
)
def test_edges(drawn):
    placement = place(program_of(drawn)[0])
    assert_sound(placement)
    assert placement.peak == placement.bound


def test_overlap_is_of_half_open_spans():
    def span(start, end):
        return Lifetime(Buffer("b", 4, "scratch"), start, end)

    assert span(0, 3).overlaps(span(2, 4)) and span(2, 4).overlaps(span(0, 3)) and span(1, 2).overlaps(span(1, 2))
    assert not span(0, 2).overlaps(span(2, 4)) and not span(2, 4).overlaps(span(0, 2))


def test_outputs_live_to_the_end():
    program, buffers = program_of([(0, 1, 8), (1, 4, 8), (3, 4, 8)])
    program.bindings.append(Binding("y", "output", "f32", (2,), Ref(buffers[0])))
    assert [(s.start, s.end) for s in lifetimes(program)] == [(0, 4), (1, 4), (3, 4)]
    assert_sound(place(program))


@examples(100)
@given(st.lists(spans(), max_size=25))
def test_neighbours_are_the_same_one_by_one(drawn):
    alive = lifetimes(program_of(drawn)[0])
    all_at_once, one_by_one = neighbours(alive), LazyNeighbours(alive)
    assert [sorted(one_by_one[k]) for k in range(len(alive))] == [sorted(found) for found in all_at_once]
    assert one_by_one.pairs() == sum(map(len, all_at_once))


def test_only_scratch_is_placed():
    refs = [Ref(Buffer("w", 4, "parameter")), Ref(Buffer("c", 4, "constant", bytes(4))), Ref(Buffer("x", 4, "input"))]
    placement = place(Program("infer", [SimpleNamespace(reads=refs, writes=[])]))
    assert placement.offsets == {} and placement.peak == 0


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("accumulate", [False, True])
def test_an_mlp_reaches_the_bound(batch, accumulate):
    made = compile_image(digits.artifacts(optimizers.adamw()), Options(batch=batch, accumulate=accumulate))
    for kind, placement in made.layout.placements.items():
        assert_sound(placement)
        assert placement.peak == placement.bound, kind


def place_apart(program, given):
    """Every buffer at an offset of its own."""
    offsets, end = {}, 0
    for span in lifetimes(program):
        offsets[span.buffer] = end
        end += (span.buffer.size + 3) // 4 * 4
    return Placement(offsets, lifetimes(program), end, lower_bound(program))


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize(
    "optimizer", [optimizers.sgd(0.1), optimizers.adamw(clip_norm=0.5)], ids=["sgd", "adamw clipped"]
)
def test_sharing_of_bytes_changes_no_bit(monkeypatch, optimizer, accumulate, profile):
    data = digits.batches(4, 8)
    options = Options(batch=4, accumulate=accumulate)
    shared = compile_image(digits.artifacts(optimizer, dropout=0.3), options)
    monkeypatch.setattr(layout, "place", place_apart)
    apart = compile_image(digits.artifacts(optimizer, dropout=0.3), options)
    assert len(apart.image) == len(shared.image) and apart.layout.arena_size > shared.layout.arena_size
    runs = [train(made.image, data, profile, accumulate) for made in (shared, apart)]
    assert runs[0][0] == runs[1][0]
    assert runs[0][1].state_sha256() == runs[1][1].state_sha256()


def test_arena_is_as_large_as_the_image_says():
    made = compile_image(digits.artifacts(optimizers.sgd()), Options(batch=4))
    required = Session.required(made.image)
    assert 0 <= required["arena_size"] - made.layout.arena_size < 16
    assert required["state_size"] == made.layout.state_size
