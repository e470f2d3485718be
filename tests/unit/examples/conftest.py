"""Examples are imported as the scripts that they are: examples/ is on the path."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[3] / "examples"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Skip, with the command that installs it, if an example's data is missing."""
    from data.missing import MissingData

    try:
        return (yield)
    except MissingData as missing:
        pytest.skip(str(missing))
