"""Sections of measured cycles, and the timings that follow."""

from __future__ import annotations

import pytest

from gradmote.errors import DataError
from gradmote.report.bench.cycles.calibration import calibrated, read_measured, timings_table
from gradmote.report.bench.cycles.cores import FOLDER, core_of_table, read_core, tomllib

#: A Cortex-M4 whose SRAM answers a cycle late to loads: 3 for a load, and then 2 for each one after it.
SECTION = """[measured]
board = "a-board"
counter = "DWT"
turns = 1000
loop = 4021
adds_dependent = 20024
load_apart = 36030
load_run = 37029
vadd_dependent = 35031
"""


def test_timings_follow():
    measured = read_measured(SECTION)
    assert (measured.board, measured.counter, measured.turns) == ("a-board", "DWT", 1000)
    found = calibrated(read_core("cortex-m4"), measured)
    assert found.kinds["load"].issue == 3 and found.memory.pipelined == 1
    assert found.kinds["fp_add"].latency == 2
    assert found.kinds["load"].source == "measured" and "a-board" in found.sources["measured"]
    assert found.kinds["fp_fused"] == read_core("cortex-m4").kinds["fp_fused"]  # was not measured


def test_a_table_with_the_section_is_read_with_its_timings():
    published = (FOLDER / "cortex_m4.toml").read_text()
    found = core_of_table(tomllib.loads(f"{published}\n{SECTION}"))
    assert found == calibrated(read_core("cortex-m4"), read_measured(SECTION))
    lines = timings_table(found).splitlines()
    assert lines[0] == "[kinds]" and 'load = { issue = 3, source = "measured" }' in lines


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a section"),
        ("x = [", "not a section"),
        ("measured = 3", "damaged"),
        ('[measured]\nboard = "b"\ncounter = "DWT"\nturns = 0\nloop = 1', "damaged"),
        ('[measured]\nboard = "b"\ncounter = "DWT"\nturns = 1000\nloop = -1', "damaged"),
        ('[measured]\nboard = "b"\ncounter = "DWT"\nturns = "many"\nloop = 1', "damaged"),
        ('[measured]\nboard = "b"\nturns = 1000\nloop = 1', "damaged"),
        (f"{SECTION}emulated = true\n", "whose cycles mean nothing"),
    ],
)
def test_other_texts(text, said):
    with pytest.raises(DataError, match=said):
        read_measured(text)


def test_no_table_of_timings():
    with pytest.raises(DataError, match="not a table of timings"):
        core_of_table({"title": "Cortex-M99"})
