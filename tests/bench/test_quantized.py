"""The figures of docs/QUANTIZATION.md: they hold what is promised, and are what is measured."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from bench.quantized import memory, page
from bench.quantized.accuracy import results
from bench.quantized.accuracy.methods import METHODS
from bench.quantized.accuracy.tasks import TASKS
from bench.quantized.accuracy.training import Course, accuracy_after
from bench.quantized.commands import accuracy
from bench.quantized.commands import memory as memory_command
from bench.quantized.exactness import by_operator

from support.quantized import by_onnxruntime, exported

from data.missing import MissingData


def rows_of(text: str) -> set[tuple[str, ...]]:
    """Return the cells of each row of all tables."""
    lines = (line for line in text.splitlines() if line.startswith("| "))
    return {tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines}


def assert_on_page(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    assert {tuple(row) for row in (columns, *rows)} <= rows_of(page.PAGE.read_text())


def test_accuracies_hold_what_is_promised() -> None:
    found = results.read()
    assert list(results.broken(found)) == []
    assert_on_page(*accuracy.transfer_table(found))
    assert_on_page(*accuracy.one_by_one_table(found))


def test_int8_learns_as_float32_does() -> None:
    """Train one task with one seed, on which float32 reaches 94 %."""
    try:
        lesson = TASKS["faces"].lesson(0)
    except MissingData as missing:
        pytest.skip(str(missing))
    course = Course(0.1, TASKS["faces"].steps, seed=0)
    reached = {
        name: accuracy_after(m.image(lesson, TASKS["faces"].batch), lesson, course) for name, m in METHODS.items()
    }
    assert min(reached.values()) > reached["fp32"] - 6


@pytest.mark.parametrize("network", ["ds_cnn", "resnet_8"])
def test_memory(network: str) -> None:
    found = memory.measure(network)
    assert network != "ds_cnn" or list(memory.broken([found])) == []
    assert_on_page(*memory_command.table([found]))


@pytest.mark.parametrize("name", exported.NAMES)
def test_layers_of_other_tools_are_exact(name: str) -> None:
    assert sum(count.differ for count in by_operator(exported.network(name)).values()) == 0


def test_layers_of_a_network_are_exact() -> None:
    counts = by_operator(by_onnxruntime.network("resnet_8"))
    assert sum(count.compared for count in counts.values()) > 200_000
    assert sum(count.differ for count in counts.values()) == 0
    assert sum(count.near for count in counts.values()) < 20
