"""The demo's picture: its legend covers no curve, whatever the curve does."""

from __future__ import annotations

from types import SimpleNamespace

import matplotlib
import pytest

matplotlib.use("Agg")
from matplotlib import pyplot

from demo.report import draw_curve

CURVES = {
    "falling": ([2.0 - 0.1 * i for i in range(12)], [0.5, 0.7, 0.95]),
    "flat": ([1.0] * 12, [0.9, 0.9, 0.9]),
    "rising": ([0.1 + 0.2 * i for i in range(12)], [0.95, 0.6, 0.5]),
}


@pytest.mark.parametrize("name", CURVES)
def test_the_legend_is_off_the_curves(name):
    losses, accuracy = CURVES[name]
    epochs = [SimpleNamespace(loss=losses[5 + 6 * i], test=SimpleNamespace(accuracy=accuracy[i + 1])) for i in range(2)]
    trained = SimpleNamespace(
        fit=SimpleNamespace(epochs=epochs), losses=losses, target="twin", before=SimpleNamespace(accuracy=accuracy[0])
    )
    figure, axes = pyplot.subplots(figsize=(5.7, 5), constrained_layout=True)
    draw_curve(axes, SimpleNamespace(curve=trained, trained=trained))
    figure.canvas.draw()
    legend, plot = axes.get_legend().get_window_extent(), axes.get_window_extent()
    label = axes.xaxis.label.get_window_extent()
    pyplot.close(figure)
    assert not legend.overlaps(plot) and not legend.overlaps(label)
    assert legend.y0 >= 0 and legend.x0 >= 0 and legend.x1 <= figure.bbox.x1
