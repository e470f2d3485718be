"""`scons accept` measures committed figures again."""

from __future__ import annotations

import re
from importlib.util import find_spec

import pytest
from accept import FOOTPRINTS, MEASURED, ON_DEMAND, chosen, commands


@pytest.mark.parametrize("module", [*MEASURED.values(), *ON_DEMAND.values()])
def test_what_measures_is_there(module: str) -> None:
    assert find_spec(module) is not None


def test_without_names_it_is_all_that_tests_compare() -> None:
    assert chosen("") == [FOOTPRINTS, *MEASURED]
    assert len(commands(chosen(""))) == len(MEASURED)


def test_a_figure_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="ONLY=count: there is footprints, counts"):
        chosen("console,count")


def test_stale_figures_name_it(root) -> None:
    """Each figure that tests compare is named by the message of a test."""
    texts = "".join(path.read_text() for path in sorted((root / "tests").rglob("*.py")))
    assert set(re.findall(r"scons accept ONLY=(\w+)", texts)) >= {FOOTPRINTS, *MEASURED}
