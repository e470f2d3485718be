"""docs/performance.svg: how many times as long peers take, and what steps cost on boards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.speed import boards
from bench.speed.cases import TITLES
from bench.speed.host import ORT, RUNTIME, TORCH

from gradmote.report.bench.counting import core_of
from gradmote.report.bench.spread import Spread

PICTURE = Path(__file__).resolve().parents[3] / "docs" / "performance.svg"
#: The two halves are below each other, so that their words are legible in a picture of 390 pixels.
SIZE = (5, 8.6)
STYLE = {"font.size": 11, "axes.titlesize": 12, "axes.spines.top": False, "axes.spines.right": False}
PEERS = {ORT: "onnxruntime-training", TORCH: "PyTorch"}


def write(found: dict[str, Any]) -> None:
    """Draw what was measured. Needs matplotlib (`gradmote[bench]`); the same figures give the same file."""
    import matplotlib
    from matplotlib import pyplot

    matplotlib.use("svg")
    matplotlib.rcParams.update({**STYLE, "svg.hashsalt": "gradmote"})
    figure, (upper, lower) = pyplot.subplots(2, 1, figsize=SIZE, layout="constrained")
    if "host" in found:
        draw_host(upper, found["host"]["rows"])
    if "boards" in found:
        draw_boards(lower, found["boards"]["rows"])
    figure.savefig(PICTURE, metadata={"Date": None})
    pyplot.close(figure)


def draw_host(axes: Any, rows: list[dict[str, Any]]) -> None:
    """A pair of bars for each network and batch: the peers' time over the runtime's, with quartiles."""
    trained = [row for row in rows if row["program"] == "train"]
    places = range(len(trained))
    for number, (peer, title) in enumerate(PEERS.items()):
        ratios = [Spread.of_ratios(row["samples"][peer], row["samples"][RUNTIME]) for row in trained]
        medians = [r.median for r in ratios]
        errors = [[r.median - r.low for r in ratios], [r.high - r.median for r in ratios]]
        axes.barh([p + 0.4 * number for p in places], medians, 0.4, xerr=errors, label=title)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks([p + 0.2 for p in places], [f"{TITLES[r['network']]}, {r['batch']}" for r in trained])
    axes.set(xscale="log", xlabel="time / time of Gradmote, one thread", title="A step on this computer, AdamW")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.invert_yaxis()
    axes.figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False)


def draw_boards(axes: Any, rows: list[dict[str, Any]]) -> None:
    """Instructions per multiply-accumulate of a step at batch 1 with SGD."""
    plain = [row for row in rows if row["optimizer"] == "sgd" and row["batch"] == 1]
    networks = list(dict.fromkeys(row["network"] for row in plain))
    height = 0.8 / len(boards.WITH_OWN_CODE)
    for number, name in enumerate(boards.WITH_OWN_CODE):
        own = [row for row in plain if row["board"] == name]
        places = [networks.index(row["network"]) + height * number for row in own]
        axes.barh(places, [row["step"] / row["macs"] for row in own], height, label=core_of(name))
    axes.set_yticks([p + 0.4 - height / 2 for p in range(len(networks))], [TITLES[n] for n in networks])
    axes.set(xscale="log", xlabel="instructions / multiply-accumulate", title="A step on boards, batch 1, SGD")
    axes.set_xlim(left=1)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.invert_yaxis()
    axes.figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
