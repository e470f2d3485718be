"""The planner's promises on whole networks. Batch 8 of the two largest is in the benchmark alone."""

import json
import re
from pathlib import Path

import pytest
from bench.memory import page
from bench.memory.cases import CASES, NETWORKS, SCHEMES, Case
from bench.memory.figures import measure

LARGE = ("mobilenet_v1", "mobilenet_v2")


@pytest.mark.parametrize("case", [c for c in CASES if c.batch == 1 or c.network not in LARGE], ids=str)
def test_scratch_is_what_lives_at_once(case):
    found = measure(case)
    assert found.bound <= found.peak <= 1.01 * found.bound
    assert found.peak < found.naive


def test_resnet_8_trains_in_a_quarter_of_a_naive_plan():
    found = measure(Case("resnet_8", "full", 1))
    assert 4 * found.peak <= found.naive


@pytest.mark.parametrize("network", NETWORKS)
def test_the_page_has_every_case(network):
    lines = [line for line in page.PAGE.read_text().splitlines() if line.startswith(f"| {NETWORKS[network]} |")]
    of_schemes = [line for line in lines if line.split("|")[2].strip() in SCHEMES]
    assert len(of_schemes) == 2 * len(SCHEMES) == len(lines) - 1  # and one of memory against time


def test_the_page_counts_the_steps_that_a_board_takes_now():
    """Kernels that are faster change what the page says of time: `bench.memory.recompute --count` counts again."""
    rows = json.loads((Path(__file__).parent / "speed" / "results.json").read_text())["boards"]["rows"]
    rows = [row for row in rows if row["board"] == "mps2-an386" and (row["optimizer"], row["batch"]) == ("sgd", 1)]
    steps = {NETWORKS[row["network"]]: row["step"] / 1e6 for row in rows if row["network"] in NETWORKS}
    said = re.findall(r"on mps2-an386, a step of (\S+) takes ([\d.]+) M", " ".join(page.PAGE.read_text().split()))
    assert [name for name, _ in said] == ["DS-CNN", "ResNet-8"]
    assert {name: float(million) for name, million in said} == pytest.approx({n: steps[n] for n, _ in said}, rel=0.02)
