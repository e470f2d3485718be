"""The notebooks of docs/tutorials run, show what they say, and have no outputs of an earlier run."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from support import notebooks

TUTORIALS = Path(__file__).resolve().parents[3] / "docs" / "tutorials"


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> notebooks.Kernel:
    monkeypatch.chdir(tmp_path)
    return notebooks.install(monkeypatch)


def test_a_pytorch_module_learns_and_comes_back(kernel: notebooks.Kernel, capsys: pytest.CaptureFixture[str]) -> None:
    names = notebooks.run(TUTORIALS / "pytorch.ipynb", kernel)
    before, after = (names[name].confusion.accuracy for name in ("before", "after"))
    assert after > before + 0.05 and after > 0.89
    said = capsys.readouterr().out
    assert f"in PyTorch again: {after:.1%}" in said and "agrees with autograd" in said
    image, plot, report = kernel.shown
    assert "Memory of one step" in image[0] and len(plot) == 15 and "Confusion" in report[0]
    assert names["accuracy"](names["test"]) == pytest.approx(after)


def test_a_table_becomes_a_board_s_model(kernel: notebooks.Kernel, capsys: pytest.CaptureFixture[str]) -> None:
    names = notebooks.run(TUTORIALS / "table.ipynb", kernel)
    said = capsys.readouterr().out
    before, after = (float(found) / 100 for found in re.findall(r"in scikit-learn(?: again)?: ([\d.]+)%", said))
    assert after > before + 0.015
    assert f"accuracy {after:.2%}"[:-3] in said  # of the test at the end of the training
    assert "The data fits model.mote" in said and "agrees with onnxruntime" in said
    with open("run.csv") as file:
        assert 5 < len(list(csv.DictReader(file))) <= 20
    float32, int8 = names["reports"].values()
    assert float32.arena > 1.5 * int8.arena
    assert "Memory of one step" in kernel.shown[0][0]


@pytest.mark.parametrize("path", sorted(TUTORIALS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs(path: Path) -> None:
    for cell in notebooks.cells(path):
        assert not cell.get("outputs") and cell.get("execution_count") is None
        for link in re.findall(r"\]\(([^)]+)\)", "".join(cell["source"]) if cell["cell_type"] == "markdown" else ""):
            assert (TUTORIALS / link).is_file(), link
