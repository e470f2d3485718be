"""The planner's promises on whole networks. Batch 8 of the two largest is in the benchmark alone."""

import pytest
from bench.memory import page
from bench.memory.cases import CASES, NETWORKS, SCHEMES, Case
from bench.memory.figures import measure

LARGE = ("mobilenet_v1", "mobilenet_v2")
#: Seconds that planning may take, on a machine with other things to do.
PATIENCE = 20


@pytest.mark.parametrize("case", [c for c in CASES if c.batch == 1 or c.network not in LARGE], ids=str)
def test_scratch_is_what_lives_at_once(case):
    found = measure(case)
    assert found.bound <= found.peak <= 1.01 * found.bound
    assert found.peak < found.naive
    assert found.seconds < PATIENCE


def test_resnet_8_trains_in_a_quarter_of_a_naive_plan():
    found = measure(Case("resnet_8", "full", 1))
    assert 4 * found.peak <= found.naive


@pytest.mark.parametrize("network", NETWORKS)
def test_the_page_has_every_case(network):
    lines = [line for line in page.PAGE.read_text().splitlines() if line.startswith(f"| {NETWORKS[network]} |")]
    of_schemes = [line for line in lines if line.split("|")[2].strip() in SCHEMES]
    assert len(of_schemes) == 2 * len(SCHEMES) == len(lines) - 1  # and one of memory against time
