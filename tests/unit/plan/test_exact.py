"""The exact planner against all orders of small puzzles, against the heuristic, and when it has to stop early."""

import itertools
import json
import queue
import re
import sys

import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner
from unit.plan.test_arena import assert_sound, program_of, spans

from gradmote import optimizers
from gradmote.cli import app
from gradmote.compiler import Options, compile_image
from gradmote.errors import GradmoteError
from gradmote.plan import exact, place
from gradmote.plan.arena import neighbours
from gradmote.plan.lifetimes import lifetimes
from support import digits
from support.oracle import examples

pytest.importorskip("ortools")


def least(program):
    """Return the least peak by brute force: some order in which each buffer takes the lowest free place reaches it."""
    alive = [s for s in lifetimes(program) if s.buffer.size]
    sizes, beside = [-(-s.buffer.size // 4) * 4 for s in alive], neighbours(alive)
    peaks = []
    for order in itertools.permutations(range(len(alive))):
        offsets = {}
        for k in order:
            taken = sorted((offsets[j], offsets[j] + sizes[j]) for j in beside[k] if j in offsets)
            offset = 0
            for begin, end in taken:
                offset = offset if offset + sizes[k] <= begin else max(offset, end)
            offsets[k] = offset
        peaks.append(max((offsets[k] + sizes[k] for k in offsets), default=0))
    return min(peaks)


@examples(60)
@given(st.lists(spans(), max_size=6))
def test_small_puzzles_are_solved_as_by_brute_force(drawn):
    program, _ = program_of(drawn)
    found = exact.place_exactly(program)
    assert_sound(found)
    assert found.peak == found.bound == least(program)


@examples(15)
@given(st.lists(spans(), min_size=15, max_size=25))
def test_never_above_the_heuristic(drawn):
    program, _ = program_of(drawn)
    found, other = exact.place_exactly(program, limit=10), place(program)
    assert_sound(found)
    assert other.bound <= found.bound <= found.peak <= other.peak


#: The heuristic needs 32 bytes, 28 will do.
GAP = [(1, 2, 16), (4, 6, 16), (0, 4, 4), (2, 5, 12), (1, 3, 8)]


def test_it_finds_what_the_heuristic_misses():
    program, _ = program_of(GAP)
    assert (place(program).peak, exact.place_exactly(program).peak) == (32, 28)


def test_places_that_are_given_stay():
    program, buffers = program_of(GAP)
    given_places = {buffers[2]: 8}
    found = exact.place_exactly(program, given_places)
    assert_sound(found)
    assert found.offsets[buffers[2]] == 8


def test_out_of_time_it_says_what_is_proven():
    program, _ = program_of(GAP)
    found = exact.place_exactly(program, limit=1e-9)
    assert_sound(found)
    assert 28 <= found.bound <= found.peak <= 32


def test_progress_is_told_after_a_while(monkeypatch):
    monkeypatch.setattr(exact, "QUIET", 0.01)
    lines = queue.SimpleQueue()
    progress = exact.Progress("step", place(program_of(GAP)[0]), 60.0, lines.put)
    progress.improve(peak=28)
    with progress:
        assert re.fullmatch(r"planning step: \d+ s of at most 60 s, 28 B so far, at least 28 B", lines.get())


def test_without_or_tools(monkeypatch):
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    with pytest.raises(GradmoteError, match="pip install ortools"):
        exact.place_exactly(program_of(GAP)[0])


def test_the_command(tmp_path):
    onnx.save(digits.model(), str(tmp_path / "model.onnx"))
    arguments = ["compile", str(tmp_path / "model.onnx"), "--loss", "cross_entropy", "--plan", "exact"]
    assert "428 B (lower bound 428 B, optimal)" in CliRunner().invoke(app, arguments).output
    scratch = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).output)["scratch_bytes"]
    assert all(program["optimal"] for program in scratch.values())


def test_an_image_with_an_exact_plan(monkeypatch):
    """Check that the image has the searched placement if the first one is not the best."""
    made, options = digits.artifacts(optimizers.adamw()), Options(batch=4, exact_plan=True)
    best = compile_image(made, Options(batch=4))
    monkeypatch.setattr(exact, "place", worse)
    found = compile_image(made, options)
    assert found.layout.arena_size == best.layout.arena_size
    assert all(p.is_optimal for p in found.layout.placements.values())


def worse(program, given_places=None):
    """Every buffer at an offset of its own."""
    first = place(program, given_places)
    sizes = [-(-s.buffer.size // 4) * 4 for s in first.spans]
    offsets = dict(zip(first.offsets, itertools.accumulate(sizes, initial=0)))
    return exact.Placement(offsets, first.spans, sum(sizes), first.bound)
