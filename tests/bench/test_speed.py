"""The speed benchmark's arithmetic, and the one promise that does not depend on a machine's speed: instructions of
steps on emulated boards."""

import json
import re
import sys
import warnings

import numpy as np
import pytest
from bench.speed import accept, by_kernel, cases, host, ort_shaped, page, results, shares, webassembly
from bench.speed.children import serve
from bench.speed.peak import Peak
from bench.speed.peers import Child

from gradmote.errors import RuntimeFault
from gradmote.formats.image import read_image
from gradmote.report.bench import counting, kernel_totals
from gradmote.report.bench.spread import Spread
from support import npm_package


@pytest.mark.parametrize("board", accept.BOARDS)
def test_steps_take_no_more_instructions_than_accepted(board):
    if counting.missing(board):
        pytest.skip(f"{', '.join(counting.missing(board))} is missing - ./run setup installs it")
    grown, shrunk = counting.changes(accept.counted(board), accept.accepted()[board])
    assert not grown, "\n".join([f"{board}: steps became dearer; {accept.HOW}", *grown])
    if shrunk:
        warnings.warn("\n".join([f"{board}: accepting is due; {accept.HOW}", *shrunk]), stacklevel=1)


def test_changes_are_told_from_two_percent_on():
    before = {"a": {"step": 1000, "infer": 1000}}
    assert counting.changes({"a": {"step": 1020, "infer": 980}}, before) == ([], [])
    grown, shrunk = counting.changes({"a": {"step": 1021, "infer": 979}}, before)
    assert grown == ["a, step: 1,000 -> 1,021 instructions (+2.1%)"]
    assert shrunk == ["a, infer: 1,000 -> 979 instructions (-2.1%)"]


def test_what_was_never_accepted_is_told():
    assert counting.changes({"a": {"step": 5}}, {}) == (["a, step: 0 -> 5 instructions"], [])


def test_every_case_has_accepted_counts():
    for board in accept.BOARDS:
        assert accept.accepted()[board].keys() == {str(case) for case in accept.cases_for(board)}


# ---- Arithmetic


def test_ratios_are_of_medians_and_their_quartiles_of_pairs():
    noise = np.array([1.0, 1.5, 2.0, 4.0, 1.0])  # of the machine, the same for both
    found = Spread.of_ratios(3 * noise, noise)
    assert (found.low, found.median, found.high) == (3, 3, 3)
    assert Spread.of([4.0, 1.0, 2.0, 3.0, 5.0]) == Spread(3, 2, 4)


def test_gains_of_threads_are_over_one_and_of_as_many_as_there_are():
    row = {"network": "mlp", "batch": 32, "samples": {"1": [2e-3, 2e-3], "4": [1e-3, 1e-3]}}
    _, (alone, four) = page.threads_table({"rows": [row]})
    assert alone[2:] == ["1", "2,000 +0% +0%", "", ""]
    assert four[2:] == ["4", "1,000 +0% +0%", "2.00 (2.00–2.00)", "50%"]


def test_the_last_row_of_onnxruntimes_classes_has_geometric_means():
    times = {"onnxruntime": [8e-6], "gradmote.training": [4e-6], "twin": [2e-6], "runtime": [1e-6]}
    rows = [{"network": "mlp", "batch": batch, "samples": times} for batch in (1, 32)]
    rows[1]["samples"] = {**times, "gradmote.training": [1e-6]}
    _, (first, _, means) = page.ort_table({"rows": rows})
    assert [cell.split()[0] for cell in first[2:]] == ["8", "4", "2", "1", "2.00", "4.00", "8.00"]
    assert means[-3:] == ["4.00", "4.00", "8.00"]


def test_parameters_are_apart_by_a_part_of_how_far_they_went():
    expected = np.array([[0.0, 0.0], [3.0, 4.0]])
    assert ort_shaped.apart(expected, expected) == 0
    assert ort_shaped.apart(expected + np.array([[0, 0], [0, 1]]), expected) == pytest.approx(0.2)


def test_counts_are_read_from_what_the_board_prints():
    lines = "ticks_per_second 25000000\nprogram 0\nticks 16\nticks 32\nwhole 64\nprogram 4\nticks 8\nfailed 0\n"
    found = counting.counts_of(lines.splitlines())
    first, second = found.values()
    assert (first.each, first.whole) == ([5, 10], 20)  # 40 ns a tick, 128 ns an instruction
    assert (second.each, second.whole) == ([2], 0)
    with pytest.raises(RuntimeFault, match="-7"):
        counting.counts_of(["failed 7"])


def test_products_of_a_network_as_papers_count_them():
    """264,192 of the autoencoder and 12,501,632 of ResNet-8; each layer but the first in all directions."""
    for network, forward in (("autoencoder", 264_192), ("resnet_8", 12_501_632)):
        image = read_image(cases.training(network, "sgd", 1).image)
        step = next(program for program in image.programs if program["kind"] == "step")
        by_direction: dict[str, int] = {}
        for kernel, instruction in zip(kernel_totals.kernels_of(image, step), step["instructions"]):
            direction = kernel.direction.removesuffix(" + update")
            by_direction[direction] = by_direction.get(direction, 0) + kernel_totals.macs_of(instruction)
        first = next(filter(None, map(kernel_totals.macs_of, step["instructions"])))
        assert by_direction[kernel_totals.FORWARD] == by_direction[kernel_totals.WEIGHT] == forward
        assert by_direction[kernel_totals.INPUT] == forward - first


def test_kernels_are_added_up_and_the_dearest_comes_first():
    image = read_image(cases.training("mlp", "sgd", 1).image)
    step = next(program for program in image.programs if program["kind"] == "step")
    found = kernel_totals.totals(image, step, range(len(step["instructions"])))
    assert sum(total.cost for total in found.values()) == sum(range(len(step["instructions"])))
    assert sum(total.instructions for total in found.values()) == len(step["instructions"])
    assert sorted(found.values(), key=lambda total: -total.cost) == list(found.values())
    macs = {str(kernel): total.macs for kernel, total in found.items() if total.macs}
    assert macs == {"linear, forward": 64 * 32 + 320, "linear, dX": 320, "linear, dW + update": 64 * 32 + 320}


def test_calls_are_as_many_as_take_the_wanted_time():
    asked = []

    def seconds_of(calls):
        asked.append(calls)
        return calls * 0.001

    assert host.calls_for(seconds_of, 0.1) == 100
    assert asked == [1, 4, 16, 64]
    assert host.calls_for(lambda calls: 5.0, 0.1) == 1


# ---- Children


def test_a_child_is_timed_by_calls():
    runs = []
    assert serve.answer(lambda: runs.append(0) or 2.5, {"check": 2}) == [[2.5], [2.5]]
    assert serve.answer(lambda: runs.append(0), {"time": 3}) >= 0
    assert len(runs) == 5


def test_the_twin_from_python_and_from_c_and_pytorch_do_the_same(tmp_path):
    case = cases.HostCase("mlp", 2, "train")
    children = {host.TWIN: Child("twin.py"), host.RUNTIME: Child("twin.py"), host.TORCH: Child("pytorch.py")}
    try:
        host.write_inputs(case, tmp_path)
        wanted = host.requests(case, str(tmp_path), cases.RATE, "adamw")
        asked = host.opened({name: wanted[name] for name in children}, children)
        losses = {name: child.ask(check=3) for name, child in asked.items()}
        assert losses[host.TWIN] == losses[host.RUNTIME]
        assert losses[host.TWIN][0] != losses[host.TWIN][2]
        assert host.difference(losses[host.TORCH], losses[host.TWIN]) < 1e-5
        timed = host.in_turns(asked, host.Effort(rounds=2, seconds=0.001))
        assert all(len(times) == 2 and min(times) > 0 for times in timed.values())
    finally:
        for child in children.values():
            child.close()


def test_the_classes_of_onnxruntime_have_the_losses_of_the_runtime(tmp_path):
    case = cases.HostCase("mlp", 2, "train")
    children = {ort_shaped.SHAPED: Child("gradmote_training.py"), ort_shaped.RUNTIME: Child("twin.py")}
    try:
        host.write_inputs(case, tmp_path)
        wanted = ort_shaped.requests(case, str(tmp_path), cases.RATE)
        asked = host.opened({name: wanted[name] for name in children}, children)
        shaped, runtime = (child.ask(check=3) for child in asked.values())
        assert shaped == runtime and shaped[0] != shaped[2]
        children[ort_shaped.SHAPED].ask(open={**wanted[ort_shaped.SHAPED], "program": "parameters"})
        first, second = children[ort_shaped.SHAPED].ask(check=2)
        assert len(first) == len(second) == 64 * 32 + 32 + 32 * 10 + 10 and first != second
    finally:
        for child in children.values():
            child.close()


def test_a_child_that_fails_says_why():
    child = Child("twin.py", sys.executable)
    try:
        with pytest.raises(RuntimeError, match="FileNotFoundError"):
            child.ask(open={"folder": "/nowhere", "image": "x", "program": "infer", "rate": 0.1, "calls": "c"})
    finally:
        child.close()


def test_node_does_the_same_as_the_strict_twin_in_each_kernel():
    npm_package.require()
    case = cases.HostCase("mlp", 2, "train")
    with webassembly.children() as children:
        row = webassembly.row_of(case, children, host.Effort(rounds=2, seconds=0.001))
        _, kernels = webassembly.kernel_rows(case, children)
    assert all(len(times) == 2 and min(times) > 0 for times in row["samples"].values())
    assert {"linear, forward", "linear, dW + update", "all"} <= {line[0] for line in kernels}
    assert all(float(line[1].replace(",", "")) > 0 for line in kernels)


# ---- The page


def test_the_page_has_the_tables_of_the_results():
    text = page.PAGE.read_text()
    for rows in page.tables(results.read()).values():
        assert page.markdown(rows) in text


def test_cycles_have_the_time_of_each_boards_clock():
    found = {"mps2-an386": {"macs": 200, "cycles": {"step": 1000, "infer": 500}}, "riscv-virt": {"macs": 200}}
    names = ["mps2-an386", "mps2-an385"]
    step, infer = page.cycles_rows("mlp", "sgd", 1, found, names)
    assert step == ["MLP 64-32-10", "1", "step, sgd", "1,000 (5.00)", "0.04", "—", "—"]  # at 25 MHz
    assert infer[2:] == ["infer", "500", "0.02", "—", "—"]
    assert len(page.cycles_rows("mlp", "adamw", 1, found, names)) == 1


def test_a_table_goes_between_its_marks():
    text = "a\n<!-- t -->\nold\n<!-- end -->\nb\n<!-- u -->\n<!-- end -->\n"
    assert page.filled(text, "t", "new") == text.replace("old", "new")
    assert page.filled(text, "u", "new") == text.replace("u -->\n", "u -->\nnew\n")
    with pytest.raises(SystemExit, match="0 places"):
        page.filled(text, "v", "new")


def test_shares_of_the_peak_leave_padding_out():
    rows = shares.rows_of("lenet", 1, shares.usable([256]), rounds=1)
    found = {(str(row.kernel), row.shape): row for row in rows}
    inside = (3 * 28 - 2) ** 2 * 8  # of 28 rows of 3 taps, the first and the last lack one
    assert found["conv 3x3, forward", "28x28x1 to 8"].macs == inside
    assert found["conv 3x3, dW + update", "28x28x1 to 8"].macs == inside
    assert found["conv 3x3, dX", "14x14x8 to 16"].macs == (3 * 14 - 2) ** 2 * 8 * 16
    update = found["linear, dW + update", "10x784x1"]
    operands = 10 + 784 + 784 + 2 * 10 * 784 + 1 + 1  # dy, x, a row of gradients, weights twice, rate and rule
    assert update.is_update and update.bytes == 4 * operands


def test_shares_of_the_peak_have_the_limits_of_their_kinds():
    conv, narrow = kernel_totals.Kernel("conv 3x3", "dX"), kernel_totals.Kernel("conv 1x1", "dW")
    assert (shares.limit_of(conv, 1), shares.limit_of(conv, 32)) == (0.85, 0.85)
    assert (shares.limit_of(narrow, 1), shares.limit_of(narrow, 32)) == (0.65, 0.75)
    assert shares.limit_of(kernel_totals.Kernel("depthwise 3x3", "forward"), 1) is None
    row = shares.Row(conv, "8x8x1 to 1", 100, 1000, 0.85, {256: 2.0})
    assert row.share(256, Peak(macs=200.0, bandwidth=1.0, lanes=8)) == 0.25
    update = shares.Row(conv, "8", 0, 1000, shares.LIMIT_OF_UPDATES, {256: 2.0})
    assert update.share(256, Peak(macs=200.0, bandwidth=1000.0, lanes=8)) == 0.5


def test_time_by_kernel_is_that_of_all_instructions():
    timed = by_kernel.instructions_of("lenet", 1, "sgd", rounds=1)
    assert sum(one.macs for one in timed if one.kernel == "conv 3x3, forward") == (82**2 + 40**2 * 16) * 8
    assert all(one.seconds > 0 for one in timed)
    of_two = [by_kernel.Timed("a", 0, 1e-6), by_kernel.Timed("b", 100, 1e-6), by_kernel.Timed("b", 100, 2e-6)]
    _, lines = by_kernel.table_of(of_two, peak_macs=1e8)
    assert lines == [["b", "2", "3.0", "75.0%", "67%", "1.0"], ["a", "1", "1.0", "25.0%", "", "1.0"]]


def test_results_are_json_with_a_line_for_each_row(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results.json")
    results.write("roofline", [{"a": 1}, {"a": 2}], peak={"macs": 1})
    results.write("host", [{"b": 1}])
    text = results.RESULTS.read_text()
    assert list(json.loads(text)) == ["host", "roofline"]
    assert re.findall(r'^ +\{"a": .\},?$', text, re.MULTILINE) == ['   {"a": 1},', '   {"a": 2}']
