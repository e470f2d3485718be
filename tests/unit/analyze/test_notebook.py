"""Notebooks show images, and trainings while and after they run; names from hostile files are text."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from gradmote import compile_model, losses, optimizers
from gradmote.data import Dataset
from gradmote.device import fit, open_target
from gradmote.device.evaluation import Evaluation
from gradmote.device.fitting import Best, Epoch, Fit
from gradmote.errors import GradmoteError
from gradmote.report.history import LivePlot
from support import digits, notebooks
from support.oracle import make_model, node

HOSTILE = "</title></svg><script src='//evil'>alert(1)</script>&\"'"


def parsed(page: str) -> ElementTree.Element:
    """Return the element; well-formed XML in which no name became a tag. Attributes have no scripts."""
    root = ElementTree.fromstring(re.sub(r"class=n\b", "class='n'", page))
    tags = {element.tag for element in root.iter()}
    known = "div style p b h4 svg rect title text line circle table tr th td i"
    assert tags <= set(known.split()), tags
    assert not any(name.startswith("on") or "http" in value for e in root.iter() for name, value in e.attrib.items())
    assert "@import" not in page and "url(" not in page
    return root


def texts(root: ElementTree.Element, tag: str) -> list[str]:
    return [element.text or "" for element in root.iter(tag)]


# ---- Images ---------------------------------------------------------------------------------------------------------


def test_an_image_shows_its_memory_and_its_layers() -> None:
    made = compile_model(digits.model(), losses.cross_entropy(), optimizers.adam(0.01), batch=8)
    root = parsed(made._repr_html_())
    assert f"{made.layout.arena_size:,} bytes of RAM" in texts(root, "b")
    assert f"{len(made.image):,} bytes of flash" in texts(root, "b")
    cells = texts(root, "td")
    assert {"Gemm -> h", "Relu -> a", "Gemm -> y", "parameters", "moments"} <= set(cells)
    assert "2,410" in cells  # numbers that train: 64 * 32 + 32 + 32 * 10 + 10
    assert any(
        title.startswith("moments\n19,288 bytes") for title in texts(root, "title")
    )  # 2 moments, float32, padded


def test_an_image_that_only_infers_without_names_is_shown() -> None:
    made = compile_model(digits.model(), batch=1, strip_names=True)
    assert "Memory of one infer" in texts(parsed(made._repr_html_()), "h4")


def test_names_of_a_hostile_file_are_text() -> None:
    weights = {"w": np.ones((4, 2), np.float32)}
    hostile = make_model([node("MatMul", "x w", "y", name="n")], weights, {"x": ("N", 4)})
    for field in (hostile.graph.node[0].output, hostile.graph.node[0].input):
        field[:] = [HOSTILE if name in ("y", "w") else name for name in field]
    hostile.graph.node[0].name = hostile.graph.initializer[0].name = hostile.graph.output[0].name = HOSTILE
    hostile.graph.initializer[0].name = hostile.graph.node[0].input[1] = HOSTILE + "w"
    made = compile_model(hostile, losses.mse(), optimizers.sgd(0.1), batch=2)
    root = parsed(made._repr_html_())
    assert any(HOSTILE in text for text in (*texts(root, "td"), *texts(root, "title")))


# ---- Trainings ------------------------------------------------------------------------------------------------------


def some(count: int) -> Dataset:
    pixels, labels = digits.samples()
    return Dataset(pixels[:count], labels[:count], pixels[count : count + 50], labels[count : count + 50])


def test_a_training_shows_its_curves_and_a_table() -> None:
    with open_target("twin") as target:
        target.load_image(digits.image(optimizers.adam(0.01), 16))
        result = fit(target, some(168), 5, patience=5)
    root = parsed(result._repr_html_())
    circles = [(float(c.get("cx", "")), float(c.get("cy", ""))) for c in root.iter("circle")]
    assert len(circles) == 15  # two losses and an accuracy for each epoch
    tested = [epoch.test for epoch in result.epochs if epoch.test]
    heights = [y for _, y in circles[10:]]
    order = np.argsort([-test.accuracy for test in tested], kind="stable")
    assert [heights[k] for k in order] == sorted(heights)  # the higher the accuracy, the nearer to the top
    cells = texts(root, "td")
    assert all(f"{epoch.loss:.4f}" in cells for epoch in result.epochs) and f"{tested[-1].accuracy:.2%}" in cells
    assert result.best is not None and f"Best: epoch {result.best.epoch}." in texts(root, "p")
    assert any(text.startswith("8 samples") for text in texts(root, "p"))


@pytest.mark.parametrize(
    "losses, circles",
    [([], 0), ([math.nan], 0), ([0.5], 1), ([0.5, math.nan, 0.25, math.inf], 2), ([1e308, -1e308, 0.0], 3),
     ([2.0, 2.0], 2)],
)  # fmt: skip
def test_losses_of_any_kind_are_drawn(losses: list[float], circles: int) -> None:
    result = Fit([Epoch(n + 1, loss, None, 16, 0.1, 3) for n, loss in enumerate(losses)], stopped=True)
    result.best = Best(1, Evaluation(math.nan, math.nan), b"")
    page = result._repr_html_()
    drawn = list(parsed(page).iter("circle"))
    assert len(drawn) == circles
    assert all(0 <= float(c.get("cx", "")) <= 420 and 0 <= float(c.get("cy", "")) <= 220 for c in drawn)
    assert ("steps skipped" in page) == bool(losses) and "Stopped" in page


# ---- While it trains ------------------------------------------------------------------------------------------------


def test_a_plot_grows_with_each_epoch_in_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = notebooks.install(monkeypatch)
    plot = LivePlot()
    for _ in range(2):  # the second training gets a plot of its own
        with open_target("twin") as target:
            target.load_image(digits.image(optimizers.sgd(0.1), 16))
            fit(target, some(64), 3, on_epoch=plot)
    assert [len(updates) for updates in kernel.shown] == [3, 3]
    for updates in kernel.shown:
        assert [len(list(parsed(page).iter("circle"))) for page in updates] == [3, 6, 9]


def test_outside_of_a_notebook_it_is_refused() -> None:
    with pytest.raises(GradmoteError, match="needs a notebook"):
        LivePlot()


def test_nothing_of_it_is_loaded_before() -> None:
    loaded = "[name for name in sys.modules if '.report' in name or name == 'IPython']"
    code = f"import sys, gradmote, gradmote.device.fitting; print({loaded})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
