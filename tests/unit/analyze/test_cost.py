"""The loops that the estimate counts do all the work there is, and the costs are of what an image can hold."""

from __future__ import annotations

import itertools
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote.generated.opcodes import OPCODES
from gradmote.report.analyze.cost import ROWS, table
from gradmote.report.analyze.loops import convolution, inside, pool, product, recurrence, weight_gradient, work_of
from support.oracle import examples

size = st.integers(1, 13)


#: Machine instructions of inner loops for each product: of the best tile, and of a single output.
CHEAPEST, DEAREST = 1.3, 8


@given(batch=size, m=size, n=size, k=size, transposed=st.tuples(*[st.booleans()] * 2), apart=st.integers(1, 2))
@examples(60)
def test_tiles_cover_a_product(batch, m, n, k, transposed, apart):
    a_row, a_col = (apart, m * apart) if transposed[0] else (k * apart, apart)
    b_row, b_col = (apart, k * apart) if transposed[1] else (n * apart, apart)
    params = {"batch": batch, "m": m, "n": n, "k": k, "a_row": a_row, "a_col": a_col, "b_row": b_row, "b_col": b_col}
    turns = product("GEMM", params)
    assert CHEAPEST <= turns["inside"] / (batch * m * n * k) <= DEAREST
    assert batch * m * n / 16 <= turns["tile"] <= batch * m * n


def test_a_product_of_one_sample_leaves_its_gradient_to_the_rule():
    params = {"m": 5, "n": 7, "k": 1, "a_row": 1, "a_col": 1, "b_row": 7, "b_col": 1}
    assert product("GEMM_UPDATE", params) == {}


@given(steps=size, batch=size, hidden=size, cell=st.sampled_from(["LSTM_CELLS", "GRU_CELLS", "RNN_CELLS"]))
@examples(40)
def test_a_recurrence_and_its_gradient_take_all_products(steps, batch, hidden, cell):
    params = {"steps": steps, "batch": batch, "hidden": hidden}
    for opcode in (cell, f"{cell}_GRAD"):
        turns, whole = recurrence(opcode, params), {"opcode": opcode, "params": params}
        assert CHEAPEST <= turns["inside"] / work_of(whole) <= DEAREST


@st.composite
def windows(draw):
    """Parameters of a convolution whose window may hang over the border."""
    found = {name: draw(st.integers(1, 6)) for name in ("batch", "groups", "in_channels", "out_channels")}
    for axis in "hw":
        names = ("in", "kernel", "stride", "dilation")
        found |= {f"{name}_{axis}": draw(st.integers(1, 4)) for name in names}
        found[f"pad_{axis}"] = draw(st.integers(0, 3))
        reach = (found[f"kernel_{axis}"] - 1) * found[f"dilation_{axis}"] + 1
        found[f"out_{axis}"] = max((found[f"in_{axis}"] + 2 - reach) // found[f"stride_{axis}"] + 1, 1)
    return found | draw(layouts(found))


@st.composite
def layouts(draw, p):
    """Strides: of activations with channels last or first, of weights as ONNX has them."""
    taps, found = p["kernel_h"] * p["kernel_w"], {}
    for side, key in (("in", "x"), ("out", "y")):
        h, w, one = p[f"{side}_h"], p[f"{side}_w"], p[f"{side}_channels"]
        last = draw(st.booleans())
        column = one * p["groups"] if last else 1
        found |= {f"{key}_h": w * column, f"{key}_w": column}
        found |= {f"{key}_group": one if last else one * h * w, f"{key}_channel": 1 if last else h * w}
    return found | {"w_in_channel": taps, "w_out_channel": p["in_channels"] * taps}


def inside_by_hand(p, axis):
    pairs = itertools.product(range(p[f"out_{axis}"]), range(p[f"kernel_{axis}"]))
    at = [o * p[f"stride_{axis}"] + k * p[f"dilation_{axis}"] - p[f"pad_{axis}"] for o, k in pairs]
    return sum(0 <= i < p[f"in_{axis}"] for i in at)


@given(p=windows())
@examples(60)
def test_a_convolution_and_both_gradients_multiply_as_often(p):
    rows, columns = inside_by_hand(p, "h"), inside_by_hand(p, "w")
    assert (rows, columns) == (inside(p, "h"), inside(p, "w"))
    products = p["batch"] * p["groups"] * p["in_channels"] * p["out_channels"] * rows * columns
    for turns in (convolution(p, forward=True), convolution(p, forward=False), weight_gradient(p)):
        assert turns["products"] == products
        assert CHEAPEST * products <= turns.get("inside", 0) <= DEAREST * products


@given(p=windows())
@examples(20)
def test_a_pool_and_its_gradient_meet_the_same_taps(p):
    p["channels"] = p["in_channels"]
    for largest in (True, False):
        assert pool(p, "out", largest)["tap inside"] == pool(p, "in", largest)["tap inside"]


def test_costs_are_of_opcodes_and_not_negative():
    costs = table()["costs"]
    assert costs.keys() <= OPCODES.keys()
    assert all(cost >= 0 for loops in costs.values() for cost in loops.values())
    assert all(any(loops.values()) for loops in costs.values())


def test_every_opcode_has_a_cost():
    """The costs of what runs layers by rows are in the code, with what they move."""
    assert OPCODES.keys() == table()["costs"].keys() | ROWS.keys(), "./run scons accept ONLY=costs measures them"
    assert not table()["costs"].keys() & ROWS.keys()


@pytest.mark.skipif(
    not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
    reason="apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm",
)
def test_networks_that_the_costs_have_not_seen_are_within_10_percent(tmp_path):
    from bench import cost_models, cost_models_int8
    from bench.calibrate_cost import BOARD, error_of

    from gradmote.report.bench.counting import counter

    board, checked = counter(BOARD, tmp_path), cost_models.CHECKED | cost_models_int8.CHECKED
    for name, make in checked.items():
        image = make()
        assert abs(error_of(table()["costs"], image, board.count(image))) < 0.1, name
    assert table()["errors"].keys() == checked.keys()
