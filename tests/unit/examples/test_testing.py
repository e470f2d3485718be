"""examples/testing, run as its user runs it."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from gradmote.device.emulator import missing


def test_every_test_of_it_passes(root: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_spec("sklearn") is None:  # no import: what is imported first in here is taken away again
        pytest.skip("pip install scikit-learn")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("GRADMOTE_BOARD", raising=False)
    options = ("-p", "gradmote.pytest_plugin", "-p", "no:cacheprovider")
    result = pytester.run(sys.executable, "-m", "pytest", *options, str(root / "examples" / "testing"))
    skipped = 1 if missing("mps2-an386") else 0
    result.assert_outcomes(passed=4 - skipped, skipped=skipped)
