"""The front page says of speed and memory what was measured last, which is in bench/speed/results.json."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

from bench.speed.host import ORT, TORCH, TWIN

from gradmote.report.bench.spread import Spread

ROOT = Path(__file__).parents[3]
RESULTS = json.loads((ROOT / "tests/bench/speed/results.json").read_text())
README = " ".join((ROOT / "README.md").read_text().split())


def said(pattern: str) -> tuple[float, ...]:
    """Return the numbers of the one sentence that has this pattern."""
    (found,) = re.findall(pattern, README)
    return tuple(float(number.replace(",", "")) for number in (found if isinstance(found, tuple) else (found,)))


def the_mlp() -> dict[str, Any]:
    """Return the row of the MLP that the page speaks of: on a Cortex-M4F, by SGD, one sample at a time."""
    wanted = {"board": "mps2-an386", "network": "mlp", "optimizer": "sgd", "batch": 1}
    (row,) = (row for row in RESULTS["boards"]["rows"] if wanted.items() <= row.items())
    return row  # type: ignore[no-any-return]


def test_a_step_of_the_mlp_takes_the_cycles_that_are_said() -> None:
    (cycles,) = said(r"takes ([\d,]+) modelled cycles of a Cortex-M4F")
    assert cycles == round(the_mlp()["cycles"]["step"], -3)


def test_the_mlp_trains_in_the_memory_that_is_said() -> None:
    (kilobytes,) = said(r"trains in ([\d.]+) KB of RAM")
    assert kilobytes == round(the_mlp()["arena"] / 1000, 1)


def test_the_twin_is_as_many_times_as_fast_as_is_said() -> None:
    rows = [row["samples"] for row in RESULTS["host"]["rows"] if row["program"] == "train"]
    ratios = [Spread.of_ratios(row[ORT], row[TWIN]).median for row in rows]
    least, most = said(r"(\d+) to (\d+) times as fast as onnxruntime-training")
    assert (least, most) == (math.floor(min(ratios)), math.floor(max(ratios)))
    assert len(ratios) == 12 and "faster than PyTorch" in README
    assert all(Spread.of_ratios(row[TORCH], row[TWIN]).median > 1 for row in rows)
