"""The page's table of epsilon is what dp-accounting computes."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.federated import FLOWER
from bench.privacy import table_of_epsilon


@pytest.mark.skipif(not FLOWER.with_name("flwr").exists(), reason="build/flower is not complete: ./run setup makes it")
def test_the_page_has_the_epsilons():
    page = (Path(__file__).parents[2] / "docs" / "FEDERATED.md").read_text()
    assert table_of_epsilon() in page
