"""The counts of machine instructions of quantized kernels: `python -m bench.quantized counts`."""

from __future__ import annotations

import json

import pytest
from bench.quantized.commands import counts
from bench.quantized.counts.figures import Figure, lines


def test_an_update_with_sgd_takes_what_is_promised(capsys: pytest.CaptureFixture[str]) -> None:
    """It prints JSON of the one row that is asked for."""
    counts.main(["--tables", "updates", "--rows", "96 to 96", "--json"])
    figures = {figure["column"]: figure for figure in json.loads(capsys.readouterr().out)}
    assert {figure["row"] for figure in figures.values()} == {"update, pointwise 96 to 96, 8x8"}
    assert figures["UPDATE_S8"]["holds"]
    assert 10 < figures["UPDATE_S8"]["value"] < figures["UPDATE_S16"]["value"]
    assert figures["fused int8"]["value"] < 30


def test_a_missed_target_is_marked() -> None:
    found = [Figure("core", "row", "least", 11.65, 30, at_least=True), Figure("core", "row", "most", 1.1, 1.1)]
    assert lines("title", found)
    assert [figure.text() for figure in found] == ["11.65 [30]!", "1.10 [1.1]"]
    assert [figure.holds() for figure in found] == [False, True]


def test_a_row_without_a_figure_in_a_column_has_a_dash() -> None:
    found = [Figure("core", "a", "first", 1.0), Figure("core", "b", "second", 2.0)]
    assert [line.split()[1:] for line in lines("title", found)] == [["first", "second"], ["1.00", "-"], ["-", "2.00"]]
