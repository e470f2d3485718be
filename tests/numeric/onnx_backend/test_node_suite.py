"""ONNX's own node tests (onnx.backend.test), run by its runner. A skipped one is in the list of not_passing.json.

They are loaded when they are run, since ONNX computes what it expects of each: that takes as long as to run them.
"""

from __future__ import annotations

import unittest
from functools import cache
from typing import Any

import numpy as np
import onnx
import pytest
from numeric.onnx_backend import suite
from onnx.backend.test.case.test_case import TestCase

from gradmote.onnx_backend import GradmoteBackend, GradmoteRep

LISTED = suite.read_list()
#: Of the tests of our operators, how many must pass.
SHARE = 0.95


class ListedRep(GradmoteRep):
    """Skips the tests in the list, and insists on its reasons."""

    def run(self, inputs: Any, **options: Any) -> tuple[np.ndarray, ...]:
        name = self.model.graph.name
        if name in LISTED["different"]:
            raise unittest.SkipTest(LISTED["different"][name])
        try:
            outputs = super().run(inputs, **options)
        except suite.REFUSALS as error:
            if LISTED["refused"].get(name) == str(error):
                raise unittest.SkipTest(str(error)) from None
            raise
        assert name not in LISTED["refused"], f"{name} runs now: `./run scons accept ONLY=operators`"
        return outputs


class ListedBackend(GradmoteBackend):
    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **options: Any) -> GradmoteRep:
        rep = super().prepare(model, device, **options)
        return ListedRep(rep.model, rep.profile)


@cache
def cases() -> dict[str, TestCase]:
    return {case.name: case for case in suite.load_cases()}


def test_node_suite(subtests: pytest.Subtests) -> None:
    from onnx.backend.test import BackendTest

    runner = BackendTest(ListedBackend, __name__).test_cases["OnnxBackendNodeModelTest"]
    names = [name for name in vars(runner) if name.startswith("test_") and name.removesuffix("_cpu") in cases()]
    assert len(names) == len(cases())
    for name in names:
        with subtests.test(name):
            getattr(runner(name), name)()


@pytest.mark.parametrize("name", LISTED["different"])
def test_what_differs_on_purpose_differs(name):
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        suite.refusal(cases()[name])


def test_share_of_tests_that_pass():
    listed = {name for reasons in LISTED.values() for name in reasons}
    assert listed <= set(cases()), f"ONNX has no test {listed - set(cases())}"
    assert len(listed) <= (1 - SHARE) * len(cases())
