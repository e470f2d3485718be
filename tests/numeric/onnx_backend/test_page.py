"""docs/OPERATORS.md says what the code says."""

from __future__ import annotations

import shutil

import onnx
import pytest
from numeric.onnx_backend import page, suite

LISTED = suite.read_list()
FAILING = {name for reasons in LISTED.values() for name in reasons}
FACTS = page.read_facts()
AGAIN = "`./run scons accept ONLY=operators` writes it anew"
#: Kernels of different sizes, and how far compilers may be apart.
MEASURED = ("Abs", "Conv", "MaxPool", "Softmax", "Gemm")
TOLERANCE = 0.1

written_for_this_onnx = pytest.mark.skipif(
    f"of onnx {onnx.__version__})" not in page.PAGE.read_text(), reason="the page is of another version of onnx"
)


@written_for_this_onnx
def test_page_is_not_stale():
    text = page.render(FACTS, suite.totals(suite.load_cases(), FAILING), LISTED)
    assert page.PAGE.read_text() == text, AGAIN


@written_for_this_onnx
def test_kernels_are_those_that_the_page_names():
    """Check the kernels of each operator's first test that passes."""
    first = {}
    for case in suite.load_cases():
        if case.name not in FAILING:
            first.setdefault(suite.operator_of(case), case)
    assert set(first) == set(FACTS), AGAIN
    for op, case in first.items():
        found, said = suite.kernels_of([case]), FACTS[op].kernels
        assert found.forward <= said.forward and found.gradient <= said.gradient | said.forward, f"{op}: {AGAIN}"


@pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="there is no arm-none-eabi-gcc")
@pytest.mark.parametrize("op", MEASURED)
def test_bytes_are_what_the_compiler_makes(op):
    kernels = FACTS[op].kernels
    assert page.kernel_bytes(frozenset(kernels.forward)) == pytest.approx(FACTS[op].inference_bytes, rel=TOLERANCE)
