"""The loops that the estimate counts do all the work there is, and the costs are of what an image can hold."""

from __future__ import annotations

import itertools
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import examples

from gradmote.analyze.cost import table
from gradmote.analyze.loops import convolution, inside, pool, product, recurrence, weight_gradient, work_of
from gradmote.generated.opcodes import OPCODES

size = st.integers(1, 13)


@given(batch=size, m=size, n=size, k=size, strides=st.sampled_from([(1, 5, 1), (1, 1, 5), (7, 1, 5), (7, 5, 3)]))
@examples(60)
def test_tiles_cover_a_product(batch, m, n, k, strides):
    a_col, b_row, b_col = strides
    params = {"batch": batch, "m": m, "n": n, "k": k, "a_col": a_col, "b_row": b_row, "b_col": b_col}
    turns = product("GEMM", params)
    sizes = {"tile 4x4": 16, "tile 1x8 along": 8, "tile 1x8 across": 8, "tile 1x1": 1}
    assert sum(count * turns.get(name, 0) for name, count in sizes.items()) == batch * m * n
    assert sum(count * turns.get(f"{name}, k", 0) for name, count in sizes.items()) == batch * m * n * k


def test_a_product_of_one_sample_leaves_its_gradient_to_the_rule():
    assert product("GEMM_UPDATE", {"m": 5, "n": 7, "k": 1, "a_col": 1, "b_row": 7, "b_col": 1}) == {}


@given(steps=size, batch=size, hidden=size, cell=st.sampled_from(["LSTM_CELLS", "GRU_CELLS", "RNN_CELLS"]))
@examples(40)
def test_a_recurrence_and_its_gradient_multiply_as_often(steps, batch, hidden, cell):
    params = {"steps": steps, "batch": batch, "hidden": hidden}
    for opcode in (cell, f"{cell}_GRAD"):
        turns, whole = recurrence(opcode, params), {"opcode": opcode, "params": params}
        assert 8 * turns["8 at once"] + turns["1 at once"] == work_of(whole)


@st.composite
def windows(draw):
    """Parameters of a convolution whose window may hang over the border."""
    found = {name: draw(st.integers(1, 6)) for name in ("batch", "groups", "channels", "maps")}
    for axis in "hw":
        names = ("in", "kernel", "stride", "dilation")
        found |= {f"{name}_{axis}": draw(st.integers(1, 4)) for name in names}
        found[f"pad_{axis}"] = draw(st.integers(0, 3))
        reach = (found[f"kernel_{axis}"] - 1) * found[f"dilation_{axis}"] + 1
        found[f"out_{axis}"] = max((found[f"in_{axis}"] + 2 - reach) // found[f"stride_{axis}"] + 1, 1)
    return found


def inside_by_hand(p, axis):
    pairs = itertools.product(range(p[f"out_{axis}"]), range(p[f"kernel_{axis}"]))
    at = [o * p[f"stride_{axis}"] + k * p[f"dilation_{axis}"] - p[f"pad_{axis}"] for o, k in pairs]
    return sum(0 <= i < p[f"in_{axis}"] for i in at)


@given(p=windows())
@examples(60)
def test_a_convolution_and_both_gradients_multiply_as_often(p):
    rows, columns = inside_by_hand(p, "h"), inside_by_hand(p, "w")
    assert (rows, columns) == (inside(p, "h"), inside(p, "w"))
    products = p["batch"] * p["groups"] * p["channels"] * p["maps"] * rows * columns
    for turns in (convolution(p, by_map=True), convolution(p, by_map=False), weight_gradient(p)):
        assert 4 * turns["4 at once"] + turns["1 at once"] == products


@given(p=windows())
@examples(20)
def test_a_pool_and_its_gradient_meet_the_same_cells(p):
    for largest in (True, False):
        assert pool(p, "out", largest)["cell inside"] == pool(p, "in", largest)["cell inside"]


def test_costs_are_of_opcodes_and_not_negative():
    costs = table()["costs"]
    assert costs.keys() <= OPCODES.keys()
    assert all(cost >= 0 for loops in costs.values() for cost in loops.values())
    assert all(any(loops.values()) for loops in costs.values())


@pytest.mark.skipif(
    not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
    reason="apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm",
)
def test_networks_that_the_costs_have_not_seen_are_within_10_percent(tmp_path):
    from bench.calibrate_cost import BOARD, error_of
    from bench.cost_models import CHECKED
    from bench.counting import counter

    board = counter(BOARD, tmp_path)
    for name, make in CHECKED.items():
        image = make()
        assert abs(error_of(table()["costs"], image, board.count(image))) < 0.1, name
    assert table()["errors"].keys() == CHECKED.keys()
